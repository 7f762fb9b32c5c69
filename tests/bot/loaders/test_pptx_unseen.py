"""What nobody sees on a slide is left out, with a caution; what is seen is not."""

from collections.abc import Callable
from typing import Any

import pytest
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.util import Inches, Pt

from bot.loaders.loaded import Caution
from tests.bot.loaders.decks import Slide, blank, box, filled

_RGB: Any = RGBColor


def _off_the_page(slide: Slide) -> None:
    box(slide, "SECRET", left=-5)


def _switched_off(slide: Slide) -> None:
    box(slide, "SECRET")._element.nvSpPr.cNvPr.set("hidden", "1")


def _tiny(slide: Slide) -> None:
    box(slide, "SECRET").text_frame.paragraphs[0].runs[0].font.size = Pt(1)


def _white(slide: Slide) -> None:
    font = box(slide, "SECRET").text_frame.paragraphs[0].runs[0].font
    font.color.rgb = _RGB(0xFF, 0xFF, 0xFF)


def _as_the_ground(slide: Slide) -> None:
    font = box(slide, "SECRET").text_frame.paragraphs[0].runs[0].font
    font.color.theme_color = MSO_THEME_COLOR.BACKGROUND_1


def _noted(slide: Slide) -> None:
    slide.notes_slide.notes_text_frame.text = "SECRET"


def _hidden_slide(slide: Slide) -> None:
    deck = slide.part.package.presentation_part.presentation
    other = blank(deck)
    box(other, "SECRET")
    other._element.set("show", "0")


@pytest.mark.parametrize(
    "hide", [_off_the_page, _switched_off, _tiny, _white, _as_the_ground, _noted, _hidden_slide]
)
def test_what_nobody_sees_is_left_out(hide: Callable[[Slide], object]) -> None:
    def fill(slide: Slide) -> None:
        box(slide, "seen", top=5)
        hide(slide)

    loaded = filled(fill)
    assert loaded.text == "seen"
    assert loaded.cautions == (Caution.HIDDEN_LEFT_OUT,)


def test_white_on_colour_is_seen() -> None:
    def fill(slide: Slide) -> None:
        ground = slide.shapes.add_shape(1, Inches(0), Inches(0), Inches(9), Inches(7))
        ground.fill.solid()
        ground.fill.fore_color.rgb = _RGB(0, 0, 0x80)
        _white(slide)

    assert filled(fill).text == "SECRET"
