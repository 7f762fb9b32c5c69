"""What stands round each model: a memory of replies, and a breaker for its provider."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime

from redis.asyncio import Redis

from bot.background import told
from bot.doctor import Finding
from bot.engines.private_redis import private_redis
from bot.engines.redis_context import RedisContext, connect
from bot.engines.redis_replies import RedisReplies
from bot.errors import ProcessFailed
from bot.models.breaking import Breaking, Outage
from bot.models.remembering import Remembering
from bot.models.servers import EXTRACTIVE, NamedModel
from bot.models.spending import Ledger
from bot.readers import Wrap
from bot.settings import Settings
from bot.storage import migrate
from bot.storage.breaker import SqlBreaker
from bot.storage.database import Database
from bot.storage.rows import utc_now
from rag.errors import ContextUnavailable, StoreUnavailable
from rag.ports import Model, WorkingContext

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_redis(settings: Settings) -> AsyncIterator[Redis]:
    """A client of the Redis that is named, or of a private one."""
    async with AsyncExitStack() as stack:
        url = settings.redis_url.get_secret_value()
        if not url:
            url = await stack.enter_async_context(private_redis(settings.home / "redis"))
        client = connect(url)
        stack.push_async_callback(client.aclose)
        yield client


@asynccontextmanager
async def working_context(settings: Settings) -> AsyncIterator[WorkingContext]:
    """The working context in the Redis that is named, or in a private one."""
    async with open_redis(settings) as client:
        yield RedisContext(client, ttl_seconds=settings.context_ttl_seconds)


async def forget_contexts(settings: Settings, tasks: Sequence[str]) -> None:
    """Delete these tasks' working contexts; where Redis is away, they go when they expire."""
    if not tasks:
        return
    try:
        async with open_redis(settings) as client:
            context = RedisContext(client, ttl_seconds=settings.context_ttl_seconds)
            for task in tasks:
                await context.forget(task)
    except (ContextUnavailable, ProcessFailed) as error:
        log.warning("%d working contexts stay until they expire: %s", len(tasks), told(error))


@asynccontextmanager
async def guarded(settings: Settings, database: Database, ledger: Ledger) -> AsyncIterator[Wrap]:
    """What to put round each model: a reply that is remembered asks no breaker."""
    rounds: list[Wrap] = []
    async with AsyncExitStack() as stack:
        if settings.reader_break_after:
            rounds.append(_breaking(_breaker(settings, database)))
        if settings.reader != EXTRACTIVE and settings.reader_cache_seconds:
            client = await stack.enter_async_context(open_redis(settings))
            kept = RedisReplies(client, seconds=settings.reader_cache_seconds)
            rounds.append(_remembering(kept, ledger))

        def wrap(named: NamedModel, model: Model) -> Model:
            for put_round in rounds:
                model = put_round(named, model)
            return model

        yield wrap


def _breaking(breaker: SqlBreaker) -> Wrap:
    def wrap(named: NamedModel, model: Model) -> Model:
        provider, _, _ = named.name.partition(":")
        return Breaking(inner=model, provider=provider, breaker=breaker)

    return wrap


def _remembering(replies: RedisReplies, ledger: Ledger) -> Wrap:
    def wrap(named: NamedModel, model: Model) -> Model:
        return Remembering(inner=model, model=named.where, replies=replies, ledger=ledger)

    return wrap


def _breaker(settings: Settings, database: Database) -> SqlBreaker:
    return SqlBreaker(
        database, after=settings.reader_break_after, seconds=settings.reader_break_seconds
    )


async def examine_providers(
    settings: Settings, *, clock: Callable[[], datetime] = utc_now
) -> tuple[Finding, ...]:
    """The providers whose last replies all failed; none where no model reads, or no record is."""
    if settings.reader == EXTRACTIVE:
        return ()
    try:
        if await asyncio.to_thread(migrate.current, settings.record_url) is None:
            return ()
        database = Database(settings.record_url)
        try:
            outages = await _breaker(settings, database).outages()
        finally:
            await database.close()
    except StoreUnavailable:
        return ()  # what is wrong with the record is a finding of its own
    return tuple(_finding(outage, clock()) for outage in outages)


def _finding(outage: Outage, now: datetime) -> Finding:
    about = f"Provider {outage.provider}"
    seen = f"its last {outage.failures} replies all failed"
    if outage.again_at is None:
        return Finding(about=about, well=True, seen=seen)
    wait = (outage.again_at - now).total_seconds()
    when = f"asked by nobody for {wait:.0f} s" if wait > 0 else "one question will try it"
    mend = "See what the provider says of itself; it is tried again by itself"
    return Finding(about=about, well=False, seen=f"{seen}; {when}", mend=mend)
