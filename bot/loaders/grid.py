"""Rows of cells as text: a line a row, each with its place, each table with its header."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bot.loaders.lines import Lines
from bot.loaders.loaded import Part
from rag.values import Locator, Value

BETWEEN = " | "

_NUMBER = re.compile(r"[-+(]?[\s¥$€£]*[\d.,\s]*\d[\d.,\s]*[%)]?")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Row(Value):
    """A row with its number in the original and the texts of its cells by column, from 1."""

    number: int
    cells: Mapping[int, str]


def lay_out(lines: Lines, rows: Sequence[Row], *, sheet: str) -> None:
    """Write ``rows``; an empty cell keeps its place between filled ones.

    Rows that follow on each other are a table, from the first that has two cells or more.
    Raises `LimitExceeded`.
    """
    columns = sorted({column for row in rows for column in row.cells})
    for block in _blocks(rows):
        lines.gap()
        titles = next((at for at, row in enumerate(block) if len(row.cells) > 1), len(block))
        for row in block[:titles]:
            _write(lines, row, columns, sheet)
        if titles < len(block):
            _table(lines, block[titles:], columns, sheet)


def shown(value: str) -> str:
    """A cell's text on one line."""
    return " ".join(value.split())


def are_names(cells: Iterable[str]) -> bool:
    """Whether these can be the names of columns: none is a number, but for years."""
    return not any(_NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in cells)


def letters(column: int) -> str:
    """A column's name as a spreadsheet writes it: 1 is A, 27 is AA."""
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _blocks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    block: list[Row] = []
    for row in rows:
        if block and row.number > block[-1].number + 1:
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _table(lines: Lines, rows: Sequence[Row], columns: Sequence[int], sheet: str) -> None:
    spans = [_write(lines, row, columns, sheet) for row in rows]
    names = len(rows) > 1 and are_names(rows[0].cells.values())
    head = _line(rows[0], columns) if names else ""
    lines.part(Part(start=spans[0][0], end=spans[-1][1], kind="table", header=head))


def _write(lines: Lines, row: Row, columns: Sequence[int], sheet: str) -> tuple[int, int]:
    start, end = lines.add(_line(row, columns))
    first, last = min(row.cells), max(row.cells)
    cells = f"{letters(first)}{row.number}"
    if last != first:
        cells += f":{letters(last)}{row.number}"
    lines.locate(Locator(start=start, end=end, sheet=sheet, cells=cells))
    return start, end


def _line(row: Row, columns: Sequence[int]) -> str:
    last = max(row.cells)
    return BETWEEN.join(row.cells.get(column, "") for column in columns if column <= last)
