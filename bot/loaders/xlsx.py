"""Excel workbooks: what each cell shows, a line a row, and never what is hidden or a formula."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import openpyxl
from lxml import etree
from openpyxl.cell.read_only import ReadOnlyCell

from bot.loaders.files import FileUnreadable
from bot.loaders.grid import Row, lay_out, shown
from bot.loaders.lines import Lines
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.number_formats import displayed, hides
from bot.loaders.sheet_marks import Marks, holds, marks_of
from rag.errors import LimitExceeded
from rag.values import Limits

_OLD = b"\xd0\xcf\x11\xe0"
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    etree.LxmlError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    SyntaxError,  # what the standard library's XML parser raises
    TypeError,
    ValueError,
)
_WHITE = ("FFFFFFFF", "00FFFFFF")
_SMALLEST = 1.0  # points; text of this size and below is not meant to be read


def load(data: bytes, *, limits: Limits) -> Loaded:
    """The visible sheets in order, each under its name.

    Raises `FileUnreadable`, `LimitExceeded`.
    """
    if data.startswith(_OLD):
        raise FileUnreadable("protected by a password, or from before Excel 2007; save it anew")
    try:
        return _load(data, limits)
    except FileUnreadable:
        raise
    except _BROKEN as error:
        raise FileUnreadable("damaged, or not an Excel workbook") from error


def _load(data: bytes, limits: Limits) -> Loaded:
    lines = Lines(limits=limits)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        marks = marks_of(archive)
        _look_around(archive, lines)
    book = openpyxl.load_workbook(
        io.BytesIO(data), read_only=True, data_only=True, keep_links=False
    )
    try:
        for sheet in book.worksheets:
            if sheet.sheet_state == "visible":
                _write(sheet, marks.get(sheet.title, Marks()), lines, limits)
            else:
                lines.caution(Caution.HIDDEN_LEFT_OUT)
        return lines.loaded(file_format="xlsx", title=book.properties.title or "")
    finally:
        book.close()


def _look_around(archive: zipfile.ZipFile, lines: Lines) -> None:
    if holds(archive, r"xl/(?:comments\d*|comments/.*|threadedComments/.*)\.xml"):
        lines.caution(Caution.COMMENTS_LEFT_OUT)
    if holds(archive, r"xl/(?:media/.*|charts/.*\.xml|drawings/drawing\d*\.xml)"):
        lines.caution(Caution.PICTURES_UNREAD)


def _write(sheet: Any, marks: Marks, lines: Lines, limits: Limits) -> None:
    if marks.results_missing:
        lines.caution(Caution.VALUES_MISSING)
    sheet.reset_dimensions()  # a sheet may say that it is larger or smaller than it is
    rows, length = [], 0
    for row in _rows(sheet, marks, lines):
        length += sum(map(len, row.cells.values()))
        if length > limits.document_characters:
            most = f"more than {limits.document_characters:,} characters"
            raise LimitExceeded(most, limit="document_characters")
        rows.append(row)
    if rows:
        lines.heading(shown(sheet.title), level=1)
        lay_out(lines, rows, sheet=sheet.title)


def _rows(sheet: Any, marks: Marks, lines: Lines) -> Iterator[Row]:
    for found in sheet.iter_rows():
        number, cells = 0, {}
        for cell in found:
            text = _text(cell)
            if not text:
                continue
            number = cell.row
            if number in marks.rows or cell.column in marks.columns or _unseen(cell, marks):
                lines.caution(Caution.HIDDEN_LEFT_OUT)
            else:
                cells[cell.column] = text
        if cells:
            yield Row(number=number, cells=cells)


def _text(cell: Any) -> str:
    if cell.value is None:
        return ""
    return shown(displayed(cell.value, cell.number_format))


def _unseen(cell: ReadOnlyCell, marks: Marks) -> bool:
    """Whether a cell's own style keeps it from being seen: a format, a size or white on nothing."""
    if not cell.has_style:
        return False
    if hides(cell.number_format):
        return True
    font: Any = cell.font
    if font.sz is not None and font.sz <= _SMALLEST:
        return True
    fill: Any = cell.fill
    return _is_white(font.color) and fill.fill_type is None and not marks.coloured


def _is_white(colour: Any) -> bool:
    if colour is None:
        return False
    if colour.type == "theme":
        return bool(colour.theme == 0)  # a theme's first colour is its paper
    return colour.type == "rgb" and colour.rgb in _WHITE
