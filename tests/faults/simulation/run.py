"""One seed, one run: the same seed does the same things at the same times, to the last write."""

import asyncio
import logging
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Row, select

from bot.storage.catalogue import SqlCatalogue
from bot.storage.directory import StoredDirectory
from bot.storage.migrate import ensure
from bot.storage.tables import tasks
from bot.storage.tenants import SqlTenants
from rag.values import Request
from tests.faults.bounds import Bounds
from tests.faults.history import Ended, Event, Fault, digest
from tests.faults.invariants import violations
from tests.faults.simulation import loop as virtual
from tests.faults.simulation.company import TENANT, Company
from tests.faults.simulation.courier import Courier
from tests.faults.simulation.crew import Crew, Place
from tests.faults.simulation.house import House, database_at, utc
from tests.faults.simulation.jobs import Jobs
from tests.faults.simulation.nemesis import Nemesis
from tests.faults.simulation.people import Crowd
from tests.faults.simulation.process import owned
from tests.faults.simulation.slack import Workspace
from tests.faults.simulation.weather import Weather

BOUNDS = Bounds(deadline=900.0, flicker=60.0)
_EPOCH = 1_790_000_000.0
_SETTLING_LOOKS = 720  # an hour, five seconds each
_WEEK_SECONDS = 8 * 86_400.0

Change = Callable[[House], None]


def unchanged(_house: House) -> None:
    """Nothing is left out of the bot."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run did and what was wrong with it."""

    seed: int
    questions: int
    violations: list[str]
    digest: str
    faults: Counter[str]
    ends: Counter[str]
    errors: list[str] = field(default_factory=list)
    history: list[Event] = field(default_factory=list, repr=False)


def simulate(seed: int, *, questions: int = 30, change: Change = unchanged) -> Outcome:
    """Run one seed. ``change`` may leave out a part of the bot, to see that it is missed."""
    with _folder() as folder:
        path = folder / "footnote.db"
        shutil.copy(_migrated(), path)
        logging.disable(logging.CRITICAL)
        random.seed(seed)  # what the program spreads by chance
        try:
            return virtual.run(lambda: _run(seed, path, questions, change))
        finally:
            logging.disable(logging.NOTSET)


@contextmanager
def _folder() -> Iterator[Path]:
    memory = Path("/dev/shm")
    place = memory if memory.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="footnote-simulation-", dir=place) as name:
        yield Path(name)


@cache
def _migrated() -> Path:
    """A database with the newest schema and nothing in it, made once a process."""
    folder = Path(tempfile.mkdtemp(prefix="footnote-simulation-"))
    path = folder / "empty.db"
    ensure(f"sqlite:///{path}")
    return path


async def _run(seed: int, path: Path, questions: int, change: Change) -> Outcome:
    return await _Run(seed, path).run(questions, change)


