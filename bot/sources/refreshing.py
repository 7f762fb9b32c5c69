"""Sources looked at again, by a person's word or every so often, in one process at a time.

What is done is recorded source by source, so a refresh that was killed is gone on with by
the next, and ends as if it never had been.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from bot.background import told
from bot.errors import BotError, TurnTaken
from bot.sources.failing import keep_only
from bot.sources.folders import Folder
from bot.sources.importing import Importer
from bot.sources.steps import Count, Outcome, Step, batches, ended
from bot.sources.surveying import ROWS, Found, looked_for
from bot.turns import Turns
from rag.errors import FootnoteError
from rag.ports import Clock

log = logging.getLogger(__name__)

_LOOK_SECONDS = 30.0
_GONE = "its file is gone"


class Watched(Protocol):
    """Which folders are watched, and when each was last looked at."""

    async def folders(self, *, tenant: str) -> tuple[Folder, ...]: ...

    async def refreshed(self, *, tenant: str) -> dict[str, datetime]: ...

    async def note_refreshed(self, what: Sequence[str], *, tenant: str, at: datetime) -> None: ...


class KeptOut(Protocol):
    """Which removed sources stay away although their files are there."""

    async def kept_out(self, *, tenant: str) -> frozenset[str]: ...


@dataclass(frozen=True, kw_only=True)
class Refresher:
    """All that refreshing reads and writes."""

    importer: Importer
    watched: Watched
    graves: KeptOut
    turns: Turns
    now: Clock

    async def refresh(self, *, tenant: str) -> AsyncIterator[Step]:
        """Ingest what is new or changed among the tenant's sources, and remove what is gone.

        Raises `TurnTaken` while another process does so, and what importing raises.
        """
        async with self._turn(tenant):
            found = await self._found(tenant)
            count = Count(found.total)
            for done in found.told:
                yield count.step(done)
            for ident in found.gone:
                await self.importer.remove(tenant=tenant, source_id=ident, because=_GONE)
                yield count.step(ended(ident, Outcome.REMOVED, _GONE))
            await self.importer.search.shred(tenant=tenant)
            known = await self.importer.known(tenant)
            for files in batches(found.files):
                for done in await self.importer.bring(files, known):
                    yield count.step(done)
            for rows in batches(found.rows):
                for done in await self.importer.ingest(rows, known):
                    yield count.step(done)
            await self._forget_failures(found, tenant)
            await self.watched.note_refreshed(found.looked, tenant=tenant, at=self.now())

    async def due(self, *, tenant: str, every: timedelta, since: datetime) -> bool:
        """Whether something here was last refreshed ``every`` ago, or never, counted ``since``."""
        last = await self.watched.refreshed(tenant=tenant)
        roots = {folder.root for folder in await self.watched.folders(tenant=tenant)}
        here = await asyncio.to_thread(_here, roots)
        return any(self.now() - last.get(what, since) >= every for what in (*here, ROWS))

    async def _found(self, tenant: str) -> Found:
        sources = await self.importer.catalogue.list(tenant=tenant)
        watched = await self.watched.folders(tenant=tenant)
        kept_out = await self.graves.kept_out(tenant=tenant)
        return await asyncio.to_thread(looked_for, sources, watched, kept_out=kept_out)

    async def _forget_failures(self, found: Found, tenant: str) -> None:
        """Forget why files could not be read that are gone; not while a folder is away."""
        roots = {folder.root for folder in await self.watched.folders(tenant=tenant)}
        if roots <= set(found.looked):
            await keep_only(self.importer.failures, found.ids, tenant=tenant)

    @asynccontextmanager
    async def _turn(self, tenant: str) -> AsyncIterator[None]:
        with ExitStack() as stack:
            taken = self.turns.taken(f"refresh {tenant}")
            if not await asyncio.to_thread(stack.enter_context, taken):
                raise TurnTaken(f"the sources of {tenant} are being refreshed by another process")
            yield


def _here(roots: set[str]) -> list[str]:
    return [root for root in roots if Path(root).is_dir()]


async def keep_refreshing(
    refresher: Refresher,
    *,
    tenants: Callable[[], Awaitable[Sequence[str]]],
    every: timedelta,
    look_seconds: float = _LOOK_SECONDS,
) -> None:
    """Refresh what is due, for ever. What fails is tried again at the next look."""
    since = refresher.now()
    while True:
        await asyncio.sleep(min(look_seconds, every.total_seconds()))
        try:
            known = await tenants()
        except FootnoteError as error:
            log.warning("sources are refreshed later: %s", told(error))
            continue
        for tenant in known:
            await _once(refresher, tenant, every=every, since=since)


async def _once(refresher: Refresher, tenant: str, *, every: timedelta, since: datetime) -> None:
    """Refresh one tenant's sources where that is due; what fails keeps no other waiting."""
    try:
        if not await refresher.due(tenant=tenant, every=every, since=since):
            return
        counted = Counter([step.outcome async for step in refresher.refresh(tenant=tenant)])
    except TurnTaken:
        return
    except (BotError, FootnoteError, OSError) as error:
        log.warning("refreshing the sources of %s failed: %s", tenant, told(error))
        return
    log.info(
        "sources of %s refreshed: %s",
        tenant,
        ", ".join(f"{number} {outcome}" for outcome, number in sorted(counted.items())),
    )
