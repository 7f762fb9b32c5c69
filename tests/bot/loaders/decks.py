"""Presentations for tests, made with python-pptx."""

import io
from collections.abc import Callable
from typing import Any, TypeAlias

import pptx
from pptx.util import Inches

from bot.loaders.loaded import Loaded
from bot.loaders.pptx import load
from rag.values import Limits

# python-pptx says of its types only part, and some of that wrongly.
Presentation: TypeAlias = Any
Slide: TypeAlias = Any


def saved(deck: Presentation) -> bytes:
    """The bytes of a presentation."""
    held = io.BytesIO()
    deck.save(held)
    return held.getvalue()


def blank(deck: Presentation) -> Slide:
    """A new slide with nothing on it."""
    return deck.slides.add_slide(deck.slide_layouts[6])


def titled_slide(deck: Presentation, title: str) -> Slide:
    """A new slide with a title."""
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = title
    return slide


def box(slide: Slide, text: str, *, left: float = 1, top: float = 3) -> Any:
    """A new text box, two inches wide and one high."""
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(1))
    box.text_frame.text = text
    return box


def filled(fill: Callable[[Slide], object]) -> Loaded:
    """What is read of a presentation with one blank slide, filled by ``fill``."""
    deck: Presentation = pptx.Presentation()
    fill(blank(deck))
    return load(saved(deck), limits=Limits())
