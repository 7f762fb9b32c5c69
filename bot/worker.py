"""Does the jobs: DBOS hands them out once, and again when a worker died over them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer
from sqlalchemy.exc import SQLAlchemyError

from bot.admin.staging import keep_clean
from bot.each import each
from bot.errors import JobRefused
from bot.logs import about
from bot.parts import Parts, Workspaces
from bot.queue.backlog import task_of
from bot.queue.blame import tries_after_death
from bot.queue.durable import APPLICATION, APPLICATION_VERSION, Job, Queue
from bot.queue.engine import CONNECTIONS, working_engine
from bot.queue.liveness import BEAT_SECONDS, LOST_SECONDS, STRANGER_SECONDS, Pulse
from bot.slots.leased import Lease, Slots
from bot.work.jobs import KINDS, do, giving_up
from bot.work.unattended import Unattended
from bot.work.whose import parts_of
from rag.errors import FootnoteError, StoreUnavailable

log = logging.getLogger(__name__)

_KEPT = timedelta(days=1)
_DRAIN_SECONDS = 10
_ABSENT_SECONDS = 2.0


Running = dict[str, "asyncio.Task[Any] | None"]
"""The jobs this process does, by their ids."""


def _register(workspaces: Workspaces, running: Running) -> None:
    for kind in KINDS:
        decorate = DBOS.workflow(name=kind, max_recovery_attempts=tries_after_death(kind))
        decorate(_workflow(workspaces, kind, running))


def _workflow(
    workspaces: Workspaces, kind: str, running: Running
) -> Callable[[str, str], Awaitable[None]]:
    async def workflow(payload: str, at: str) -> None:
        ident = str(DBOS.workflow_id)
        running[ident] = asyncio.current_task()
        try:
            with about(task_of(ident)):
                parts = await _parts_of(workspaces, kind, ident=ident, payload=payload)
                await do(parts, kind, ident=ident, payload=payload, at=at)
        finally:
            running.pop(ident, None)

    return workflow


async def _parts_of(workspaces: Workspaces, kind: str, *, ident: str, payload: str) -> Parts:
    """Whose job it is; one of an installation that is not there is kept until it is."""
    waits = False
    while True:
        with suppress(StoreUnavailable):
            found = await parts_of(workspaces, kind, payload)
            if found is not None:
                return found
            if not waits:
                log.warning("job %s waits for its installation", ident)
            waits = True
        await asyncio.sleep(_ABSENT_SECONDS)


@asynccontextmanager
async def working(
    workspaces: Workspaces,
    *,
    url: str,
    slots: Slots,
    concurrency: int,
    lost_seconds: float = LOST_SECONDS,
    stranger_seconds: float = STRANGER_SECONDS,
    connections: int = CONNECTIONS,
) -> AsyncIterator[Lease]:
    """Take jobs for the length of the block, then finish or hand back what runs.

    The caller leaves the block when the lease it is given is held no longer: what still
    runs is then stopped at once, for somebody else does it. A worker that shows no life
    for ``lost_seconds`` is taken over from, and so is a name that is no slot of ours and
    under which no job begins or ends for ``stranger_seconds``. Raises `StoreUnavailable`,
    `ProcessFailed` when no slot is free.
    """
    async with AsyncExitStack() as stack:
        lease = await asyncio.to_thread(stack.enter_context, slots.leased())
        engine = working_engine(url, connections=connections)
        stack.callback(engine.dispose)
        room = _Room(workspaces, concurrency)
        lines = await asyncio.to_thread(room.declare)
        # Whoever had the name before us is gone. DBOS would take its jobs back as well, but
        # blame all of them alike.
        taken = await asyncio.to_thread(workspaces.queue.take_back, lease.name)
        running: Running = {}
        DBOS(config=_config(url, engine, lease.name))
        stack.push_async_callback(_stop, workspaces, running, lease)
        _register(workspaces, running)
        DBOS.listen_queues(lines)
        DBOS.launch()
        watch = _Watch(
            slots=slots,
            own=lease.name,
            beats=Pulse(lost_seconds=lost_seconds),
            strangers=Pulse(lost_seconds=stranger_seconds),
            room=room,
        )
        sweeping = asyncio.create_task(_sweep(workspaces, watch))
        stack.callback(sweeping.cancel)
        await stack.enter_async_context(each(workspaces, _end_unattended))
        await stack.enter_async_context(each(workspaces, keep_clean))
        log.info("worker %s takes jobs, %d of them again", lease.name, taken)
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


async def _stop(workspaces: Workspaces, running: Running, lease: Lease) -> None:
    """Take no more; let what runs finish for a while, unless it is no longer ours."""
    workspaces.queue.let_go()
    if not lease.held():
        _cancel(running)
    await asyncio.to_thread(
        DBOS.destroy,
        destroy_registry=True,
        workflow_completion_timeout_sec=_DRAIN_SECONDS if running and lease.held() else 0,
    )
    _cancel(running)  # what did not end in time, or was begun meanwhile
    if lease.held():
        await _hand_back(workspaces, lease.name)
    log.info("worker %s stopped", lease.name)


async def _hand_back(workspaces: Workspaces, slot: str) -> None:
    """What did not end is others' at once; where this fails, their sweep finds it."""
    with suppress(SQLAlchemyError, StoreUnavailable):
        returned = await asyncio.to_thread(workspaces.queue.hand_back, slot)
        await workspaces.record.workers.leave(slot)
        log.info("worker %s hands back %d jobs", slot, returned)


