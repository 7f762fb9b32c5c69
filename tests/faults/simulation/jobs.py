"""The queue as its contract says: once by id, in order within a partition, again after a death.

DBOS itself is tested with real processes by the kill matrix; here its place is taken so that
time and deaths can be simulated.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.queue import ANSWERING, CONVERSATION, Job
from rag.errors import StoreUnavailable
from tests.faults.simulation.process import Process
from tests.faults.simulation.weather import Weather

QUEUED, RUNNING, DONE, GIVEN_UP = "queued", "running", "done", "given up"
MOST_ATTEMPTS = 4  # the first one and three after a death


@dataclass
class Row:
    """One job. ``order`` is what its line is sorted by: whole seconds, then the id."""

    job: Job
    queue: str
    order: tuple[int, str]
    state: str = QUEUED
    owner: Process | None = None
    attempts: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Jobs:
    """What stands in the queue's database."""

    wall: Callable[[], float]
    concurrency: int = 4
    rows: dict[str, Row] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def insert(self, job: Job, queue: str) -> None:
        if job.id not in self.rows:
            self.rows[job.id] = Row(job, queue, (int(self.wall()), job.id))
            self.changed.set()

    def claim(self, worker: Process) -> list[Row]:
        """Give ``worker`` all that may run now."""
        running: dict[tuple[str, str], int] = {}
        for row in self.rows.values():
            if row.state == RUNNING:
                line = (row.queue, row.job.partition)
                running[line] = running.get(line, 0) + 1
        taken = []
        waiting = [row for row in self.rows.values() if row.state == QUEUED]
        for row in sorted(waiting, key=lambda row: row.order):
            line = (row.queue, row.job.partition)
            room = 1 if row.queue == CONVERSATION else self.concurrency
            if running.get(line, 0) < room:
                running[line] = running.get(line, 0) + 1
                taken += [row] if self._begin(row, worker) else []
        return taken

    def _begin(self, row: Row, worker: Process) -> bool:
        row.attempts += 1
        if row.attempts > MOST_ATTEMPTS:
            row.state = GIVEN_UP
            row.ended.set()
            return False
        row.state, row.owner = RUNNING, worker
        return True

    def end(self, row: Row, worker: Process) -> None:
        if row.state != DONE:
            row.state = DONE
            row.ended.set()
            self.changed.set()

    def take_back(self, worker: Process) -> None:
        """The jobs of a worker that is gone wait again."""
        for row in self.rows.values():
            if row.state == RUNNING and row.owner is worker:
                row.state = QUEUED
                self.changed.set()

    @property
    def idle(self) -> bool:
        return all(row.state in (DONE, GIVEN_UP) for row in self.rows.values())


class QueueOf:
    """`bot.queue.Queue` as one process uses it."""

    def __init__(self, process: Process, jobs: Jobs, weather: Weather) -> None:
        self._process = process
        self._jobs = jobs
        self._weather = weather

    async def put(self, job: Job, *, queue: str = CONVERSATION) -> None:
        """Raises `StoreUnavailable`, with the job stored or not."""
        await self._process.step()
        weather = self._weather
        if weather.lasts("database: down") or weather.lasts("database: disk full"):
            raise StoreUnavailable("simulated outage")
        if weather.strikes("database: insert refused"):
            raise StoreUnavailable("simulated refusal")
        self._jobs.insert(job, queue)
        self._process.done()
        if weather.strikes("database: insert unheard"):
            raise StoreUnavailable("simulated silence")

    async def holds(self, job: str) -> bool:
        """Whether a job of that id is stored."""
        await self._process.step()
        if self._weather.lasts("database: down"):
            raise StoreUnavailable("simulated outage")
        return job in self._jobs.rows

    async def wait(self, job: str) -> None:
        """Return when the job has ended."""
        await self._jobs.rows[job].ended.wait()
        await self._process.step()


__all__ = ["ANSWERING", "CONVERSATION", "GIVEN_UP", "Jobs", "QueueOf", "Row"]