class _Run:
    def __init__(self, seed: int, path: Path) -> None:
        self.seed = seed
        self.history: list[Event] = []
        self.loop = asyncio.get_running_loop()
        self.loop.set_task_factory(owned)  # type: ignore[arg-type] # typeshed names the arguments
        self.began = self.loop.time()
        self.weather = Weather.of(self.rng("weather"), self.at, self.history)
        self.workspace = Workspace(now=self.slack_time, at=self.at, history=self.history)
        self.company = Company(self.workspace, self.history, self.at, self.rng("company"))
        self.jobs = Jobs(wall=lambda: self.wall().timestamp())
        self.database = database_at(path)
        self.house = House(
            rng=self.rng("house"),
            database=self.database,
            workspace=self.workspace,
            company=self.company,
            weather=self.weather,
            jobs=self.jobs,
            history=self.history,
            at=self.at,
            wall=self.wall,
            folder=path.parent,
        )
        self.crew = Crew(self.place("web", work=False), [])
        self.crew.workers += [self.place(name, work=True) for name in ("worker-1", "worker-2")]
        self.catalogue = SqlCatalogue(self.database, StoredDirectory(self.database))
        self.nemesis = Nemesis(
            self.crew, self.company, self.catalogue, self.weather, self.rng("nemesis")
        )
        courier = Courier(self.crew, self.weather, self.rng("courier"))
        self.crowd = Crowd(
            self.workspace,
            self.company,
            courier,
            self.weather,
            self.history,
            self.at,
            self.rng("crowd"),
        )

    def rng(self, name: str) -> random.Random:
        return random.Random(f"{self.seed} {name}")  # noqa: S311 - repeatable on purpose

    def place(self, name: str, *, work: bool) -> Place:
        return Place(name, self.house, self.rng(name), work)

    def at(self) -> float:
        return self.loop.time() - self.began

    def slack_time(self) -> float:
        return _EPOCH + self.at()

    def wall(self) -> datetime:
        return utc(_EPOCH + self.at() + self.nemesis.clock_off)

    async def run(self, questions: int, change: Change) -> Outcome:
        await self._furnish()
        change(self.house)
        for place in self.crew.places:
            place.start()
        striking = asyncio.create_task(self.nemesis.strike())
        calming = asyncio.create_task(self._calm(striking))
        await self.crowd.ask(questions)
        await calming
        await self._settle()
        if self.crowd.late:
            await self._sleep_for_a_week()
            await self.crowd.after_a_week()
            await self._settle()
        await self._note_ends()
        return self._outcome()

    async def _furnish(self) -> None:
        await SqlTenants(self.database).create(TENANT)
        await self.catalogue.put_all(self.company.sources())

    async def _calm(self, striking: "asyncio.Task[None]") -> None:
        await asyncio.sleep(300.0)
        self.weather.calm = True
        await striking
        for place in self.crew.places:
            place.process.kill_at = None

    async def _settle(self) -> None:
        for _ in range(_SETTLING_LOOKS):
            if not self.jobs.idle or await self._is_open():
                await asyncio.sleep(5.0)
        await asyncio.sleep(60.0)

    async def _is_open(self) -> bool:
        """Whether a stored question has no end yet."""
        states = tasks.c.state.in_(["queued", "running"])
        return await self.database.read(
            lambda connection: (
                connection.execute(select(tasks.c.id).where(states)).first() is not None
            )
        )

    async def _sleep_for_a_week(self) -> None:
        """Nothing looks for work meanwhile, so that the week takes no time."""
        for place in self.crew.places:
            place.stop()
        await asyncio.sleep(_WEEK_SECONDS)
        for place in self.crew.places:
            place.start()
        await asyncio.sleep(1.0)

    async def _note_ends(self) -> None:
        rows = await self.database.read(
            lambda connection: connection.execute(select(tasks).order_by(tasks.c.id)).all()
        )
        now, taken = self.at(), _taken(rows)
        asking = {row.id for row in rows if row.status == "needs-clarification"}
        for parent, asked in self.crowd.replies:
            counts = parent in asking and asked.task in taken.get(parent, {asked.task})
            self.history.append(asked if counts else replace(asked, acked=False))
        for row in rows:
            ended = row.state in ("done", "failed", "waiting", "cancelled")
            state = "cancelled" if row.state == "cancelled" else (row.status or row.state)
            state = "replied-to" if row.id in taken and state == "needs-clarification" else state
            at = _seconds(row.finished_at) if row.finished_at else now
            event = Ended(at=at, task=row.id, state=state if ended else row.state)
            self.history.append(event)

    def _outcome(self) -> Outcome:
        errors = [
            f"{place.name}: {error!r}" for place in self.crew.places for error in place.errors
        ]
        faults = Counter(event.name for event in self.history if isinstance(event, Fault))
        ends = Counter(event.state for event in self.history if isinstance(event, Ended))
        return Outcome(
            seed=self.seed,
            questions=self.crowd.asked,
            violations=violations(self.history, BOUNDS),
            digest=digest(self.history),
            faults=faults,
            ends=ends,
            errors=errors,
            history=self.history,
        )


def _taken(rows: Iterable[Row[Any]]) -> dict[str, set[str]]:
    """Which tasks the record says were replies to a question back, by that question's task.

    In a direct message whatever its asker says next is one: a button they press after that
    asks for nothing any more.
    """
    found: dict[str, set[str]] = {}
    for row in rows:
        request = Request.model_validate_json(row.request)
        if request.rounds and request.parent_id:
            found.setdefault(request.parent_id, set()).add(row.id)
    return found


def _seconds(stamp: str) -> float:
    return round(datetime.fromisoformat(stamp).timestamp() - _EPOCH, 6)
