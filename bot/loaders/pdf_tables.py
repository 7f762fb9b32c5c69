"""Rows of tables among the lines of a page, told by columns that stand below each other."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from bot.loaders.pdf_line import Cell, Line

_FEWEST = 3  # rows that make a column evident
_FAR = 3.5  # of the size; a wider space ends a table
_PROSE = 25  # characters; columns whose cells are mostly longer hold running text


class Column(NamedTuple):
    """A stretch across the page that holds one cell of each row at most."""

    left: float
    right: float


def with_tables(lines: Sequence[Line]) -> list[Line]:
    """The same lines; rows of a table have a cell a column, and the table's number."""
    done: list[Line] = []
    number = max((line.table for line in lines), default=0)
    for region in _regions(lines):
        columns = _columns(region)
        if not columns:
            done += region
        elif _is_prose(region):
            done += _columns_apart(region, columns)
        else:
            number += 1
            done += [_row(line, columns, number) for line in region]
    return done


def _regions(lines: Sequence[Line]) -> list[list[Line]]:
    """Stretches of lines with several cells each; each other line is one by itself."""
    regions: list[list[Line]] = []
    for line in lines:
        if regions and _continues(regions[-1][-1], line):
            regions[-1].append(line)
        else:
            regions.append([line])
    return regions


def _continues(last: Line, line: Line) -> bool:
    if last.table or line.table or last.block != line.block:
        return False
    if len(last.cells) < 2 or len(line.cells) < 2:
        return False
    return abs(last.base - line.base) <= _FAR * max(last.size, line.size)


def _columns(lines: Sequence[Line]) -> list[Column]:
    """The columns of a table; none where they are not evident."""
    if len(lines) < _FEWEST:
        return []
    cells = sorted((cell.box[0], cell.box[2]) for line in lines for cell in line.cells)
    columns: list[Column] = []
    for left, right in cells:
        if columns and left < columns[-1].right:
            columns[-1] = Column(columns[-1].left, max(columns[-1].right, right))
        else:
            columns.append(Column(left, right))
    clear = all(len(_places(line, columns)) == len(line.cells) for line in lines)
    return columns if clear and len(columns) > 1 else []


def _places(line: Line, columns: Sequence[Column]) -> dict[int, Cell]:
    """The cells of a row by the number of their column."""
    places: dict[int, Cell] = {}
    for cell in line.cells:
        middle = (cell.box[0] + cell.box[2]) / 2
        for number, column in enumerate(columns):
            if column.left <= middle <= column.right:
                places[number] = cell
    return places


def _row(line: Line, columns: Sequence[Column], number: int) -> Line:
    places = _places(line, columns)
    empty = Cell("", line.box, 0.0)
    cells = tuple(places.get(place, empty) for place in range(len(columns)))
    return line._replace(cells=cells, table=number)


def _is_prose(lines: Sequence[Line]) -> bool:
    """Whether it is running text in columns, drawn line by line across them."""
    return median(len(cell.text) for line in lines for cell in line.cells) >= _PROSE


def _columns_apart(lines: Sequence[Line], columns: Sequence[Column]) -> list[Line]:
    apart: list[Line] = []
    for number in range(len(columns)):
        for line in lines:
            cell = _places(line, columns).get(number)
            if cell is not None:
                apart.append(line._replace(cells=(cell,), box=cell.box))
    return apart
