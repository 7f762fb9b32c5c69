"""A report with its citations numbered, and how much room its message has."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property

from handlers.blocks.rendered import Circumstances, Ids
from rag.errors import SnapshotTampered
from rag.values import Chunk, Citation, Claim, Evidence, Pinned, Report


@dataclass(frozen=True, kw_only=True)
class Cited:
    """One numbered citation. ``key`` is its (claim index, citation index) in the report."""

    number: int
    key: tuple[int, int]
    citation: Citation
    chunk: Chunk
    source: Pinned

    @property
    def preformatted(self) -> bool:
        """Whether the quote is code or a table, whose columns must keep their places."""
        rows = self.citation.quote.strip("\n").split("\n")
        table = len(rows) > 1 and all(row.lstrip().startswith("|") for row in rows)
        return table or self.chunk.content_type in {"code", "table"}


@dataclass(frozen=True, kw_only=True)
class Room:
    """How much of a report one message shows. None means all.

    ``quote`` is the longest quote in characters; the others count whole items.
    """

    quote: int | None = None
    citations: int | None = None
    claims: int | None = None
    limitations: int | None = None
    conflicts: int | None = None


@dataclass(frozen=True, kw_only=True)
class Scene:
    """All that rendering a report needs."""

    report: Report
    ids: Ids
    today: date
    shown: Circumstances
    folding: bool
    cited: tuple[Cited, ...]

    @property
    def language(self) -> str:
        """The report's language."""
        return self.report.language

    def numbers(self, claim: Claim) -> tuple[int, ...]:
        """The numbers of a claim's citations, in its own order."""
        return tuple(dict.fromkeys(self.of(citation).number for citation in claim.citations))

    def of(self, citation: Citation) -> Cited:
        """The numbered citation that shows the same span."""
        return self._by_span[_span(citation)]

    @cached_property
    def _by_span(self) -> dict[tuple[str, str, int, int], Cited]:
        return {_span(cited.citation): cited for cited in self.cited}


def _span(citation: Citation) -> tuple[str, str, int, int]:
    return (citation.source_id, citation.snapshot, citation.start, citation.end)


def numbered(report: Report) -> tuple[Cited, ...]:
    """The report's citations in reading order, each span once.

    Raises SnapshotTampered when a quote is not what its chunk holds at its offsets.
    """
    evidence = {item.chunk.id: item for item in report.evidence}
    found: dict[tuple[str, str, int, int], Cited] = {}
    for index, claim in enumerate(_claims(report)):
        for place, citation in enumerate(claim.citations):
            cited = _checked(evidence, citation, key=(index, place), number=len(found) + 1)
            found.setdefault(_span(citation), cited)
    return tuple(found.values())


def _claims(report: Report) -> tuple[Claim, ...]:
    """All claims, a conflict's sides too should they not stand among them."""
    sides = (side for conflict in report.answer.conflicts for side in conflict.sides)
    return tuple(dict.fromkeys((*report.answer.claims, *sides)))


def _checked(
    evidence: dict[str, Evidence], citation: Citation, *, key: tuple[int, int], number: int
) -> Cited:
    item = evidence.get(citation.chunk_id)
    if item is None:
        raise SnapshotTampered(f"citation of {citation.source_id} names no evidence")
    start, end = (place - item.chunk.start for place in (citation.start, citation.end))
    if start < 0 or item.chunk.text[start:end] != citation.quote:
        raise SnapshotTampered(f"quote of {citation.source_id} is not at its offsets")
    return Cited(number=number, key=key, citation=citation, chunk=item.chunk, source=item.source)
