"""A page's tables as lines, a row each."""

from collections.abc import Iterator, Sequence
from itertools import islice

from lxml import etree

from bot.loaders.grid import BETWEEN, are_names
from bot.loaders.html_walk import Skips, flat
from bot.loaders.lines import Lines
from bot.loaders.loaded import Part

_WIDEST = 100  # columns that one cell may take
_LONGEST = 1_000  # rows that one cell may take
_STRUCTURE = ("h1", "h2", "h3", "h4", "h5", "h6", "pre", "table")


def is_layout(table: etree._Element) -> bool:
    """Whether a table only arranges the page: it has a single column, or whole parts in a cell."""
    if table.get("role") in ("presentation", "none"):
        return True
    rows = list(islice(_rows(table), _LONGEST))
    if any(cell.tag == "th" for row in rows for cell in row):
        return False
    inside = next(islice(table.iter(*_STRUCTURE), 1, None), None)
    return inside is not None or all(len(row) < 2 for row in rows)


def write_table(table: etree._Element, lines: Lines, *, skips: Skips) -> None:
    """Write a table with its caption before it. Raises `LimitExceeded`."""
    lines.gap()
    captions = [flat(one, skips=skips) for one in table.iterchildren("caption") if not skips(one)]
    for caption in filter(None, captions):
        lines.add(caption)
    said = " ".join(filter(None, captions)) or _of_figure(table, skips)
    rows = [cells for cells in _grid(table, skips) if any(cells)]
    spans = [lines.add(_line(cells)) for cells in rows]
    if spans:
        head = _line(rows[0]) if len(rows) > 1 and are_names(rows[0]) else ""
        start, end = spans[0][0], spans[-1][1]
        lines.part(Part(start=start, end=end, kind="table", header=head, caption=said))
    lines.gap()


def _line(cells: Sequence[str]) -> str:
    last = max(at for at, cell in enumerate(cells) if cell)
    return BETWEEN.join(cells[: last + 1])


def _of_figure(table: etree._Element, skips: Skips) -> str:
    """What is said of a figure that holds a table."""
    figure = table.getparent()
    said = figure.find("figcaption") if figure is not None and figure.tag == "figure" else None
    return "" if said is None or skips(said) else flat(said, skips=skips)


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from child.iterchildren("tr")


def _grid(table: etree._Element, skips: Skips) -> Iterator[list[str]]:
    """Each seen row with its texts; a cell that spans others leaves these empty."""
    taken: dict[int, int] = {}  # column to the rows below that a cell above still fills
    for row in _rows(table):
        parent = row.getparent()
        if skips(row) or (parent is not None and parent is not table and skips(parent)):
            continue
        cells: list[str] = []
        below: dict[int, int] = {}
        for cell in row.iterchildren("td", "th"):
            while taken.get(len(cells)):
                cells.append("")
            at, wide = len(cells), _span(cell, "colspan", _WIDEST)
            cells += ["" if skips(cell) else flat(cell, skips=skips), *[""] * (wide - 1)]
            below |= dict.fromkeys(range(at, at + wide), _span(cell, "rowspan", _LONGEST) - 1)
        taken = {at: left - 1 for at, left in taken.items() if left > 1} | {
            at: left for at, left in below.items() if left
        }
        yield cells


def _span(cell: etree._Element, name: str, most: int) -> int:
    said = cell.get(name, "1").strip()
    return (
        min(max(int(said), 1), most) if said.isascii() and said.isdigit() and len(said) < 9 else 1
    )
