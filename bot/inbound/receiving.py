"""Where a listener's job goes: into the queue or, while the database is away, into the spool.

Slack sends an event again at once, after one minute and after five, and not at all once
six minutes are over; a command or a button it never sends again. So a short outage is
left to Slack: an event is refused and comes back, perhaps to another process or machine.
When the database has failed for `GRACE_SECONDS`, and at once for what never comes back,
the job is laid by on our own disk. Twenty seconds are longer than a database takes to
restart or to fail over, and short enough that an event whose first delivery was refused
is laid by at its delivery after one minute, long before the last one.

While anything is laid by, everything that comes is put behind it, so that an edit never
overtakes the question it changes.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from itertools import islice
from typing import Protocol

from pydantic import ValidationError

from bot.errors import JobRefused
from bot.queue.durable import Job
from bot.queue.grouping import Grouped
from bot.spool import Spool
from rag.errors import StoreUnavailable

log = logging.getLogger(__name__)

GRACE_SECONDS = 20.0
_LOOK_SECONDS = 0.5
_AT_ONCE = 100


class Store(Protocol):
    """The queue, as `bot.queue.durable.Queue` is one."""

    async def put(self, job: Job) -> None:
        """Insert the job. Raises `StoreUnavailable`, `JobRefused`."""
        ...


class Receiving:
    """Makes jobs durable. Belongs to one event loop."""

    def __init__(
        self,
        queue: Store,
        spool: Spool,
        *,
        grace_seconds: float = GRACE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        executor: Executor | None = None,
    ) -> None:
        self._queue = queue
        self._spool = spool
        self._appends = Grouped(self._append, name="spool", executor=executor)
        self._grace = grace_seconds
        self._clock = clock
        self._failing_since: float | None = None
        self._appending = 0
        self._laid_by: dict[str, asyncio.Future[None]] = {}
        self._left_behind: frozenset[str] = frozenset()

    @property
    def troubled(self) -> bool:
        """Whether the database failed us lately, or something still waits to be stored."""
        return self._waits or self._failing_since is not None

    @property
    def _waits(self) -> bool:
        return self._appending > 0 or self._spool.holds

    async def put(self, job: Job, *, comes_again: bool) -> bool:
        """Return once the job is durable: True when it was just laid by, and so will be late.

        ``comes_again``: Slack repeats it when it is refused. Raises `StoreUnavailable`
        when it is to be refused, `JobRefused`.
        """
        if self._waits:
            return await self._lay_by(job)
        try:
            await self._queue.put(job)
        except StoreUnavailable:
            if comes_again and self._failing_for() < self._grace:
                raise
            return await self._lay_by(job)
        self._failing_since = None
        return False

    def _failing_for(self) -> float:
        if self._failing_since is None:
            self._failing_since = self._clock()
        return self._clock() - self._failing_since

    async def _lay_by(self, job: Job) -> bool:
        """Whether it was not laid by before, by us or by the process before us."""
        if job.id in self._left_behind:
            return False
        known = self._laid_by.get(job.id)
        appended = known or self._appended(job)
        # A caller that goes away must not cancel what is half written.
        await asyncio.shield(appended)
        return known is None

    def _appended(self, job: Job) -> "asyncio.Future[None]":
        appended = asyncio.wrap_future(self._appends.put(job))
        self._laid_by[job.id] = appended
        self._appending += 1

        def ended(future: "asyncio.Future[None]") -> None:
            self._appending -= 1
            if future.cancelled() or future.exception():
                del self._laid_by[job.id]
            else:
                log.warning("job %s is laid by until the database is back", job.id)

        appended.add_done_callback(ended)
        return appended

    def _append(self, jobs: Sequence[Job]) -> Sequence[Exception | None]:
        try:
            self._spool.append([job.model_dump_json() for job in jobs])
        except StoreUnavailable as error:
            return [error] * len(jobs)
        return [None] * len(jobs)

    @asynccontextmanager
    async def draining(self) -> AsyncIterator[None]:
        """Store what was laid by, now and for the length of the block, as soon as that works.

        Entered once it is known whether an earlier process left anything behind.
        """
        self._left_behind = await asyncio.to_thread(self._known_before)
        drain = asyncio.create_task(self._drain_for_ever())
        try:
            yield
        finally:
            drain.cancel()
            await asyncio.wait([drain])
            await asyncio.to_thread(self._appends.close)
            self._spool.close()

    def _known_before(self) -> frozenset[str]:
        segment = self._spool.sealed()
        jobs = map(_job, segment.texts() if segment else ())
        return frozenset(job.id for job in jobs if job is not None)

    async def _drain_for_ever(self) -> None:
        while True:
            try:
                drained = await self._drain()
            except OSError as error:
                log.error("the spool cannot be read: %s", error.strerror)  # noqa: TRY400 - no text
                drained = False
            if not drained:
                await asyncio.sleep(_LOOK_SECONDS)

    async def _drain(self) -> bool:
        """Store what the oldest segment holds; whether there was one and it is done."""
        segment = await asyncio.to_thread(self._spool.sealed)
        if segment is None:
            self._caught_up()
            return False
        stored = 0
        texts = segment.texts()
        while some := await asyncio.to_thread(lambda: list(islice(texts, _AT_ONCE))):
            jobs = _jobs(some)
            # The first goes ahead: a database that is away is not asked for all of them.
            if not (await self._stored(jobs[:1]) and await self._stored(jobs[1:])):
                return False  # all of it again later: what is stored stays as it is
            stored += len(jobs)
        await asyncio.to_thread(self._spool.remove)
        self._failing_since = None
        log.info("%d jobs that were laid by are stored", stored)
        return True

    def _caught_up(self) -> None:
        if not self._waits:
            self._laid_by.clear()
            self._left_behind = frozenset()

    async def _stored(self, jobs: Sequence[Job]) -> bool:
        putting = (self._queue.put(job) for job in jobs)
        outcomes = await asyncio.gather(*putting, return_exceptions=True)
        refused = [outcome for outcome in outcomes if isinstance(outcome, JobRefused)]
        for why in refused:
            log.error("a job that was laid by is lost: %s", why)
        return sum(outcome is None for outcome in outcomes) + len(refused) == len(jobs)


def _jobs(texts: Sequence[str]) -> list[Job]:
    """The jobs in these lines, without what cannot be read."""
    read = [_job(text) for text in texts]
    for _ in range(read.count(None)):
        log.error("a job that was laid by cannot be read and is lost")
    return [job for job in read if job is not None]


def _job(text: str) -> Job | None:
    try:
        return Job.model_validate_json(text)
    except ValidationError:
        return None
