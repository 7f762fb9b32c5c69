"""Presentations: what a slide shows is read in its order, and what nobody sees is not."""

import io
from typing import Any

import pptx
import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from bot.loaders.drawn import words
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution
from bot.loaders.outlining import outline_of, titled
from bot.loaders.pptx import load
from rag.errors import LimitExceeded
from rag.values import Limits
from tests.bot.loaders.decks import Presentation, Slide, blank, box, filled, saved, titled_slide
from tests.bot.loaders.office import rewritten, word_of

_DATA: Any = CategoryChartData
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def test_a_quote_is_found_on_that_slide_of_the_original() -> None:
    deck: Presentation = pptx.Presentation()
    deck.core_properties.title = "Loans"
    box(titled_slide(deck, "Devices"), "A phone is lent for 14 days.")
    box(titled_slide(deck, "费用"), "手机借用每天收费三元。")
    data = saved(deck)

    loaded = load(data, limits=Limits())

    quote = "手机借用每天收费三元。"
    at = loaded.text.index(quote)
    (where,) = (one for one in loaded.locators if one.start <= at < one.end)
    slide = pptx.Presentation(io.BytesIO(data)).slides[(where.slide or 0) - 1]
    assert quote in [shape.text_frame.text for shape in slide.shapes]
    names = [(loaded.text[one.start : one.end], one.level) for one in loaded.headings]
    assert names == [("Devices", 1), ("费用", 1)]
    first, second = loaded.locators
    assert loaded.text[first.start : first.end] == "Devices\n\nA phone is lent for 14 days."
    assert loaded.text[second.start : second.end] == f"费用\n\n{quote}"
    assert (loaded.format, loaded.title, loaded.cautions) == ("pptx", "Loans", ())


def test_a_presentation_nobody_named_has_no_title() -> None:
    deck: Presentation = pptx.Presentation()
    deck.core_properties.title = "PowerPoint Presentation"
    assert load(saved(deck), limits=Limits()).title == ""


def test_shapes_are_read_from_top_to_bottom_and_left_to_right() -> None:
    def fill(slide: Slide) -> None:
        box(slide, "last", top=5)
        box(slide, "right", left=5, top=2.05)
        box(slide, "left", left=1, top=2.1)
        group = slide.shapes.add_group_shape()
        for text, top in (("second", 2), ("first", 1)):
            inner = group.shapes.add_textbox(Inches(1), Inches(top), Inches(1), Inches(0.5))
            inner.text_frame.text = text
        group.top, group.height = Inches(0.2), Inches(0.5)

    assert filled(fill).text == "first\n\nsecond\n\nleft\n\nright\n\nlast"


def test_a_placeholder_stands_where_its_layout_puts_it() -> None:
    deck: Presentation = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    box(slide, "below all", top=7)
    slide.placeholders[1].text = "point"
    slide.shapes.title.text = "Title"
    assert load(saved(deck), limits=Limits()).text == "Title\n\n• point\n\nbelow all"


def test_raised_figures_stay_raised() -> None:
    def fill(slide: Slide) -> None:
        paragraph = box(slide, "10").text_frame.paragraphs[0]
        for text, baseline in (("5", "30000"), (" t CO", "0"), ("2", "-25000")):
            paragraph.add_run().text = text
            paragraph.runs[-1]._r.get_or_add_rPr().set("baseline", baseline)

    assert filled(fill).text == "10⁵ t CO₂"


def test_the_title_comes_first_wherever_it_stands() -> None:
    deck: Presentation = pptx.Presentation()
    slide = titled_slide(deck, "Title")
    slide.shapes.title.top = Inches(6)
    box(slide, "above", top=1)
    assert load(saved(deck), limits=Limits()).text == "Title\n\nabove"


def test_what_a_group_holds_stands_where_the_group_does() -> None:
    def fill(slide: Slide) -> None:
        box(slide, "below", top=2)
        group = slide.shapes.add_group_shape()
        inner = group.shapes.add_textbox(Inches(40), Inches(40), Inches(1), Inches(1))
        inner.text_frame.text = "in the group"
        group.left = group.top = Inches(0.5)

    loaded = filled(fill)
    assert (loaded.text, loaded.cautions) == ("in the group\n\nbelow", ())


def test_a_diagrams_words_are_those_of_its_nodes() -> None:
    point = '<d:pt type="{}"><d:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></d:t></d:pt>'.format
    inner = point("doc", "frame") + point("node", "Ask") + point("sibTrans", "x")
    names = f'xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="{_A}"'
    model = f"<d:dataModel {names}><d:ptLst>{inner}{point('asst', 'Wait')}</d:ptLst></d:dataModel>"
    assert words(etree.fromstring(model)) == ["Ask", "Wait"]


