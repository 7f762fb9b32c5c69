"""The record, Redis, search and the reader as one process reaches them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from redis.exceptions import ConnectionError as ConnectionGone
from redis.exceptions import TimeoutError as NoAnswer
from sqlalchemy import Connection

from bot.spool import Segment, Spool
from bot.storage.database import Database, T
from rag.errors import FormatInvalid, ReaderUnavailable, StoreUnavailable
from rag.ports import (
    AnswerRequest,
    Hits,
    Lease,
    Permitted,
    PlanRequest,
    Scope,
    SelectRequest,
    SupportRequest,
)
from rag.testing.search import MemoryIndex
from rag.values import Chunk, Draft, Place, Plan, Selection, Support
from tests.faults.history import Event, Read
from tests.faults.simulation import reading
from tests.faults.simulation.process import Process
from tests.faults.simulation.weather import Weather

Work = Callable[[Connection], T]


class Record:
    """`bot.storage.database.Database` for one process, over the one real database."""

    dialect = "sqlite"

    def __init__(self, process: Process, database: Database, weather: Weather) -> None:
        self._process = process
        self._database = database
        self._weather = weather
        self.deletions = database.deletions

    async def write(self, work: "Work[T]") -> T:
        return await self._written(self._database.write, work)

    async def amend(self, work: "Work[T]") -> T:
        return await self._written(self._database.amend, work)

    async def _written(self, write: "Callable[[Work[T]], Awaitable[T]]", work: "Work[T]") -> T:
        await self._reach()
        if self._weather.lasts("database: disk full"):
            raise StoreUnavailable("simulated: the disk is full")
        result = await write(work)
        self._process.done()
        if self._weather.strikes("database: commit unheard"):
            raise StoreUnavailable("simulated: committed, and the connection gone")
        return result

    async def read(self, work: "Work[T]") -> T:
        await self._reach()
        return await self._database.read(work)

    async def scrub(self) -> None:
        await self._reach()

    async def _reach(self) -> None:
        await self._process.step()
        if self._weather.lasts("database: down"):
            raise StoreUnavailable("simulated: the database is down")
        if self._weather.strikes("database: locked"):
            await asyncio.sleep(2.0)
            raise StoreUnavailable("simulated: locked by somebody else")


class FakeRedis:
    """The commands of `redis.asyncio.Redis` that the bot uses; ``values`` is the server's."""

    def __init__(self, process: Process, values: dict[str, str], weather: Weather) -> None:
        self._process = process
        self._values = values
        self._weather = weather

    async def get(self, key: str) -> str | None:
        await self._reach()
        if self._values and self._weather.strikes("redis: wrong value"):
            return self._weather.rng.choice(sorted(self._values.values()))
        return self._values.get(key)

    async def set(self, key: str, value: str, *, ex: int) -> None:
        await self._reach()
        self._values[key] = value

    async def delete(self, key: str) -> None:
        await self._reach()
        self._values.pop(key, None)

    async def _reach(self) -> None:
        await self._process.step()
        if self._weather.strikes("redis: flush"):
            self._values.clear()
        if self._weather.lasts("redis: down"):
            raise ConnectionGone
        if self._weather.lasts("redis: black hole"):
            await asyncio.sleep(1.0)
            raise NoAnswer


class Search:
    """Search and its write side over one index in memory."""

    version = "memory-1"

    def __init__(self, process: Process, index: MemoryIndex) -> None:
        self._process = process
        self._index = index

    async def search(self, *, terms: Sequence[str], scope: Scope, limit: int) -> Hits:
        await self._process.step()
        return await self._index.search(terms=terms, scope=scope, limit=limit)

    async def around(self, chunk: Chunk, *, tenant: str, reach: int) -> tuple[Chunk, ...]:
        await self._process.step()
        return await self._index.around(chunk, tenant=tenant, reach=reach)

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None:
        await self._process.step()
        await self._index.add(tenant=tenant, chunks=chunks)
        self._process.done()

    async def holds(self, *, tenant: str, source_id: str, snapshot: str) -> bool:
        return any(
            (owner, chunk.source_id, chunk.snapshot) == (tenant, source_id, snapshot)
            for (owner, _), chunk in self._index.chunks.items()
        )


class TaskReader:
    """The reader as one task's run asks it; each call is paid for, and never says the same twice.

    ``saved`` holds every (task, stage) that has a checkpoint.
    """

    name = "simulated"
    prompt_version = ""

    def __init__(
        self,
        process: Process,
        weather: Weather,
        *,
        task: str,
        saved: set[tuple[str, str]],
        history: list[Event],
    ) -> None:
        self._process = process
        self._weather = weather
        self._task = task
        self._saved = saved
        self._history = history

    async def plan(self, request: PlanRequest) -> Plan:
        await self._paid("plan")
        return reading.plan(request)

    async def select(self, request: SelectRequest) -> Selection:
        await self._paid("select")
        return reading.select(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        await self._paid("answer-2" if request.previous else "answer")
        return reading.answer(request, self._weather.rng)

    async def support(self, request: SupportRequest) -> Support:
        await self._paid("ground")
        return reading.support(request)

    async def _paid(self, stage: str) -> None:
        # What was sent before a process was stopped cannot be called back: it counts as of then.
        saved = (self._task, stage) in self._saved
        await self._process.step()
        at = self._weather.at()
        self._history.append(Read(at=at, task=self._task, stage=stage, saved=saved))
        if self._weather.strikes("reader: raises", stage):
            raise ReaderUnavailable("simulated")
        if self._weather.strikes("reader: says nothing usable", stage):
            raise FormatInvalid("simulated")
        if self._weather.strikes("reader: times out", stage):
            await asyncio.sleep(3_600.0)
        await asyncio.sleep(0.1 + self._weather.rng.random() * 2.0)
        self._process.done()


class NotedCheckpoints:
    """Checkpoints whose savings are noted in ``saved`` once they stand."""

    def __init__(self, kept: Any, saved: set[tuple[str, str]]) -> None:
        self._kept = kept
        self._saved = saved

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    async def save(self, lease: Lease, stage: str, document: str) -> str:
        kept: str = await self._kept.save(lease, stage, document)
        self._saved.add((lease.task, stage))
        return kept


class NotedCatalogue:
    """A run's catalogue; each time it says who may read what is noted."""

    def __init__(self, catalogue: Any, note: Callable[[], None]) -> None:
        self._catalogue = catalogue
        self._note = note

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalogue, name)

    async def permitted(self, *, tenant: str, principal: str, place: Place) -> Permitted:
        said: Permitted = await self._catalogue.permitted(
            tenant=tenant, principal=principal, place=place
        )
        self._note()
        return said


class MachineSpool:
    """The spool of the machine that a process runs on; its locks go when the process dies."""

    def __init__(self, process: Process, folder: Path) -> None:
        self._process = process
        self._spool = Spool(folder)
        self._held: list[Segment] = []
        process.at_death.append(self._die)

    @property
    def holds(self) -> bool:
        return self._spool.holds

    def append(self, texts: Sequence[str]) -> None:
        self._process.check()
        self._spool.append(texts)

    def sealed(self) -> Segment | None:
        self._process.check()
        segment = self._spool.sealed()
        self._held += [segment] if segment else []
        return segment

    def remove(self) -> None:
        self._process.check()
        self._spool.remove()

    def close(self) -> None:
        self._spool.close()

    def _die(self) -> None:
        self._spool.close()
        for segment in self._held:
            segment.held.close()
