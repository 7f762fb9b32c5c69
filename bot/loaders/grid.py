"""Rows of cells as text: a line a row, each with its place, each table with its header."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bot.loaders.lines import Lines
from bot.loaders.loaded import Part
from rag.values import Locator, Value

BETWEEN = " | "

_TITLE = 2
"""The level of the titles over a table; a sheet's name is of level 1."""
_SHORT = 60  # characters; Chinese titles are shorter still
_SAYS = re.compile(r"[:：。！？；;!?]|\.(?:\s|$)")
_NUMBER = re.compile(r"[-+(]?[\s¥$€£]*[\d.,\s]*\d[\d.,\s]*[%)]?")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Row(Value):
    """A row with its number in the original and the texts of its cells by column, from 1."""

    number: int
    cells: Mapping[int, str]


def lay_out(lines: Lines, rows: Sequence[Row], *, sheet: str) -> None:
    """Write ``rows``; an empty cell keeps its place between filled ones.

    Rows that follow on each other are a table, from the first that has two cells or more.
    The titles over a table are headings. Raises `LimitExceeded`.
    """
    columns = sorted({column for row in rows for column in row.cells})
    blocks = list(_blocks(rows))
    first = next((at for at, block in enumerate(blocks) if _titles(block) < len(block)), 0)
    for at, block in enumerate(blocks):
        lines.gap()
        above, table = block[: _titles(block)], block[_titles(block) :]
        titles = [row for row in above if (table or at < first) and is_title(*row.cells.values())]
        if at > first and not titles:
            lines.end(level=_TITLE)
        for row in above:
            if row in titles:
                _entitle(lines, row, level=_TITLE + min(titles.index(row), 3), sheet=sheet)
            else:
                _write(lines, row, columns, sheet)
        if table:
            _table(lines, table, columns, sheet)


def shown(value: str) -> str:
    """A cell's text on one line."""
    return " ".join(value.split())


def is_title(text: str) -> bool:
    """Whether a line over a table only says what stands below it: short, and no sentence."""
    return 0 < len(text) <= _SHORT and not _SAYS.search(text)


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


def _titles(block: Sequence[Row]) -> int:
    """How many rows of a single cell it begins with."""
    return next((at for at, row in enumerate(block) if len(row.cells) > 1), len(block))


def _entitle(lines: Lines, row: Row, *, level: int, sheet: str) -> None:
    ((column, text),) = row.cells.items()
    start, end = lines.title(text, level=level)
    cell = f"{letters(column)}{row.number}"
    lines.locate(Locator(start=start, end=end, sheet=sheet, cells=cell))


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
