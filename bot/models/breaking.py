"""A provider that fails again and again is left alone for a while, whoever would ask it.

No library: those there are keep the state in one process, or let every waiting call through
at once when the while is over. Ours lies in the record, so that all processes and the doctor
see the same, and one call alone tries whether the provider is back.
"""

import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from rag.errors import (
    BudgetExceeded,
    FootnoteError,
    ReaderDeclined,
    ReaderUnavailable,
    StoreUnavailable,
)
from rag.ports import Model, Prompt
from rag.values import Value

log = logging.getLogger(__name__)

T = TypeVar("T", bound=Value)


class Outage(Value):
    """A provider whose last replies all failed.

    ``failures`` of them in a row; with ``again_at`` nobody asks it before then, and one
    call alone does then.
    """

    provider: str
    failures: int
    again_at: datetime | None = None


class Breaker(Protocol):
    """What is known of each provider, over all processes. Raises `StoreUnavailable`."""

    async def enter(self, provider: str) -> None:
        """Return where the provider may be asked; raise `ReaderExhausted` where it may not."""
        ...

    async def failed(self, provider: str) -> None:
        """It could not be reached, or had no reply to give."""
        ...

    async def worked(self, provider: str) -> None:
        """It was reached; what it failed at before is forgotten."""
        ...


@dataclass(frozen=True, kw_only=True)
class Breaking:
    """`rag.ports.Model`: asks ``inner`` unless its provider is left alone just now.

    A provider that was reached and replied anything at all is not failing: a reply that
    is cut off or of the wrong shape, a request it declines, may be one tenant's alone.
    """

    inner: Model
    provider: str
    breaker: Breaker

    @property
    def name(self) -> str:
        """The inner model's."""
        return self.inner.name

    async def reply(self, prompt: Prompt, shape: type[T]) -> T:
        """`rag.ports.Model`; raises `ReaderExhausted` at once while the provider is left alone."""
        await self.breaker.enter(self.provider)
        try:
            reply = await self.inner.reply(prompt, shape)
        except (BudgetExceeded, StoreUnavailable):
            raise  # the provider was not asked
        except FootnoteError as error:
            down = isinstance(error, ReaderUnavailable) and not isinstance(error, ReaderDeclined)
            await _kept((self.breaker.failed if down else self.breaker.worked)(self.provider))
            raise
        await _kept(self.breaker.worked(self.provider))
        return reply


async def _kept(keeping: Awaitable[None]) -> None:
    """A reply that is paid for, or why there is none, is not lost because this cannot be kept."""
    try:
        await keeping
    except StoreUnavailable as error:
        log.warning("what a provider did is not kept: %s", error)
