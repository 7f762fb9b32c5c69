"""What asking a model costs, as whoever asks it tells it.

`bot.storage.spending.SqlSpending` is the adapter.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from rag.errors import FootnoteError
from rag.ports import Prompt
from rag.values import Value

_MILLION = 1_000_000


class SpentDay(Value):
    """What a tenant spent on one model on one day of UTC; ``day`` is an ISO date.

    ``price`` is None where it is not known for every request.
    """

    day: str
    model: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    price: float | None


async def _not_kept(_reply: Sequence[str]) -> None:
    """Nobody keeps replies."""


@dataclass
class Tally:
    """What one call has cost so far, in tokens; the caller puts in what the server says.

    ``keep`` is called with the texts of a reply that finished normally as soon as it is
    there, before anybody judges it. Once it has returned, `Ledger.heard` finds the reply,
    whatever becomes of this process. It never fails for want of a record.
    """

    tokens_in: int
    tokens_out: int = 0
    keep: Callable[[Sequence[str]], Awaitable[None]] = _not_kept


class Price(Value):
    """What a million tokens of a model cost, in whatever currency the operator counts."""

    tokens_in: float
    tokens_out: float

    def of(self, tally: Tally) -> float:
        """The price of one call."""
        spent = tally.tokens_in * self.tokens_in + tally.tokens_out * self.tokens_out
        return spent / _MILLION


def parse_prices(text: str) -> dict[str, Price]:
    """Prices by model from ``model=in/out, …``. Raises `ValueError` where it is not that."""
    prices = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        model, _, both = entry.rpartition("=")
        tokens_in, _, tokens_out = both.partition("/")
        prices[model] = Price(tokens_in=float(tokens_in), tokens_out=float(tokens_out))
    return prices


class TryFailed(Exception):
    """What ends one request in a ledger's block; ``told`` is what it means to the asker."""

    def __init__(self, told: FootnoteError) -> None:
        super().__init__(str(told))
        self.told = told


class Ledger(Protocol):
    """Told of each request to a provider before it is sent, and of how it ended."""

    def trying(
        self, prompt: Prompt, *, model: str, attempt: int, tokens: int, digest: str = ""
    ) -> AbstractAsyncContextManager[Tally]:
        """One request, as long as it lasts; its end is kept however it ends.

        A `FootnoteError` or a `TryFailed` says how it failed.

        ``attempt`` counts the tries of one reply from 1. ``tokens`` is what the prompt is
        counted to be, which holds until the server says better. ``digest`` stands for all
        that the reply may depend on; without one no reply is kept. Before anything is
        sent it raises `DayUsedUp`, `StoreUnavailable`.
        """
        ...

    async def heard(self, prompt: Prompt, *, digest: str) -> tuple[str, ...] | None:
        """The texts of the reply that this task has had to this very request, in this stage.

        Raises `StoreUnavailable`, `CheckpointTampered`.
        """
        ...

    async def remembered(self, prompt: Prompt, *, model: str) -> None:
        """A kept reply stood in for a request. Raises `StoreUnavailable`."""
        ...


class Unkept:
    """A ledger that keeps nothing and allows everything."""

    @asynccontextmanager
    async def trying(
        self, prompt: Prompt, *, model: str, attempt: int, tokens: int, digest: str = ""
    ) -> AsyncIterator[Tally]:
        """`Ledger`."""
        yield Tally(tokens_in=tokens)

    async def heard(self, prompt: Prompt, *, digest: str) -> tuple[str, ...] | None:
        """`Ledger`."""
        return None

    async def remembered(self, prompt: Prompt, *, model: str) -> None:
        """`Ledger`."""
