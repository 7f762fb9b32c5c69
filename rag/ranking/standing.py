"""Which standing each source has on a day, and which of them a time state looks at first."""

from collections.abc import Iterable
from datetime import date

from rag.values import Pinned, Source, SourceStatus, TimeState

_WANTED = {
    TimeState.CURRENT: frozenset({SourceStatus.CURRENT}),
    TimeState.PROPOSED: frozenset({SourceStatus.CURRENT, SourceStatus.PROPOSED}),
    TimeState.HISTORICAL: frozenset({SourceStatus.CURRENT, SourceStatus.SUPERSEDED}),
    TimeState.COMPARE: frozenset(SourceStatus) - {SourceStatus.WITHDRAWN},
}


def wanted(pinned: Pinned, state: TimeState) -> bool:
    """Whether a source of this standing is searched before the soft filter is dropped."""
    return pinned.status in _WANTED[state]


def standings(sources: Iterable[Source], day: date) -> dict[str, SourceStatus]:
    """Each source's standing on ``day`` by its id.

    One that another replaces, which is in force by then, is superseded, and so is what it
    replaced in its turn.
    """
    by_id = {source.id: source for source in sources}
    found = {ident: source.standing_on(day) for ident, source in by_id.items()}
    for ident in [ident for ident, held in found.items() if held is SourceStatus.CURRENT]:
        seen = {ident}
        before = by_id[ident].supersedes
        while before in by_id and before not in seen:
            seen.add(before)
            if found[before] is SourceStatus.CURRENT:
                found[before] = SourceStatus.SUPERSEDED
            before = by_id[before].supersedes
    return found
