"""Does the jobs: DBOS hands them out once, and again when a worker died over them."""

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer
from sqlalchemy.exc import SQLAlchemyError

from bot import amending, answering, hearing, telling
from bot.answering import fail
from bot.asking import Brief, stored_task
from bot.background import told
from bot.backlog import task_of
from bot.errors import JobGivenUp, SlackRefused, SlackUnavailable, TenantPaused
from bot.logs import about
from bot.pacing import RATE_LIMITED
from bot.parts import Parts
from bot.queue import (
    APPLICATION,
    APPLICATION_VERSION,
)
from bot.queue_engine import working_engine
from bot.record import StoredTask
from bot.slots import Lease, Slots
from bot.telling import Told
from bot.undelivered import end_undelivered, is_closed
from handlers.deps import Asked, Commanded, Deleted, Edited, Pressed
from rag.errors import FootnoteError, LeaseLost, StoreUnavailable
from rag.values import Value

log = logging.getLogger(__name__)

_SWEEP_SECONDS = 2.0
_KEPT = timedelta(days=1)
_DRAIN_SECONDS = 10
_CONNECTIONS = 4
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
_TRIES_AFTER_DEATH = 3


@dataclass(kw_only=True)
class Attempt:
    """One try at a job. ``held`` is the task it has taken up, once it has."""

    ident: str
    at: datetime
    held: StoredTask | None = None


Running = dict[str, "asyncio.Task[Any] | None"]
"""The jobs this process does, by their ids."""

