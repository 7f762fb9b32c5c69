"""Passages under short names: what stands beside each, and which one a reply means."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from rag.errors import FormatInvalid
from rag.readers.evidence import standing
from rag.readers.llm.material import block, group
from rag.values import Evidence, Facet

Named = Mapping[str, Evidence]
"""Evidence by the name it has in one prompt (``c1``, ``c2`` …)."""


def named(evidence: Sequence[Evidence]) -> Named:
    return {f"c{number}": item for number, item in enumerate(evidence, 1)}


def shown(evidence: Named, day: date) -> str:
    """Each passage with its source's title, standing on ``day`` and dates."""
    return group("evidence", (_chunk(name, item, day) for name, item in evidence.items()))


def facets(asked: Sequence[Facet]) -> str:
    return group("facets", (block("facet", each.text, id=each.id) for each in asked))


def meant(evidence: Named, name: str) -> Evidence:
    """The passage a reply names. Raises `FormatInvalid` for a name that was not given."""
    item = evidence.get(name)
    if item is None:
        raise FormatInvalid("a chunk id was named that is not in the material")
    return item


def known(names: Sequence[str], asked: Sequence[Facet]) -> tuple[str, ...]:
    """The facets a reply names. Raises `FormatInvalid` for one that was not given."""
    if not set(names) <= {facet.id for facet in asked}:
        raise FormatInvalid("a facet id was named that is not in the material")
    return tuple(dict.fromkeys(names))


def answered(names: Sequence[str], asked: Sequence[Facet]) -> tuple[str, ...]:
    """As `known`, of what speaks to a facet: a lone facet needs no naming."""
    return (asked[0].id,) if len(asked) == 1 else known(names, asked)


def _chunk(name: str, item: Evidence, day: date) -> str:
    source, chunk = item.source, item.chunk
    return group(
        "chunk",
        (
            block("title", source.title),
            block("under", " › ".join(chunk.heading_path)) if chunk.heading_path else "",
            block("columns", chunk.table_header) if chunk.table_header else "",
            block("text", chunk.text),
        ),
        id=name,
        status=standing(item, day).value,
        effective_from=_day(source.effective_from),
        effective_until=_day(source.effective_until),
        updated=_day(source.updated_at),
    )


def _day(when: date | None) -> str:
    at = when.date() if isinstance(when, datetime) else when
    return at.isoformat() if at else ""