def _cancel(running: Running) -> None:
    for task in list(running.values()):
        if task is not None:
            task.cancel()


class _Room:
    """How many jobs may be in work here: more while paused tenants' jobs are held."""

    def __init__(self, workspaces: Workspaces, concurrency: int) -> None:
        self._workspaces = workspaces
        self._concurrency = concurrency
        self._paused = -1

    def declare(self) -> list[str]:
        """The lines to take jobs from. Blocks."""
        self._paused = self._count()
        return self._workspaces.queue.declare(self._concurrency, self._paused)

    def renew(self) -> None:
        """Declare them again where the number of paused tenants has changed. Blocks."""
        if self._count() != self._paused:
            self.declare()

    def _count(self) -> int:
        return sum(bool(parts.client.paused) for parts in self._workspaces.all())


@dataclass(frozen=True, kw_only=True)
class _Watch:
    """What tells the other workers that live from those that do not."""

    slots: Slots
    room: _Room
    own: str
    beats: Pulse
    strangers: Pulse

    def lost(self, busy: Mapping[str, int], beats: Mapping[str, int]) -> set[str]:
        """Those of ``busy`` that stand still, whoever holds their slots. Blocks.

        A name may be no slot of ours: a version before us named its workers otherwise, or
        a host and its folder are gone. All that is seen of its worker is which jobs it has.
        Should it live after all, the tasks' leases keep it from writing and showing what
        whoever took over does, and the queue records no job's end from it.
        """
        strange = {name: jobs for name, jobs in busy.items() if name not in beats}
        held = self.slots.alive() if strange else ()
        strange = {name: jobs for name, jobs in strange.items() if name not in held}
        return {*self.beats.lost(beats), *self.strangers.lost(strange)} & busy.keys()


async def _sweep(workspaces: Workspaces, watch: _Watch) -> None:
    """Show that we live; take over from workers that do not; forget what is long done."""
    workers = workspaces.record.workers
    while True:
        try:
            await workers.beat(watch.own)
            beats = await workers.beats()
            looked = await asyncio.to_thread(_look_after, workspaces.queue, watch, beats)
            await _close(workspaces, looked)
        except (SQLAlchemyError, FootnoteError, JobRefused, OSError) as error:
            log.warning("looking after the queue failed: %s", type(error).__name__)
        await asyncio.sleep(BEAT_SECONDS)


async def _end_unattended(parts: Parts) -> None:
    """End the questions of one installation that nobody comes back to, for ever."""
    unattended = Unattended(parts)
    while True:
        try:
            await unattended.look()
        except (FootnoteError, JobRefused) as error:
            log.warning("looking for questions of nobody failed: %s", type(error).__name__)
        await asyncio.sleep(BEAT_SECONDS)


async def _close(workspaces: Workspaces, given_up: Sequence[Job]) -> None:
    """Say so where the asker waits. Another process's installation is that process's to tell."""
    for job in given_up:
        parts = await parts_of(workspaces, job.kind, job.payload)
        if parts is None:
            continue
        log.error("job %s was given up: it ended its worker too often", job.id)
        parts.meter.given_up()
        await parts.queue.put(giving_up(job))
        await asyncio.to_thread(parts.queue.close_given_up, job.id)


def _look_after(queue: Queue, watch: _Watch, beats: Mapping[str, int]) -> list[Job]:
    watch.room.renew()
    taken = _take_over(queue, watch, beats)
    if taken:
        log.info("took over %d jobs of workers that are gone", taken)
    queue.clean(datetime.now(UTC) - _KEPT)
    return queue.given_up()


def _take_over(queue: Queue, watch: _Watch, beats: Mapping[str, int]) -> int:
    """Jobs of slots that nobody holds, and of those whose holder stands still."""
    busy = queue.busy_workers()
    busy.pop(watch.own, None)
    lost = watch.lost(busy, beats)
    with watch.slots.abandoned(busy) as free:
        return sum(queue.take_back(name) for name in sorted({*free, *lost}))
