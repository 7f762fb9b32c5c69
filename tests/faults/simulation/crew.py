"""The processes of a run: one that Slack calls, two that work, and whoever starts them again."""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.errors import BotError
from bot.parts import Parts
from bot.queue.liveness import BEAT_SECONDS
from bot.watch.watchdog import watching
from bot.work import jobs
from bot.work.unattended import Unattended
from handlers.deps import Deps
from rag.errors import FootnoteError, StoreUnavailable
from tests.faults.simulation.house import House
from tests.faults.simulation.jobs import CLOSED, GIVEN_UP, Row
from tests.faults.simulation.process import Killed, Process

LEASE_SECONDS = 5.0
_POLL_SECONDS = 0.25
_RESTART_SECONDS = 4.0


@dataclass
class Place:
    """A place for one process: when that dies, another takes it after a while."""

    name: str
    house: House
    rng: random.Random
    work: bool
    process: Process = field(init=False)
    parts: Parts = field(init=False)
    deps: Deps = field(init=False)
    ready: bool = False
    errors: list[BaseException] = field(default_factory=list)
    hook: Callable[[Process, Row], None] = lambda process, row: None

    def start(self) -> None:
        """A fresh process, with nothing in its memory."""
        self.process = Process(
            self.name,
            random.Random(self.rng.random()),  # noqa: S311 - repeatable on purpose
            on_death=self._died,
            errors=self.errors,
        )
        self.parts = self.house.parts(self.process)
        self.ready = False
        self.process.start(self._watch(self.parts))
        if self.work:
            self.process.start(self._take(self.process, self.parts))
            self.process.start(self._sweep(self.process, self.parts))
        else:
            self.process.start(self._listen(self.process, self.parts))

    async def _watch(self, parts: Parts) -> None:
        async with watching(parts):
            await asyncio.Event().wait()

    async def _listen(self, process: Process, parts: Parts) -> None:
        """Open for Slack once it is known what an earlier process laid by."""
        receiving = self.house.receiving(process, parts)
        self.deps = self.house.deps(parts, receiving)
        async with receiving.draining():
            self.ready = True
            await asyncio.Event().wait()

    def stop(self) -> None:
        """End the process; nobody starts another."""
        self.process.on_death = lambda process: None
        self.process.kill()

    def _died(self, dead: Process) -> None:
        asyncio.get_running_loop().create_task(self._again(dead))

    async def _again(self, dead: Process) -> None:
        """A worker's jobs are taken back once its lease is over, by whoever is there."""
        after = self.rng.random() * _RESTART_SECONDS
        await asyncio.sleep(after)
        self.start()
        await asyncio.sleep(max(0.0, LEASE_SECONDS - after) if self.rng.random() < 0.5 else 0.0)
        self.house.jobs.take_back(dead)

    async def frozen(self, seconds: float) -> None:
        """Stop the process for so long; past its lease others take its jobs over."""
        process = self.process
        process.freeze()
        await asyncio.sleep(min(seconds, LEASE_SECONDS))
        if seconds > LEASE_SECONDS:
            self.house.jobs.take_back(process)
        await asyncio.sleep(max(0.0, seconds - LEASE_SECONDS))
        process.thaw()

    async def _take(self, process: Process, parts: Parts) -> None:
        queue = self.house.jobs
        while process.alive:
            await process.thawed.wait()
            for row in queue.claim(process):
                process.start(self._do(process, parts, row, row.claims))
            queue.changed.clear()
            await queue.changed.wait()
            await asyncio.sleep(self.rng.random() * _POLL_SECONDS)

    async def _do(self, process: Process, parts: Parts, row: Row, claim: int) -> None:
        self.hook(process, row)
        job = row.job
        await jobs.do(parts, job.kind, ident=job.id, payload=job.payload, at=job.at.isoformat())
        await process.step()
        self.house.jobs.end(row, claim)

    async def _sweep(self, process: Process, parts: Parts) -> None:
        unattended = Unattended(parts, clock=asyncio.get_running_loop().time)
        while process.alive:
            with contextlib.suppress(StoreUnavailable):
                await unattended.look()
            for row in list(self.house.jobs.rows.values()):
                if row.state == GIVEN_UP:
                    with contextlib.suppress(StoreUnavailable):
                        await parts.queue.put(jobs.giving_up(row.job))
                        row.state = CLOSED
            await asyncio.sleep(BEAT_SECONDS)


@dataclass
class Crew:
    """``web`` is where Slack's requests go; ``workers`` take the jobs."""

    web: Place
    workers: list[Place]

    @property
    def places(self) -> list[Place]:
        return [self.web, *self.workers]

    async def received(self, work: Callable[[Deps], Awaitable[None]]) -> bool:
        """Whether a request was answered with 200 within Slack's three seconds."""
        place = self.web
        if not (place.process.alive and place.ready):
            return False
        task = place.process.start(_listened(work, place.deps))
        done, _ = await asyncio.wait([task], timeout=3.0)
        return bool(done) and not task.cancelled() and not task.exception() and bool(task.result())


async def _listened(work: Callable[[Deps], Awaitable[None]], deps: Deps) -> bool:
    """Whether it was stored; the bot answers 503 where it was not."""
    try:
        await work(deps)
    except (BotError, FootnoteError):
        return False
    return True


__all__ = ["Crew", "Killed", "Place"]
