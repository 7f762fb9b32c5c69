"""What becomes of sources that are brought in or looked at again, one step a source."""

from enum import StrEnum

from rag.values import Value


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
