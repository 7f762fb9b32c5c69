"""The queue as its contract says: once by id, in order within a partition, again after a death.

DBOS itself is tested with real processes by the kill matrix; here its place is taken so that
time and deaths can be simulated.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.queue.blame import TRIES_AFTER_DEATH, tries_after_death
from bot.queue.durable import Job
from bot.queue.lines import ANSWER_JOB, ANSWERING, CONVERSATION
from rag.errors import StoreUnavailable
from tests.faults.simulation.process import Process
from tests.faults.simulation.weather import Weather

QUEUED, RUNNING, DONE, GIVEN_UP, CLOSED = "queued", "running", "done", "given up", "closed"


@dataclass
class Row:
    """One job. ``order`` is what its line is sorted by: whole seconds, then the id.

    ``claims`` counts how often it was begun: whoever began it last may record its end.
    """

    job: Job
    queue: str
    order: tuple[int, str]
    state: str = QUEUED
    owner: Process | None = None
    attempts: int = 0
    claims: int = 0
    suspect: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def line(self) -> tuple[str, str]:
        """Whose room it takes: one suspect is tried at a time, whoever asked."""
        return (CONVERSATION, "suspects") if self.suspect else (self.queue, self.job.partition)


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
                running[row.line] = running.get(row.line, 0) + 1
        taken = []
        waiting = [row for row in self.rows.values() if row.state == QUEUED]
        for row in sorted(waiting, key=lambda row: row.order):
            line = row.line
            room = 1 if line[0] == CONVERSATION else self.concurrency
            if running.get(line, 0) < room:
                running[line] = running.get(line, 0) + 1
                taken += [row] if self._begin(row, worker) else []
        return taken

    def _begin(self, row: Row, worker: Process) -> bool:
        row.attempts += 1
        if row.attempts > tries_after_death(row.job.kind) + 1:
            row.state = GIVEN_UP
            row.ended.set()
            self.changed.set()
            return False
        row.state, row.owner = RUNNING, worker
        row.claims += 1
        return True

    def end(self, row: Row, claim: int) -> None:
        """As in DBOS: nobody ends a job that was taken from them, or that another has begun."""
        if row.state == RUNNING and row.claims == claim:
            row.state = DONE
            row.ended.set()
            self.changed.set()

    def take_back(self, worker: Process) -> None:
        """The jobs of a worker that is gone wait again, with the blame the queue gives them."""
        for row in self.rows.values():
            if row.state == RUNNING and row.owner is worker:
                row.state = QUEUED
                row.suspect = row.queue == ANSWERING and row.attempts == TRIES_AFTER_DEATH
                if f"{row.job.id}{ANSWER_JOB}" in self.rows:
                    row.attempts = 0
                self.changed.set()

    @property
    def idle(self) -> bool:
        return all(row.state in (DONE, CLOSED) for row in self.rows.values())


class QueueOf:
    """`bot.queue.durable.Queue` as one process uses it."""

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

    async def going(self, job: str) -> bool:
        """Whether that job waits or is worked on."""
        return await self.holds(job) and self._jobs.rows[job].state in (QUEUED, RUNNING)

    async def jobs_of(self, task: str) -> dict[str, bool]:
        """The jobs whose ids begin with the task's, and whether anybody comes back to each."""
        await self.holds(task)
        rows = self._jobs.rows.items()
        done = (DONE, CLOSED)
        return {job: row.state not in done for job, row in rows if job.startswith(task)}

    async def moved_on(self, job: str) -> None:
        """The job's earlier tries are forgotten."""
        await self._process.step()
        if self._weather.lasts("database: down"):
            raise StoreUnavailable("simulated outage")
        self._jobs.rows[job].attempts = 1

    async def wait(self, job: str) -> None:
        """Return when the job has ended."""
        await self._jobs.rows[job].ended.wait()
        await self._process.step()


__all__ = ["ANSWERING", "CONVERSATION", "GIVEN_UP", "Jobs", "QueueOf", "Row"]
