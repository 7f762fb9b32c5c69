"""Which faults a seed brings, and when each call meets one. Every fault that happens is noted."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.faults.history import Event, Fault

PER_CALL: dict[str, float] = {
    "slack post: 429": 0.10,
    "slack post: 500": 0.10,
    "slack post: timeout": 0.06,
    "slack post: cut after accept": 0.12,
    "slack post: slow": 0.10,
    "slack post: html": 0.08,
    "slack post: fatal_error": 0.08,
    "slack update: 429": 0.06,
    "slack update: 500": 0.06,
    "slack update: timeout": 0.04,
    "slack update: cut after accept": 0.08,
    "slack update: html": 0.04,
    "slack look-up: 429": 0.01,
    "slack look-up: 500": 0.01,
    "slack look-up: timeout": 0.005,
    "slack search: 500": 0.20,
    "redis: flush": 0.10,
    "redis: wrong value": 0.15,
    "database: locked": 0.004,
    "database: commit unheard": 0.004,
    "database: insert refused": 0.06,
    "database: insert unheard": 0.06,
    "reader: raises": 0.06,
    "reader: times out": 0.03,
    "reader: says nothing usable": 0.03,
    "source: unreadable": 0.01,
    "event: delivered again": 0.25,
    "event: acknowledgement lost": 0.10,
    "event: lost on the way": 0.10,
    "event: late": 0.15,
}
"""Faults of single calls with the chance that one call meets them, in a seed that has them."""

TIMED = (
    "worker: killed",
    "worker: killed twice",
    "worker: frozen past its lease",
    "web: killed",
    "job: kills its worker every time",
    "redis: down",
    "redis: black hole",
    "database: down",
    "database: disk full",
    "slack: down",
    "clock: back 10 minutes",
    "clock: ahead 10 minutes",
    "rights: member joins",
    "rights: reader revoked",
    "rights: user deactivated",
    "rights: user becomes a guest",
    "place: channel archived",
    "place: bot removed",
    "source: changed",
)
"""Faults that begin at some instant; those with a duration end by themselves."""

ASKED = (
    "event: twin",
    "event: edited",
    "event: edit before its message",
    "event: deleted at once",
    "event: deleted while worked on",
    "event: deleted after",
    "event: taken back",
    "clarification: answered twice",
    "clarification: answered late",
    "clarification: answered by another",
)
"""What people do that upsets the order of things; they do it in every seed."""

KINDS = (*PER_CALL, *TIMED, *ASKED)


@dataclass
class Weather:
    """The faults of one run. ``calm`` ends them: what is broken heals and nothing new breaks."""

    rng: random.Random
    at: Callable[[], float]
    history: list[Event]
    kinds: frozenset[str]
    calm: bool = False
    until: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, rng: random.Random, at: Callable[[], float], history: list[Event]) -> "Weather":
        """A third of all kinds, chosen by ``rng``."""
        chosen = rng.sample(sorted({*PER_CALL, *TIMED}), k=(len(PER_CALL) + len(TIMED)) // 3)
        return cls(rng=rng, at=at, history=history, kinds=frozenset(chosen))

    def strikes(self, name: str, where: str = "") -> bool:
        """Whether this call meets that fault."""
        if self.calm or name not in self.kinds or self.rng.random() >= PER_CALL[name]:
            return False
        self.note(name, where)
        return True

    def note(self, name: str, where: str = "") -> None:
        self.history.append(Fault(at=self.at(), name=name, where=where))

    def begin(self, name: str, seconds: float, where: str = "") -> None:
        """Let something be broken for a while."""
        self.note(name, where)
        self.until[name] = self.at() + seconds

    def lasts(self, name: str) -> bool:
        """Whether it is broken now."""
        return not self.calm and self.at() < self.until.get(name, 0.0)
