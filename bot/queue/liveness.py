"""Which workers stand still: a live one counts on, and no clock but our own is asked.

A process that is stopped keeps its slot's lock, so the lock alone does not tell it
from one that works. Each worker raises its own number in the record every two
seconds; one whose number has stood for fifteen is taken to be lost. It may wake:
what it then still believes to be its own is fenced off by the tasks' leases.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

BEAT_SECONDS = 2.0
LOST_SECONDS = 15.0
STRANGER_SECONDS = 60.0
"""How long a name that is no slot of ours, and has no number, may begin and end no job.

Longer than an answer usually takes, and sooner than an asker is told of a delay.
"""

_LOOKS = 3  # we may have been stopped ourselves, or the record away: look again before judging


@dataclass
class _Seen:
    beats: int
    since: float
    looks: int = 0


class Pulse:
    """Looks at every worker's number, and remembers since when it has stood."""

    def __init__(
        self,
        *,
        lost_seconds: float = LOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lost = lost_seconds
        self._clock = clock
        self._seen: dict[str, _Seen] = {}

    def lost(self, beats: Mapping[str, int]) -> tuple[str, ...]:
        """The slots whose number has stood for too long."""
        now = self._clock()
        self._seen = {slot: seen for slot, seen in self._seen.items() if slot in beats}
        return tuple(slot for slot, number in beats.items() if self._stands(slot, number, now))

    def _stands(self, slot: str, number: int, now: float) -> bool:
        seen = self._seen.get(slot)
        if seen is None or seen.beats != number:
            self._seen[slot] = _Seen(beats=number, since=now)
            return False
        seen.looks += 1
        return seen.looks >= _LOOKS and now - seen.since >= self._lost
