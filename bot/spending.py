"""What asking a model costs, as whoever asks it tells it.

`bot.storage.spending.SqlSpending` is the adapter.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from rag.ports import Prompt


@dataclass
class Tally:
    """What one call has cost so far, in tokens; the caller puts in what the server says."""

    tokens_in: int
    tokens_out: int = 0


class Ledger(Protocol):
    """Told of each request to a provider before it is sent, and of how it ended."""

    def trying(
        self, prompt: Prompt, *, model: str, attempt: int, tokens: int
    ) -> AbstractAsyncContextManager[Tally]:
        """One request, as long as it lasts; its end is kept however it ends.

        ``attempt`` counts the tries of one reply from 1. ``tokens`` is what the prompt is
        counted to be, which holds until the server says better. Before anything is sent
        it raises `BudgetExceeded` (the tenant's day is used up), `StoreUnavailable`.
        """
        ...


class Unkept:
    """A ledger that keeps nothing and allows everything."""

    @asynccontextmanager
    async def trying(
        self, prompt: Prompt, *, model: str, attempt: int, tokens: int
    ) -> AsyncIterator[Tally]:
        """`Ledger`."""
        yield Tally(tokens_in=tokens)
