"""From a file by a question to a quote, and from its place back into the file: it stands there.

The original is looked at with the format's plain library, never with our own loaders.
"""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import lxml.html
import openpyxl
import pptx
import pypdfium2
import pytest

from bot.answer_json import as_json
from bot.cli.answers import answer_lines
from rag.pipeline import run
from rag.readers.extractive import ExtractiveReader
from rag.testing import World
from rag.values import Limits, Status
from tests.bench.hostile_made import pdf
from tests.bot.reading import TENANT, document, reading

_FACT = "A bike may be lent for seven days."
_QUESTION = "For how many days may a bike be lent?"
_OTHERS = ("Rooms are booked at the desk.", "The desk is open from nine to five.")

_NAMED = ("page", "slide", "sheet", "cells")
"""What of a place a terminal shows too."""

Place = dict[str, Any]
"""A citation as scripts read it, its ``locator`` among its keys."""


def _pdf() -> bytes:
    """Three pages of a line each; the fact is on the second."""
    lines = (_OTHERS[0], _FACT, _OTHERS[1])
    streams = [f"BT /F1 12 Tf 20 700 Td ({line}) Tj ET".encode() for line in lines]
    first = 4
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(streams)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, len(streams)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, stream in enumerate(streams):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>" % (first + 2 * number + 1)
        )
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(stream), stream))
    return pdf(*objects)


def _docx() -> bytes:
    made = docx.Document()
    made.add_heading("Rooms", 1)
    made.add_paragraph(_OTHERS[0])
    made.add_heading("Bikes", 1)
    made.add_paragraph(_FACT)
    return _saved(made)


def _pptx() -> bytes:
    made = pptx.Presentation()
    for title, body in (("Rooms", _OTHERS[0]), ("Desk", _OTHERS[1]), ("Bikes", _FACT)):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    return _saved(made)


def _xlsx() -> bytes:
    made = openpyxl.Workbook()
    made.worksheets[0].append(["Rule", _OTHERS[0]])
    sheet = made.create_sheet("Lending")
    for row in (["what", "rule"], ["rooms", _OTHERS[0]], ["bikes", _FACT], ["desk", _OTHERS[1]]):
        sheet.append(row)
    return _saved(made)


def _csv() -> bytes:
    rows = (("what", "rule"), ("rooms", _OTHERS[0]), ("bikes", _FACT), ("desk", _OTHERS[1]))
    return "".join(f'{what},"{rule}"\r\n' for what, rule in rows).encode()


def _html() -> bytes:
    return (
        f"<!doctype html><title>Rules</title><h1>Rooms</h1><p>{_OTHERS[0]}</p>"
        f"<h1>Bikes</h1><p>{_FACT}</p><script>var a = 1</script>"
    ).encode()


def _plain() -> bytes:
    return "\n\n".join((_OTHERS[0], _FACT, _OTHERS[1])).encode()


def _saved(made: Any) -> bytes:
    kept = io.BytesIO()
    made.save(kept)
    return kept.getvalue()


def _on_page(path: Path, place: Place) -> str:
    page = pypdfium2.PdfDocument(path)[place["page"] - 1]
    return str(page.get_textpage().get_text_range())


def _under_heading(path: Path, place: Place) -> str:
    """The paragraph below the heading that the chunk is said to stand under."""
    paragraphs = [one.text for one in docx.Document(str(path)).paragraphs]
    return paragraphs[paragraphs.index("Bikes") + 1]


def _on_slide(path: Path, place: Place) -> str:
    slide = pptx.Presentation(str(path)).slides[place["locator"]["slide"] - 1]
    return "\n".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)


def _in_cells(path: Path, place: Place) -> str:
    found = openpyxl.load_workbook(path)[place["locator"]["sheet"]][place["locator"]["cells"]]
    return "\n".join(str(cell.value) for row in found for cell in row)


def _in_row(path: Path, place: Place) -> str:
    """A spreadsheet program numbers the rows of such a file as its records come."""
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8"))))
    first, last = (int(cell.lstrip("ABC")) for cell in place["locator"]["cells"].split(":"))
    return "\n".join(value for row in rows[first - 1 : last] for value in row)


def _in_page(path: Path, place: Place) -> str:
    found = lxml.html.fromstring(path.read_bytes()).findall(".//p")
    return str(found[1].text)


def _on_lines(path: Path, place: Place) -> str:
    first, last = place["lines"]
    return "\n".join(path.read_text("utf-8").split("\n")[first - 1 : last])


@pytest.mark.parametrize(
    ("name", "make", "look"),
    [
        ("rules.pdf", _pdf, _on_page),
        ("rules.docx", _docx, _under_heading),
        ("rules.pptx", _pptx, _on_slide),
        ("rules.xlsx", _xlsx, _in_cells),
        ("rules.csv", _csv, _in_row),
        ("rules.html", _html, _in_page),
        ("rules.md", _plain, _on_lines),
        ("rules.txt", _plain, _on_lines),
    ],
)
async def test_the_quoted_words_stand_where_the_citation_says(
    tmp_path: Path, name: str, make: Callable[[], bytes], look: Callable[[Path, Place], str]
) -> None:
    file, limits = tmp_path / name, Limits(parse_seconds=60)
    file.write_bytes(make())
    async with reading(tmp_path / "data", limits=limits) as parts:
        await parts.catalogue.put(document(file, title="Rules"))
        world = World()
        ports = replace(
            world.ports(reader=ExtractiveReader()),
            catalogue=parts.catalogue,
            intake=parts.intake,
            snapshots=parts.snapshots,
            index=parts.refilled,
        )
        asked = world.request(_QUESTION).model_copy(update={"tenant": TENANT})
        report = await run(asked, ports, limits=limits)
    assert report.answer.status is Status.ANSWERED
    told = as_json(report)["answer"]["claims"]
    assert any(_FACT in cited["quote"] for claim in told for cited in claim["citations"])
    for claim in told:
        for cited in claim["citations"]:
            if _FACT in cited["quote"]:
                assert _FACT in look(file, cited)
                place = cited["locator"] or {}
                shown = "\n".join(answer_lines(report))
                assert all(str(place[key]) in shown for key in _NAMED if place.get(key)), shown
