"""Documents that say alike things in two places, and a look into each by its plain library.

`FACT` stands in one place of each, `ALIKE` in another that a wrong place would lead to. What
looks gives the place in the shape of a citation as scripts read it.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import docx
import lxml.html
import openpyxl
import pptx
import pypdfium2

from tests.bot.loaders.papers import paper, show

FACT = "A bike may be lent for seven days."
QUESTION = "For how many days may a bike be lent?"
ALIKE = "A boat may be lent for seven weeks."
OTHER = "The desk is open from nine to five."

Place = dict[str, Any]

PAGES = tuple(show(text, 60, 700, size=14) for text in (ALIKE, FACT, OTHER))
"""Operators of the pages of a PDF, the fact on the second."""

_SECTIONS = (
    ("Boats", "Lending", ALIKE),
    ("Bikes", "Lending", FACT),
    ("Bikes", "Returns", OTHER),
)
_ROWS = (("what", "rule"), ("boats", ALIKE), ("bikes", FACT), ("desk", OTHER))


class Original(NamedTuple):
    """A document, where it holds a quote, and how a person is told so."""

    make: Callable[[], bytes]
    look: Callable[[Path, str], Place]
    words: str


def one(found: Iterable[Place]) -> Place:
    """The only place there is."""
    (place,) = found
    return place


def _pdf() -> bytes:
    """A PDF of these pages."""
    return paper(*PAGES)


def _docx() -> bytes:
    made = docx.Document()
    made.add_paragraph("What may be lent.")
    for level, text in _outlined():
        if level:
            made.add_heading(text, level)
        else:
            made.add_paragraph(text)
    return _saved(made)


def _bare_docx() -> bytes:
    made = docx.Document()
    for text in (ALIKE, FACT, OTHER):
        made.add_paragraph(text)
    return _saved(made)


def _outlined() -> Iterator[tuple[int, str]]:
    """Headings with their level, and paragraphs with none."""
    above = ""
    for chapter, section, text in _SECTIONS:
        if chapter != above:
            yield 1, chapter
        yield 2, section
        yield 0, text
        above = chapter


def _html() -> bytes:
    said = "".join(
        f"<h{level}>{text}</h{level}>" if level else f"<p>{text}" for level, text in _outlined()
    )
    return f"<!doctype html><title>Rules</title><script>var a = 1</script>{said}".encode()


def _markdown() -> bytes:
    """With front matter and lines as Windows ends them; the fact goes over two lines."""
    said = "\n\n".join(f"{'#' * level} {text}".strip() for level, text in _outlined())
    return (
        f"---\ntitle: Rules\n---\n{said}\n".replace(" lent ", " lent\n")
        .replace("\n", "\r\n")
        .encode()
    )


def _plain() -> bytes:
    return "\n\n".join((ALIKE, FACT, OTHER)).encode()


def _pptx() -> bytes:
    made = pptx.Presentation()
    for title, _, body in _SECTIONS:
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    return _saved(made)


def _xlsx() -> bytes:
    """The table begins at B3 of the second sheet; the first has one like it."""
    made = openpyxl.Workbook()
    made.worksheets[0].title = "Boats"
    made.create_sheet("Bikes")
    for sheet, rows in zip(made.worksheets, (_ROWS[:2], _ROWS), strict=True):
        for at, row in enumerate(rows, start=3):
            for column, value in enumerate(row, start=2):
                sheet.cell(at, column, value)
    return _saved(made)


def _csv() -> bytes:
    """A cell above the fact holds a line break, which makes no row of its own."""
    kept = io.StringIO()
    csv.writer(kept).writerows([*_ROWS[:2], ("rafts", "They are kept\nin the shed."), *_ROWS[2:]])
    return kept.getvalue().encode()


def _saved(made: Any) -> bytes:
    kept = io.BytesIO()
    made.save(kept)
    return kept.getvalue()


def _on_page(path: Path, quote: str) -> Place:
    """The page of a PDF whose own text holds the quote."""
    pages = enumerate(pypdfium2.PdfDocument(path), start=1)
    return one({"page": at} for at, page in pages if quote in page.get_textpage().get_text_range())


def _under(blocks: Iterable[tuple[int, str]], quote: str) -> Place:
    """The headings above the only paragraph that holds the quote."""
    above: list[tuple[int, str]] = []
    found = []
    for level, text in blocks:
        if level:
            above = [*(known for known in above if known[0] < level), (level, text)]
        elif quote in text:
            found.append({"heading_path": [name for _, name in above]})
    return one(found)


def _in_word(path: Path, quote: str) -> Place:
    paragraphs = docx.Document(str(path)).paragraphs
    names = ((one.style.name if one.style else "", one.text) for one in paragraphs)
    return _under(
        ((int(name[-1]) if name.startswith("Heading") else 0, text) for name, text in names), quote
    )


def _in_web(path: Path, quote: str) -> Place:
    found = lxml.html.fromstring(path.read_bytes()).iter("h1", "h2", "p")
    blocks = (
        (int(one.tag[1]) if one.tag != "p" else 0, "".join(map(str, one.itertext())))
        for one in found
    )
    return _under(blocks, quote)


def in_lines(text: str, quote: str) -> Place:
    """The lines that hold the quote, no line more."""
    at = text.index(quote)
    assert text.count(quote) == 1
    first = text.count("\n", 0, at) + 1
    return {"lines": [first, first + quote.count("\n")], "locator": None}


def _on_lines(path: Path, quote: str) -> Place:
    return in_lines(path.read_text("utf-8"), quote)


def _on_slide(path: Path, quote: str) -> Place:
    slides = enumerate(pptx.Presentation(str(path)).slides, start=1)
    return one(
        {"slide": at}
        for at, slide in slides
        if any(quote in shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)
    )


def _in_cells(path: Path, quote: str) -> Place:
    """The cells of the only row that says so, without the empty ones beside them."""
    found = []
    for sheet in openpyxl.load_workbook(path):
        for row in sheet.iter_rows():
            filled = [cell for cell in row if cell.value]
            if [cell.value for cell in filled] == quote.split(" | "):
                ends = f"{filled[0].coordinate}:{filled[-1].coordinate}"
                found.append({"sheet": sheet.title, "cells": ends})
    return one(found)


def _in_row(path: Path, quote: str) -> Place:
    """A spreadsheet program numbers the rows of such a file as its records come."""
    rows = enumerate(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")), start=1)
    return one({"cells": f"A{at}:B{at}"} for at, row in rows if row == quote.split(" | "))


ORIGINALS = {
    "rules.pdf": Original(_pdf, _on_page, "page 2"),
    "rules.docx": Original(_docx, _in_word, "under “Bikes › Lending”"),
    "bare.docx": Original(_bare_docx, _in_word, "line 3 of its text"),
    "rules.pptx": Original(_pptx, _on_slide, "slide 2"),
    "rules.xlsx": Original(_xlsx, _in_cells, "sheet Bikes, B5:C5"),
    "rules.csv": Original(_csv, _in_row, "cells A4:B4"),
    "rules.html": Original(_html, _in_web, "under “Bikes › Lending”"),
    "rules.md": Original(_markdown, _on_lines, "lines 15–16"),
    "rules.txt": Original(_plain, _on_lines, "line 3"),
}
