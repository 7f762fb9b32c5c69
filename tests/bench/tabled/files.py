"""Tables written into files of every format that holds some, with the usual libraries."""

import csv
import html
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import docx
import openpyxl


@dataclass(frozen=True)
class Table:
    """Rows as a person writes them, the first of them the names of the columns.

    ``title`` stands above it, as a row, a caption or a heading; ``note`` below it.
    """

    title: str
    rows: Sequence[Sequence[str | int | float]]
    note: str = ""


def xlsx(table: Table) -> bytes:
    """A sheet with the title in a row of its own."""
    book = openpyxl.Workbook()
    sheet: Any = book.worksheets[0]
    for row in ([table.title], *table.rows, *([[], [table.note]] if table.note else [])):
        sheet.append(list(row))
    return _saved(book)


def comma(table: Table) -> bytes:
    """The rows alone, as an export has them."""
    out = io.StringIO()
    csv.writer(out).writerows(table.rows)
    return out.getvalue().encode()


def word(table: Table) -> bytes:
    """A heading, the table, the note."""
    made = docx.Document()
    made.add_heading(table.title, 1)
    laid: Any = made.add_table(rows=0, cols=len(table.rows[0]))
    for row in table.rows:
        for cell, value in zip(laid.add_row().cells, row, strict=False):
            cell.text = str(value)
    made.add_paragraph(table.note)
    return _saved(made)


def page(table: Table) -> bytes:
    """A page whose table has a caption and named columns."""
    first, *rest = table.rows
    lines = [_line(first, "th"), *(_line(row, "td") for row in rest)]
    return (
        f"<!doctype html><title>{table.title}</title><h1>{table.title}</h1>"
        f"<table><caption>{table.title}</caption>{''.join(lines)}</table><p>{table.note}</p>"
    ).encode()


def markdown(table: Table) -> bytes:
    """A heading, the table with its rule, the note."""
    first, *rest = table.rows
    rule = ["---"] * len(first)
    lines = [f"| {' | '.join(str(cell) for cell in row)} |" for row in (first, rule, *rest)]
    return "\n".join([f"# {table.title}", "", *lines, "", table.note, ""]).encode()


WRITERS: Mapping[str, Callable[[Table], bytes]] = {
    "xlsx": xlsx,
    "csv": comma,
    "docx": word,
    "html": page,
    "md": markdown,
}


def _line(row: Sequence[object], tag: str) -> str:
    cells = "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row)
    return f"<tr>{cells}</tr>"


def _saved(made: Any) -> bytes:
    held = io.BytesIO()
    made.save(held)
    return held.getvalue()