Run = Callable[[Parts, Attempt, Any], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a job of one kind is read and done."""

    shape: type[Value]
    run: Run


def _undated(run: Callable[[Parts, str, Any], Awaitable[None]]) -> Run:
    async def tried(parts: Parts, attempt: Attempt, value: Any) -> None:
        await run(parts, attempt.ident, value)

    return tried


def _dated(run: Callable[[Parts, str, Any, datetime], Awaitable[None]]) -> Run:
    async def tried(parts: Parts, attempt: Attempt, value: Any) -> None:
        await run(parts, attempt.ident, value, attempt.at)

    return tried


async def _answer(parts: Parts, attempt: Attempt, brief: Any) -> None:
    attempt.held = await answering.taken_up(parts, brief)
    if attempt.held is not None:
        await answering.on_answer(parts, attempt.held, brief)


KINDS: dict[str, Kind] = {
    "ask": Kind(shape=Asked, run=_undated(hearing.on_ask)),
    "reply": Kind(shape=Asked, run=_undated(hearing.on_reply)),
    "ask_privately": Kind(shape=Commanded, run=_dated(hearing.on_ask_privately)),
    "tell": Kind(shape=Told, run=_undated(telling.on_tell)),
    "cancel": Kind(shape=Asked, run=_undated(amending.on_cancel)),
    "edit": Kind(shape=Edited, run=_undated(amending.on_edit)),
    "withdraw": Kind(shape=Deleted, run=_undated(amending.on_withdraw)),
    "choose": Kind(shape=Pressed, run=_dated(amending.on_choose)),
    "ask_again_privately": Kind(shape=Pressed, run=_dated(amending.on_ask_again_privately)),
    "answer": Kind(shape=Brief, run=_answer),
}
"""Every kind of job; the names stand in the queue's database."""


async def do(parts: Parts, kind: Kind, *, ident: str, payload: str, at: str) -> None:
    """Do one job to its end. Nothing it raises leaves here: a job ends once."""
    attempt = Attempt(ident=ident, at=datetime.fromisoformat(at))
    try:
        value = kind.shape.model_validate_json(payload)
        await _while_paused(
            parts, lambda: _patiently(lambda: kind.run(parts, attempt, value), ident)
        )
    except LeaseLost as lost:
        log.warning("job %s stops here: %s", ident, lost)
    except (SlackUnavailable, FootnoteError) as error:
        log.warning("job %s failed: %s", ident, told(error))
        await _show_failure(parts, attempt, error)
    except Exception as error:  # noqa: BLE001 - the one place where everything ends
        # The worker's edge: whatever it was, the asker must see an end. A traceback's
        # message may hold content, so only its kind and its place are logged.
        log.error("job %s failed: %s at %s", ident, type(error).__name__, _place(error))  # noqa: TRY400 - as said
        await _show_failure(parts, attempt, error)


async def _while_paused(parts: Parts, run: Callable[[], Awaitable[None]]) -> None:
    """Keep the job while Slack refuses our token, and do it when the token is taken again."""
    while True:
        try:
            await run()
        except TenantPaused:
            await parts.client.restored()
        else:
            return


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"


async def _patiently(run: Callable[[], Awaitable[None]], ident: str) -> None:
    """Every job may be done again, so an outage is waited out for a minute."""
    for pause in _PAUSES:
        try:
            await run()
        except SlackRefused as refused:
            if refused.code != RATE_LIMITED:
                raise
            log.info("job %s waits: %s", ident, refused)
        except (SlackUnavailable, StoreUnavailable) as error:
            log.info("job %s waits: %s", ident, told(error))
        else:
            return
        await asyncio.sleep(pause)
    await run()


async def _show_failure(parts: Parts, attempt: Attempt, error: Exception) -> None:
    """End the job's message, if it has one and the task is still ours, in words."""
    task = attempt.ident.removesuffix(".answer")
    reason = error.reason if isinstance(error, FootnoteError) else None
    try:
        stored = attempt.held or await stored_task(parts, task)
        if stored is None:
            return
        if is_closed(error):
            await end_undelivered(parts, stored)
        else:
            await fail(parts, stored, reason)
    except (SlackUnavailable, TenantPaused, FootnoteError) as second:
        log.warning("the failure of task %s could not be shown: %s", task, told(second))


def _register(parts: Parts, running: Running) -> None:
    for name, kind in KINDS.items():
        decorate = DBOS.workflow(name=name, max_recovery_attempts=_TRIES_AFTER_DEATH)
        decorate(_workflow(parts, kind, running))


def _workflow(parts: Parts, kind: Kind, running: Running) -> Callable[[str, str], Awaitable[None]]:
    async def workflow(payload: str, at: str) -> None:
        ident = str(DBOS.workflow_id)
        running[ident] = asyncio.current_task()
        try:
            with about(task_of(ident)):
                await do(parts, kind, ident=ident, payload=payload, at=at)
        finally:
            running.pop(ident, None)

    return workflow


@asynccontextmanager
async def working(
    parts: Parts, *, url: str, slots: Slots, concurrency: int
) -> AsyncIterator[Lease]:
    """Take jobs for the length of the block, then finish or hand back what runs.

    The caller leaves the block when the lease it is given is held no longer: what still
    runs is then stopped at once, for somebody else does it. Raises `StoreUnavailable`,
    `ProcessFailed` when no slot is free.
    """
    async with AsyncExitStack() as stack:
        lease = await asyncio.to_thread(stack.enter_context, slots.leased())
        engine = working_engine(url, connections=_CONNECTIONS)
        stack.callback(engine.dispose)
        await asyncio.to_thread(parts.queue.declare, concurrency)
        running: Running = {}
        DBOS(config=_config(url, engine, lease.name))
        stack.push_async_callback(_stop, running, lease)
        _register(parts, running)
        DBOS.launch()
        sweeping = asyncio.create_task(_sweep(parts, slots, lease.name))
        stack.callback(sweeping.cancel)
        log.info("worker %s takes jobs", lease.name)
        yield lease


def _config(url: str, engine: sa.Engine, slot: str) -> DBOSConfig:
    return {
        "name": APPLICATION,
        "system_database_engine": engine,
        "system_database_url": url,
        "executor_id": slot,
        "application_version": APPLICATION_VERSION,
        "serializer": DBOSPortableJSONSerializer(),
        "log_level": "WARNING",
        "enable_otlp": False,
    }


async def _stop(running: Running, lease: Lease) -> None:
    """Take no more; let what runs finish for a while, unless it is no longer ours."""
    if not lease.held():
        _cancel(running)
    await asyncio.to_thread(
        DBOS.destroy,
        destroy_registry=True,
        workflow_completion_timeout_sec=_DRAIN_SECONDS if running and lease.held() else 0,
    )
    if not lease.held():
        _cancel(running)  # what was begun meanwhile
    log.info("worker %s stopped", lease.name)


def _cancel(running: Running) -> None:
    for task in list(running.values()):
        if task is not None:
            task.cancel()


async def _sweep(parts: Parts, slots: Slots, own: str) -> None:
    """Take over from workers that died and did not come back; forget what is long done."""
    while True:
        try:
            given_up = await asyncio.to_thread(_look_after, parts, slots, own)
        except (SQLAlchemyError, StoreUnavailable, OSError) as error:
            log.warning("looking after the queue failed: %s", type(error).__name__)
        else:
            for ident in given_up:
                log.error("job %s was given up: it ended its worker too often", ident)
                parts.meter.given_up()
                await _show_failure(
                    parts, Attempt(ident=ident, at=datetime.now(UTC)), JobGivenUp(ident)
                )
                await asyncio.to_thread(parts.queue.close_given_up, ident)
        await asyncio.sleep(_SWEEP_SECONDS)


def _look_after(parts: Parts, slots: Slots, own: str) -> list[str]:
    taken = _take_over(parts, slots, own)
    if taken:
        log.info("took over %d jobs of workers that are gone", taken)
    parts.queue.clean(datetime.now(UTC) - _KEPT)
    return parts.queue.given_up()


def _take_over(parts: Parts, slots: Slots, own: str) -> int:
    others = parts.queue.busy_workers() - {own}
    with slots.abandoned(others) as names:
        return sum(parts.queue.take_back(name) for name in names)
