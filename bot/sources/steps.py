"""What becomes of sources that are brought in or looked at again, one step a source."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import TypeVar

from rag.values import Pinned, Source, Value

_BATCH = 48  # sources that become searchable in one commit

T = TypeVar("T")


class Outcome(StrEnum):
    """What became of one source."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    REMOVED = "removed"


class Step(Value):
    """One source is dealt with: ``done`` of ``total``. ``reason`` where there is one to give."""

    done: int
    total: int
    source_id: str
    outcome: Outcome
    reason: str = ""


class Done(Value):
    """What became of one source, and the snapshot that is its newest one by now."""

    source_id: str
    outcome: Outcome
    reason: str = ""
    snapshot: str = ""


def ended(source_id: str, outcome: Outcome, reason: str = "") -> Done:
    """A source whose version was not looked at."""
    return Done(source_id=source_id, outcome=outcome, reason=reason)


def pinned_as(pinned: Pinned, before: Source | None, changed: Collection[str]) -> Done:
    """What became of a source that is pinned by now; ``changed`` are ids of changed entries."""
    outcome = _outcome(pinned, before, changed)
    return Done(source_id=pinned.source_id, outcome=outcome, snapshot=pinned.snapshot)


def _outcome(pinned: Pinned, before: Source | None, changed: Collection[str]) -> Outcome:
    if before is None:
        return Outcome.ADDED
    same = pinned.snapshot == before.snapshot and pinned.source_id not in changed
    return Outcome.UNCHANGED if same else Outcome.CHANGED


class Count:
    """Numbers the steps of one run."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def step(self, done: Done) -> Step:
        """The next one."""
        self._done += 1
        return Step(
            done=self._done,
            total=self._total,
            source_id=done.source_id,
            outcome=done.outcome,
            reason=done.reason,
        )


def batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """As many at once as become searchable in one commit."""
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
