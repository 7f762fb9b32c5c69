"""Which errors are worth another try, and after how long: one table for jobs, one for stages.

An error that stands in no row is permanent: it is shown at once.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from bot.errors import SlackRefused, SlackUnavailable
from bot.slack.pacing import RATE_LIMITED
from rag.errors import (
    ContextUnavailable,
    DeliveryError,
    IndexUnavailable,
    ReaderDeclined,
    ReaderExhausted,
    ReaderUnavailable,
    StoreUnavailable,
    Undeliverable,
)

_EASED = 0.5  # a pause is between this share of its length and the whole


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Pauses that double from ``first`` to ``longest`` seconds, with jitter.

    ``tries`` more are made, within ``seconds`` of the first failure.
    """

    first: float
    longest: float
    tries: float = math.inf
    seconds: float = math.inf


Table = tuple[tuple[type[Exception], Patience | None], ...]
"""The first row whose kind an error is decides; None is "not again"."""

JOB: Table = (
    (StoreUnavailable, Patience(first=0.5, longest=15.0)),  # what is acknowledged is never dropped
    (SlackUnavailable, Patience(first=0.5, longest=30.0, seconds=3600.0)),
)
"""For a whole job, which may be done again from its beginning."""

STAGE: Table = (
    (Undeliverable, None),
    (ReaderDeclined, None),
    (ReaderExhausted, None),
    (ReaderUnavailable, Patience(first=1.0, longest=8.0, tries=2)),
    (ContextUnavailable, Patience(first=0.5, longest=2.0)),
    (IndexUnavailable, Patience(first=0.5, longest=2.0)),
    (StoreUnavailable, Patience(first=0.5, longest=2.0)),
    (DeliveryError, Patience(first=1.0, longest=4.0)),
)
"""For a task, whose finished stages stay; its own time bounds every row."""


class Retries:
    """What is left of the patience with one piece of work."""

    def __init__(
        self,
        table: Table,
        *,
        clock: Callable[[], float] = time.monotonic,
        spread: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._table = table
        self._clock = clock
        self._spread = spread
        self._tries: Counter[type[Exception]] = Counter()
        self._since: dict[type[Exception], float] = {}

    def pause(self, error: Exception) -> float | None:
        """Seconds to wait before the next try; None when there is to be none."""
        kind, patience = self._row(error)
        if patience is None:
            return None
        now = self._clock()
        since = self._since.setdefault(kind, now)
        self._tries[kind] += 1
        if self._tries[kind] > patience.tries or now - since > patience.seconds:
            return None
        whole = min(patience.longest, patience.first * 2 ** min(self._tries[kind] - 1, 16))
        return self._spread(whole * _EASED, whole)

    def _row(self, error: Exception) -> tuple[type[Exception], Patience | None]:
        if isinstance(error, SlackRefused) and error.code != RATE_LIMITED:
            return SlackRefused, None
        for kind, patience in self._table:
            if isinstance(error, kind):
                return kind, patience
        return type(error), None
