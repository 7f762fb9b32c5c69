"""Rows of a database as text, each with its key as its place, and back from what was recorded."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from bot.errors import TableUnreadable
from bot.loaders.grid import BETWEEN, shown
from bot.loaders.loaded import Caution, Heading, Loaded, Part
from bot.tables.queries import TableQuery
from rag.text.chunk.outline import outline
from rag.values import Chunk, Locator

_KEYS = (str, int, UUID, Decimal, date)


def key_of(value: Any) -> str:
    """A row's key as people see it. Raises `TableUnreadable` for what can be no key."""
    if not isinstance(value, _KEYS) or isinstance(value, bool):
        raise TableUnreadable("its key is neither text nor a number")
    return shown(cell(value))


def cell(value: Any) -> str:
    """A value as text; what is no text, such as a picture, is left out."""
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if value is None or isinstance(value, bytes | bytearray | memoryview):
        return ""
    return str(value).replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def row_text(table: TableQuery, row: Mapping[str, Any]) -> str:
    """All that stands of a row: a line of cells, or its title and its text."""
    told = columns(table, row)
    if not table.text:
        cells = [shown(cell(row[name])) for name in told]
        while len(cells) > 1 and not cells[-1]:
            cells.pop()
        return BETWEEN.join(cells) or key_of(row[table.key])
    title = shown(cell(row[table.title])) if table.title else ""
    facts = [f"{name}: {value}" for name in told if (value := shown(cell(row[name])))]
    body = "\n".join(cell(row[table.text]).splitlines()).strip()
    parts = [title or key_of(row[table.key]), "\n".join(facts), body]
    return "\n\n".join(part for part in parts if part)


def columns(table: TableQuery, row: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the columns that are shown as cells or beside a row's text."""
    apart = {table.version, table.title, table.text, table.key} if table.text else {table.version}
    return tuple(name for name in row if name not in apart)


def laid_out(rows: Mapping[str, str], *, header: str, cut_short: bool) -> Loaded:
    """The rows by their keys, in one order whichever way they were read.

    ``header`` is that of a table; without one each row is a text below its title.
    """
    pieces, locators = ([f"{header}\n"] if header else []), []
    at = sum(map(len, pieces))
    for key in sorted(rows, key=_order):
        text = rows[key]
        locators.append(Locator(start=at, end=at + len(text), row=key))
        pieces.append(f"{text}\n" if header else f"{text}\n\n")
        at += len(pieces[-1])
    return Loaded(
        format="table" if header else "rows",
        text="".join(pieces),
        locators=tuple(locators),
        headings=() if header else tuple(_headings(rows, locators)),
        parts=(Part(start=0, end=at, kind="table", header=header),)
        if header
        else tuple(_parts(rows, locators)),
        cautions=(Caution.CUT_SHORT,) if cut_short else (),
    )


def recorded(text: str, chunks: Iterable[Chunk]) -> dict[str, str]:
    """The rows of a snapshot by their keys."""
    places = {place for chunk in chunks for place in chunk.locators}
    return {place.row: text[place.start : place.end] for place in places}


def _order(key: str) -> tuple[int, int, str]:
    """Numbers by their size, before all else."""
    number = key.isascii() and key.isdigit() and len(key) <= 30
    return (0, int(key), key) if number else (1, 0, key)


def _headings(rows: Mapping[str, str], places: Iterable[Locator]) -> Iterable[Heading]:
    for place in places:
        title = rows[place.row].partition("\n")[0]
        yield Heading(start=place.start, end=place.start + len(title), level=1)


def _parts(rows: Mapping[str, str], places: Iterable[Locator]) -> Iterable[Part]:
    """Tables and code in texts that are Markdown."""
    for place in places:
        for block in outline(rows[place.row]).whole:
            start, end = block.start + place.start, block.end + place.start
            yield Part(start=start, end=end, kind=block.kind, header=block.header)
