"""What brings sources into a world's record and search, and looks at them again."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial

from bot.backup.archive import is_sqlite
from bot.guarding import forget_contexts
from bot.models.servers import EXTRACTIVE
from bot.readers import open_model
from bot.settings import Settings
from bot.sources.enriching import Enricher, keep_enriching, nothing_found
from bot.sources.importing import Importer
from bot.sources.refreshing import Refresher, keep_refreshing
from bot.turns import FileTurns, SessionTurns, Turns
from bot.wiring import World, now


def importer(world: World) -> Importer:
    """Brings sources into this world's record and search."""

    async def resolve(tenant: str, reader: str) -> str:
        return await world.rooms.reader(tenant=tenant, text=reader)

    return Importer(
        catalogue=world.catalogue,
        intake=world.intake,
        files=world.quarantine,
        search=world.index,
        origins=world.origins,
        failures=world.failures,
        resolve=resolve,
        limits=world.settings.limits,
        forget=partial(forget_contexts, world.settings),
    )


def refresher(world: World) -> Refresher:
    """Looks at this world's sources again, while no other process does."""
    return Refresher(
        importer=importer(world),
        watched=world.origins,
        graves=world.catalogue,
        turns=_turns(world.settings),
        now=now,
    )


@asynccontextmanager
async def enricher(world: World) -> AsyncIterator[Enricher]:
    """Enriches this world's sources, with the model that is set where one is to be asked.

    Raises `SettingsInvalid`.
    """
    settings = world.settings
    async with AsyncExitStack() as stack:
        model = None
        if settings.enrich_with_model and settings.reader != EXTRACTIVE:
            opening = open_model(settings, count_tokens=world.count_tokens, ledger=world.spending)
            model = await stack.enter_async_context(opening)
        yield Enricher(
            sources=world.catalogue,
            kept=world.enrichments,
            chunks=world.chunks,
            search=world.index,
            find=world.intake.find,
            model=model,
            turns=_turns(settings),
        )


def _turns(settings: Settings) -> Turns:
    if is_sqlite(settings):
        return FileTurns(settings.home / "turns")
    return SessionTurns(settings.record_url)


def refreshing(world: World) -> Callable[[], Awaitable[None]]:
    """Refreshes every tenant's sources as often as is set, and enriches them, for ever."""
    every = timedelta(seconds=world.settings.refresh_seconds)

    async def refresh() -> None:
        if every:
            await keep_refreshing(refresher(world), tenants=world.tenants.list, every=every)

    async def enrich() -> None:
        if world.settings.enrich_with_model:
            async with enricher(world) as opened:
                enriching = replace(opened, find=nothing_found, again=False)
                await keep_enriching(enriching, tenants=world.tenants.list)

    async def keep() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(refresh())
            group.create_task(enrich())
            await asyncio.Event().wait()

    return keep
