"""Each library's text with the few lines that anybody would write: what ours is measured beside."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path

import docx
import lxml.html
import openpyxl
import pptx
import pypdfium2


def _pdf(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in document)
    finally:
        document.close()


def _docx(path: Path) -> str:
    document = docx.Document(str(path))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def _pptx(path: Path) -> str:
    shapes = (shape for slide in pptx.Presentation(str(path)).slides for shape in slide.shapes)
    return "\n".join(shape.text_frame.text for shape in shapes if shape.has_text_frame)


def _xlsx(path: Path) -> str:
    book = openpyxl.load_workbook(path, data_only=True)
    rows = (row for sheet in book.worksheets for row in sheet.iter_rows(values_only=True))
    return "\n".join(" | ".join(str(value) for value in row if value is not None) for row in rows)


def _csv(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        return "\n".join(" | ".join(row) for row in csv.reader(file))


def _html(path: Path) -> str:
    return "".join(map(str, lxml.html.fromstring(path.read_bytes()).itertext()))


PLAIN: Mapping[str, Callable[[Path], str]] = {
    "pdf": _pdf,
    "docx": _docx,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "csv": _csv,
    "html": _html,
}