def test_lists_have_the_marks_of_the_slide() -> None:
    def fill(slide: Slide) -> None:
        frame = box(slide, "one").text_frame
        marks = ("arabicPeriod", "arabicPeriod", None, "alphaLcParenR", "unheard of")
        for number, mark in enumerate(marks):
            paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
            paragraph.text = f"item{number}"
            if mark:
                properties = paragraph._p.get_or_add_pPr()
                etree.SubElement(properties, f"{{{_A}}}buAutoNum", type=mark)

    assert filled(fill).text == "1. item0\n2. item1\n\nitem2\n\na) item3\n\nitem4"


def test_a_table_is_rows_with_its_header_and_merged_cells_once() -> None:
    def fill(slide: Slide) -> None:
        table = slide.shapes.add_table(3, 3, Inches(1), Inches(1), Inches(6), Inches(2)).table
        for number, cell in enumerate(table.iter_cells()):
            cell.text = f"c{number}"
        table.cell(1, 0).merge(table.cell(1, 1))
        table.cell(1, 2).merge(table.cell(2, 2))

    loaded = filled(fill)
    (part,) = loaded.parts
    assert loaded.text.splitlines() == ["c0 | c1 | c2", "c3 c4 |  | c5 c8", "c6 | c7 |"]
    assert (part.kind, part.header) == ("table", "c0 | c1 | c2")


def test_a_charts_words_and_figures_are_read() -> None:
    def fill(slide: Slide) -> None:
        data = _DATA()
        data.categories = ["2024", "2025"]
        data.add_series("Loans", (3, 5))
        frame = slide.shapes.add_chart(
            XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(4), Inches(3), data
        )
        frame.chart.has_title = True
        frame.chart.chart_title.text_frame.text = "Loans a year"

    assert filled(fill).text == "Loans a year\n2024, 2025\nLoans: 3, 5"


def test_a_hidden_slide_keeps_its_number() -> None:
    deck: Presentation = pptx.Presentation()
    for text in ("one", "two", "three"):
        box(blank(deck), text)
    deck.slides[1]._element.set("show", "0")
    loaded = load(saved(deck), limits=Limits())
    assert [one.slide for one in loaded.locators] == [1, 3]


def test_an_untitled_slide_stands_under_no_other_slides_title() -> None:
    deck: Presentation = pptx.Presentation()
    titled_slide(deck, "Fees")
    box(blank(deck), "About loans.")
    loaded = load(saved(deck), limits=Limits())
    paths = [one.path for one in outline_of(loaded).sections]
    assert paths == [("Fees",), ()]
    assert titled(loaded, "file.pptx") == "Fees"


def test_a_slide_that_is_only_a_picture_is_said_to_be_unread() -> None:
    pixel = bytes.fromhex(
        "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b"
    )
    loaded = filled(lambda slide: slide.shapes.add_picture(io.BytesIO(pixel), 0, 0))
    assert (loaded.text, loaded.cautions) == ("", (Caution.PICTURES_UNREAD,))


def test_alternative_text_is_no_text_of_the_slide() -> None:
    deck: Presentation = pptx.Presentation()
    slide = titled_slide(deck, "Title")
    slide.shapes.title._element.nvSpPr.cNvPr.set("descr", "ALT TEXT")
    assert load(saved(deck), limits=Limits()).text == "Title"


def _footed(deck: Presentation, text: str) -> None:
    slide = blank(deck)
    (holder,) = (one for one in slide.slide_layout.placeholders if "Footer" in one.name)
    slide.shapes.clone_placeholder(holder)
    list(slide.placeholders)[-1].text = text


def test_a_footer_that_slides_repeat_is_left_out_and_one_of_its_own_is_not() -> None:
    deck: Presentation = pptx.Presentation()
    for text in ("Confidential", "March 2024", "Confidential"):
        _footed(deck, text)
    loaded = load(saved(deck), limits=Limits())
    assert loaded.text == "March 2024"
    assert [one.slide for one in loaded.locators] == [2]


def test_macros_are_passed_over() -> None:
    deck: Presentation = pptx.Presentation()
    titled_slide(deck, "Title")
    macro = b"application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"
    plain = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
    data = rewritten(
        saved(deck),
        {
            "[Content_Types].xml": lambda old: old.replace(plain, macro),
            "ppt/vbaProject.bin": lambda old: b"Sub AutoOpen()",
        },
    )
    assert load(data, limits=Limits()).text == "Title"


def test_what_is_too_long_or_no_presentation_is_refused() -> None:
    deck: Presentation = pptx.Presentation()
    titled_slide(deck, "Title")
    data = saved(deck)
    with pytest.raises(LimitExceeded, match="characters"):
        load(data, limits=Limits(document_characters=4))
    with pytest.raises(LimitExceeded, match="paragraphs"):
        load(data, limits=Limits(document_paragraphs=0))
    with pytest.raises(FileUnreadable, match="not a PowerPoint"):
        load(word_of(""), limits=Limits())
    with pytest.raises(FileUnreadable, match="damaged"):
        load(data[:-900], limits=Limits())
