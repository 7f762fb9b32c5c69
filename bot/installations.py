"""The parts of every installation that is kept, made when it is first seen, and kept up to date.

One process speaks for all of them. Their jobs wait in lines that they share, so that no
number of installations makes the database be asked more often.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from bot.errors import SlackUnavailable
from bot.metering import OutcomeMeter
from bot.parts import Parts, Record
from bot.queue.durable import Queue
from bot.slack.installed import Installation, Installations, Installed
from handlers.deps import Address
from rag.errors import StoreUnavailable

log = logging.getLogger(__name__)

REFRESH_SECONDS = 2.0

_GONE = "not_installed"

Make = Callable[[Installed], AbstractAsyncContextManager[Parts]]
"""Opens the parts of one installation."""


class Everyone:
    """`bot.parts.Workspaces` of all installations. Belongs to one event loop.

    Parts once handed out stay good: when the token changes they speak with the new one,
    and while the installation is paused they send nothing.
    """

    def __init__(
        self, kept: Installations, make: Make, *, queue: Queue, record: Record, meter: OutcomeMeter
    ) -> None:
        self.queue = queue
        self.record = record
        self.meter = meter
        self._kept = kept
        self._make = make
        self._known: dict[str, tuple[Installed, Parts]] = {}
        self._gone: dict[str, tuple[Installed, Parts]] = {}
        self._opened = AsyncExitStack()
        self._turn = asyncio.Lock()

    def all(self) -> Sequence[Parts]:
        """Those that were kept when we last looked."""
        return [parts for _, parts in self._known.values()]

    async def at(self, address: Address) -> Parts | None:
        """The parts of that installation, looked for now where it is not known to run."""
        homes = (address.team_id, address.enterprise_id)
        known = [self._known[home] for home in homes if home in self._known]
        for kept, parts in known:
            if not kept.paused:
                return parts
        found = await self._kept.get(team_id=homes[0], enterprise_id=homes[1])
        return await self._taken(found) if found is not None else None

    async def refresh(self) -> None:
        """Take over what has changed since. Raises `StoreUnavailable`."""
        kept = {one.installation.home: one for one in await self._kept.all()}
        for home in self._known.keys() - kept.keys():
            self._gone[home] = self._known.pop(home)
            self._gone[home][1].client.hold(_GONE)
            log.warning("the installation of %s is gone", home)
        for one in kept.values():
            await self._taken(one)

    async def _taken(self, kept: Installed) -> Parts:
        """Its parts as it is kept now; what comes late changes nothing."""
        home = kept.installation.home
        async with self._turn:
            known = self._known.get(home)
            if known is not None and known[0].revision >= kept.revision:
                return known[1]
            before = known or self._gone.pop(home, None)
            self._known[home] = kept, await self._parts(kept, before)
            return self._known[home][1]

    async def _parts(self, kept: Installed, before: tuple[Installed, Parts] | None) -> Parts:
        """Those from before, or new ones where it is another bot or another tenant's now."""
        if before is not None:
            _speak(before[1], kept)  # jobs that run go on with them
            if _who(before[0]) == _who(kept):
                return before[1]
        parts = await self._opened.enter_async_context(self._make(kept))
        _speak(parts, kept)
        return parts

    async def close(self) -> None:
        """Close the parts of all, those that were replaced too."""
        await self._opened.aclose()


def _who(kept: Installed) -> tuple[str, Installation]:
    return kept.tenant, kept.installation


def _speak(parts: Parts, kept: Installed) -> None:
    if kept.paused:
        log.warning("the installation of %s is paused: %s", kept.installation.home, kept.paused)
        parts.client.hold(kept.paused)
    else:
        parts.client.take(kept.bot_token.get_secret_value())


@asynccontextmanager
async def kept_up(everyone: Everyone, *, seconds: float = REFRESH_SECONDS) -> AsyncIterator[None]:
    """Look for changes for the length of the block; entered once all there are have been taken."""
    await everyone.refresh()
    looking = asyncio.create_task(_keep_up(everyone, seconds))
    try:
        yield
    finally:
        looking.cancel()
        await everyone.close()


async def _keep_up(everyone: Everyone, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await everyone.refresh()
        except (StoreUnavailable, SlackUnavailable) as error:
            log.warning("installations could not be looked up: %s", type(error).__name__)
