"""The faults that begin at some instant of a run."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.storage.catalogue import SqlCatalogue
from tests.faults.simulation.company import (
    ALICE,
    COLLEAGUES,
    DUO,
    ERIN,
    GENERAL,
    GRACE,
    HR,
    TENANT,
    Company,
)
from tests.faults.simulation.crew import Crew, Place
from tests.faults.simulation.jobs import Row
from tests.faults.simulation.process import Process
from tests.faults.simulation.weather import TIMED, Weather

_HORIZON_SECONDS = 260.0
_FROM_NOW_ON = 1e12


@dataclass
class Nemesis:
    """Breaks what the weather of this run says, at instants of its own choosing."""

    crew: Crew
    company: Company
    catalogue: SqlCatalogue
    weather: Weather
    rng: random.Random
    clock_off: float = 0.0
    poisoned: str = ""

    async def strike(self) -> None:
        """Do all of it; returns when the last was done."""
        for place in self.crew.workers:
            place.hook = self._poison
        await asyncio.gather(*(self._times(name) for name in TIMED if name in self.weather.kinds))

    async def _times(self, name: str) -> None:
        for _ in range(_OFTEN.get(name, 1)):
            await asyncio.sleep(self.rng.random() * _HORIZON_SECONDS / _OFTEN.get(name, 1))
            await _STRIKES[name](self, name)

    def worker(self) -> Place:
        return self.rng.choice(self.crew.workers)

    def arm(self, place: Place, name: str) -> None:
        """Let the process die at one of its next doings, before or after it."""
        self.weather.note(name, place.name)
        place.process.kill_after = self.rng.random() < 0.5
        place.process.kill_at = self.rng.randint(1, 40)

    def _poison(self, process: Process, row: Row) -> None:
        name = "job: kills its worker every time"
        if self.poisoned == "wanted" and row.job.kind == "answer":
            self.poisoned = row.job.id
        if self.poisoned == row.job.id and not self.weather.calm:
            self.weather.note(name, row.job.id)
            process.kill_after, process.kill_at = False, 5


async def _kill(nemesis: Nemesis, name: str) -> None:
    nemesis.arm(nemesis.worker(), name)


async def _kill_twice(nemesis: Nemesis, name: str) -> None:
    place = nemesis.worker()
    nemesis.arm(place, name)
    first = place.process
    for _ in range(60):
        if place.process is first:
            await asyncio.sleep(1.0)
    for again in nemesis.crew.workers:
        nemesis.arm(again, name)


async def _kill_web(nemesis: Nemesis, name: str) -> None:
    nemesis.weather.note(name)
    place = nemesis.crew.web
    place.process.kill_after = nemesis.rng.random() < 0.5
    place.process.kill_at = nemesis.rng.randint(1, 4)


async def _freeze(nemesis: Nemesis, name: str) -> None:
    place = nemesis.worker()
    nemesis.weather.note(name, place.name)
    await place.frozen(6.0 + nemesis.rng.random() * 40.0)


async def _poison(nemesis: Nemesis, name: str) -> None:
    nemesis.poisoned = "wanted"


async def _outage(nemesis: Nemesis, name: str) -> None:
    nemesis.weather.begin(name, 1.0 + nemesis.rng.random() * _LONGEST[name])


async def _clock_back(nemesis: Nemesis, name: str) -> None:
    await _clock(nemesis, name, -600.0)


async def _clock_ahead(nemesis: Nemesis, name: str) -> None:
    await _clock(nemesis, name, 600.0)


async def _clock(nemesis: Nemesis, name: str, off: float) -> None:
    nemesis.weather.note(name)
    nemesis.clock_off += off
    await asyncio.sleep(20.0 + nemesis.rng.random() * 100.0)
    nemesis.clock_off -= off


async def _joins(nemesis: Nemesis, name: str) -> None:
    workspace = nemesis.company.workspace
    channel, user = nemesis.rng.choice([(DUO, ERIN), (GENERAL, "U0CAROL0001"), (DUO, GRACE)])
    if user not in workspace.channels[channel].members:
        nemesis.weather.note(name, channel)
        nemesis.company.join(channel, user)


async def _revoke(nemesis: Nemesis, name: str) -> None:
    source = nemesis.rng.choice(sorted(nemesis.company.readers))
    readers = nemesis.company.readers[source][1:]
    await nemesis.catalogue.set_readers(tenant=TENANT, source_id=source, readers=readers)
    nemesis.weather.note(name, source)
    nemesis.company.readers[source] = readers
    nemesis.company.tell_rights()


async def _deactivate(nemesis: Nemesis, name: str) -> None:
    user = nemesis.rng.choice([user for user in COLLEAGUES if user != ALICE])
    nemesis.weather.note(name, user)
    nemesis.company.deactivate(user)


async def _guest(nemesis: Nemesis, name: str) -> None:
    user = nemesis.rng.choice([user for user in COLLEAGUES if user != ALICE])
    nemesis.weather.note(name, user)
    nemesis.company.workspace.users[user]["is_restricted"] = True
    nemesis.company.tell_rights()


async def _archive(nemesis: Nemesis, name: str) -> None:
    channel = nemesis.rng.choice([DUO, HR])
    nemesis.weather.note(name, channel)
    nemesis.company.workspace.channels[channel].archived = True
    nemesis.company.workspace.shut(channel)


async def _remove_bot(nemesis: Nemesis, name: str) -> None:
    nemesis.weather.note(name, DUO)
    nemesis.company.workspace.channels[DUO].with_bot = False
    nemesis.company.workspace.shut(DUO)


async def _rewrite(nemesis: Nemesis, name: str) -> None:
    nemesis.weather.note(name)
    nemesis.company.edition += 1
    for source in sorted(nemesis.company.documents):
        nemesis.company.write(source)


Strike = Callable[[Nemesis, str], Awaitable[None]]

_STRIKES: dict[str, Strike] = {
    "worker: killed": _kill,
    "worker: killed twice": _kill_twice,
    "worker: frozen past its lease": _freeze,
    "web: killed": _kill_web,
    "job: kills its worker every time": _poison,
    "redis: down": _outage,
    "redis: black hole": _outage,
    "database: down": _outage,
    "database: disk full": _outage,
    "slack: down": _outage,
    "clock: back 10 minutes": _clock_back,
    "clock: ahead 10 minutes": _clock_ahead,
    "rights: member joins": _joins,
    "rights: reader revoked": _revoke,
    "rights: user deactivated": _deactivate,
    "rights: user becomes a guest": _guest,
    "place: channel archived": _archive,
    "place: bot removed": _remove_bot,
    "source: changed": _rewrite,
}
_OFTEN = {
    "worker: killed": 6,
    "worker: killed twice": 2,
    "worker: frozen past its lease": 4,
    "web: killed": 3,
    "redis: down": 2,
    "database: down": 2,
    "rights: reader revoked": 2,
    "source: changed": 2,
}
_LONGEST = {
    "redis: down": 60.0,
    "redis: black hole": 30.0,
    "database: down": 40.0,
    "database: disk full": 30.0,
    "slack: down": 30.0,
}
