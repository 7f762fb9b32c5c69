"""Sources, their snapshots and the chunks cut from them."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime, Field, model_validator

from rag.values.base import Value


class Kind(StrEnum):
    """Where a source is read from."""

    DOCUMENT = "document"
    EXTERNAL = "external"
    INTERNAL = "internal"


class SourceStatus(StrEnum):
    """Standing of a source in its catalogue."""

    CURRENT = "current"
    PROPOSED = "proposed"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


class Source(Value):
    """One catalogue entry. ``ref`` is a path, a row id or a knowledge key by ``kind``.

    ``snapshot`` is the SHA-256 of the newest ingested version, None before the
    first; ``updated_at`` when that version was ingested.
    """

    id: str = Field(min_length=1, max_length=300)
    tenant: str
    title: str
    kind: Kind
    ref: str
    readers: tuple[str, ...] = ()
    owner: str = ""
    status: SourceStatus = SourceStatus.CURRENT
    effective_from: date | None = None
    effective_until: date | None = None
    supersedes: str | None = None
    review_by: date | None = None
    collection: str = "default"
    importance: float = 1.0
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = Field(default_factory=dict)
    language: str = ""
    snapshot: str | None = None
    updated_at: AwareDatetime | None = None

    def standing_on(self, day: date) -> SourceStatus:
        """The status that holds on ``day``, its effective dates taken into account."""
        if self.status is not SourceStatus.CURRENT:
            return self.status
        if self.effective_from and day < self.effective_from:
            return SourceStatus.PROPOSED
        if self.effective_until and day > self.effective_until:
            return SourceStatus.SUPERSEDED
        return SourceStatus.CURRENT

    def pinned_at(self, snapshot: str, updated_at: datetime | None = None) -> "Pinned":
        """The source held to ``snapshot``, which was ingested at ``updated_at``."""
        shared = {name: getattr(self, name) for name in Pinned.model_fields if hasattr(self, name)}
        changes = {"source_id": self.id, "snapshot": snapshot, "updated_at": updated_at}
        return Pinned(**{**shared, **changes})


class Pinned(Value):
    """A source held to one snapshot for the length of a task.

    ``status`` is its standing on the day that the question is about. ``upcoming``: it counts
    as proposed only because the day from which it is in force is still to come.
    """

    source_id: str
    tenant: str
    title: str
    kind: Kind
    ref: str
    snapshot: str
    status: SourceStatus
    upcoming: bool = False
    owner: str = ""
    effective_from: date | None = None
    effective_until: date | None = None
    review_by: date | None = None
    importance: float = 1.0
    tags: tuple[str, ...] = ()
    language: str = ""
    updated_at: AwareDatetime | None = None


class Locator(Value):
    """Where characters ``start:end`` of a snapshot stand in the original.

    ``page`` and ``slide`` count from 1; ``cells`` is a range of ``sheet`` as a spreadsheet
    writes it, ``A3:D3``; ``row`` is a row's key in an external table. ``heading_path`` leads
    to what stands in a document that counts neither pages nor lines. ``recognised``: the
    characters were recognised in a picture, and may differ from it.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = None
    slide: int | None = None
    sheet: str = ""
    cells: str = ""
    row: str = ""
    heading_path: tuple[str, ...] = ()
    recognised: bool = False


def locator_at(locators: Sequence[Locator], start: int, end: int) -> Locator | None:
    """Where a quote ``start:end`` stands: the first of ``locators`` it shares a character with.

    None where it stands nowhere. ``locators`` are sorted and lie apart.
    """
    first = bisect_right(locators, start, key=lambda locator: locator.end)
    found = locators[first : first + 1]
    return found[0] if found and found[0].start < end else None


def place_of(locators: Sequence[Locator], start: int, end: int) -> tuple[Locator, Locator] | None:
    """Where a quote ``start:end`` begins and where it ends; None where it stands nowhere.

    The cells of the first are all cells of its sheet that the quote reaches into.
    ``locators`` are sorted and lie apart.
    """
    first = locator_at(locators, start, end)
    if first is None:
        return None
    last = locators[bisect_left(locators, end, key=lambda locator: locator.start) - 1]
    if first.sheet != last.sheet or not (first.cells and last.cells):
        return first, last
    return first.model_copy(update={"cells": cells_between(first.cells, last.cells)}), last


def cells_between(first: str, last: str) -> str:
    """The range of cells from the beginning of one range to the end of a later one."""
    if first == last:
        return first
    return f"{first.partition(':')[0]}:{last.rpartition(':')[2]}"


class Chunk(Value):
    """A stretch of a snapshot. ``text == snapshot_text[start:end]`` in characters.

    ``lines`` are the first and last line, counted from 1; ``page`` where the
    format has pages. ``heading_path`` and ``title`` serve search and display and
    never a quote. ``headings`` are spans inside the snapshot (absolute character
    offsets) that no quote may touch: headings and front matter. ``locators`` are
    those of the snapshot that share a character with the chunk, in order.
    ``table_header`` is the header of the table it is a part of, for search and
    display alone, as the title is. ``leads`` are questions that it answers and that
    stand elsewhere, for search alone. ``caption`` is what is said beside the table or the
    image that it is, for search.
    """

    id: str
    source_id: str
    snapshot: str
    title: str
    ordinal: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    lines: tuple[int, int]
    page: int | None = None
    heading_path: tuple[str, ...] = ()
    headings: tuple[tuple[int, int], ...] = ()
    locators: tuple[Locator, ...] = ()
    table_header: str = ""
    leads: tuple[str, ...] = ()
    caption: str = ""
    content_type: str = "text"
    text: str

    @property
    def above(self) -> str:
        """What stands over the text, for search and readers: title, headings, header, caption."""
        caption = "" if self.caption in self.text else self.caption
        over = (self.title, *self.heading_path, self.table_header, caption)
        return " ".join(part for part in over if part)

    def lines_of(self, start: int, end: int) -> tuple[int, int]:
        """The first and last line of characters ``start:end`` of the snapshot, from 1."""
        quote = self.text[start - self.start : end - self.start]
        first = self.lines[0] + self.text.count("\n", 0, start - self.start)
        return first, first + quote.rstrip("\n").count("\n")

    @property
    def searched_above(self) -> str:
        """What search looks at beside the text itself."""
        return " ".join((self.above, *self.leads))

    @classmethod
    def kept(cls, document: str) -> "Chunk":
        """From the JSON it was kept as; what only a newer version knows of it is left out.

        Raises `ValidationError`.
        """
        return cls.model_validate_json(document, extra="ignore")

    @model_validator(mode="after")
    def _text_fills_its_offsets(self) -> "Chunk":
        if self.end - self.start != len(self.text):
            raise ValueError("a chunk's text must be exactly as long as its offsets say")
        return self
