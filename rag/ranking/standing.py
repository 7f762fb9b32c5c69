"""Which standings of a source a question's time state looks at first."""

from rag.values import Pinned, SourceStatus, TimeState

_WANTED = {
    TimeState.CURRENT: frozenset({SourceStatus.CURRENT}),
    TimeState.PROPOSED: frozenset({SourceStatus.CURRENT, SourceStatus.PROPOSED}),
    TimeState.HISTORICAL: frozenset({SourceStatus.CURRENT, SourceStatus.SUPERSEDED}),
    TimeState.COMPARE: frozenset(SourceStatus) - {SourceStatus.WITHDRAWN},
}


def wanted(pinned: Pinned, state: TimeState) -> bool:
    """Whether a source of this standing is searched before the soft filter is dropped."""
    return pinned.status in _WANTED[state]
