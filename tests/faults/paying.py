"""A worker that reads with a model over HTTP, killed around a call.

What was paid for is counted where it is charged: at the provider.
"""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rag.ports import Role
from tests.faults import acts
from tests.faults.lane import SOCKET, SQLITE, Lane, lane
from tests.faults.mortal import WORK
from tests.models.server import Body, model_server
from tests.models.steps import Step
from tests.models.talking import prompt_of, talking

STAGE: Mapping[Role, str] = {
    Role.PLAN: "plan",
    Role.SELECT: "select",
    Role.ANSWER: "answer",
    Role.SUPPORT: "ground",
}
_STALL = 0.4
"""Seconds a reply takes where the worker dies while it waits for one."""

_ANY = 0.25  # seconds within which a call and the saving of its stage are mostly over


@dataclass
class Provider:
    """Replies honestly; ``on_request`` is told of each request before it does."""

    asked: list[Role] = field(default_factory=list)
    on_request: Callable[[Role], float] = lambda _role: 0.0

    def __call__(self, body: Body) -> Step:
        role = prompt_of(body).role
        self.asked.append(role)
        stall = self.on_request(role)
        return talking()(body).model_copy(update={"stall": stall})


@dataclass(frozen=True, kw_only=True)
class Paid:
    """One question whose worker died once around the call of ``role``.

    ``again`` are the requests for stages that were saved before the death: each was paid
    for twice. ``lost`` of the requests brought a reply, or would have, that nobody had
    saved yet; they are made again, once.
    """

    role: Role
    where: str
    again: int
    lost: int
    answered: bool

    @property
    def good(self) -> bool:
        return self.again == 0 and self.lost <= 1 and self.answered


@dataclass(frozen=True, kw_only=True)
class Shop:
    """A bot and the provider that it pays."""

    lane: Lane
    provider: Provider

    async def before(self, role: Role) -> Paid:
        """The worker dies when it is about to send the request."""
        return await self._planned(role, "before it is sent", f"{STAGE[role]}:asked")

    async def saved(self, role: Role) -> Paid:
        """The worker dies when the call's stage has just been saved: between two calls."""
        return await self._planned(role, "once it is saved", f"{STAGE[role]}:after")

    async def during(self, role: Role) -> Paid:
        """The worker dies while it waits for the reply."""
        return await self._killed(role, "during it", after=_STALL / 4, stall=_STALL)

    async def anywhere(self, role: Role, chance: random.Random) -> Paid:
        """The worker dies at any moment from the sending of the request on."""
        after = chance.uniform(0.0, _ANY)
        return await self._killed(role, "at any moment from it on", after=after, stall=0.05)

    async def _planned(self, role: Role, where: str, point: str) -> Paid:
        """Die at a point of the program: then no request may be made a second time."""
        self._begin()
        seen = await acts.ask(self.lane, (point,))
        twice = sum(count - 1 for count in Counter(self.provider.asked).values())
        answered = seen == acts.Seen() and set(self.provider.asked) == set(Role)
        return Paid(role=role, where=where, again=twice, lost=0, answered=answered)

    async def _killed(self, role: Role, where: str, *, after: float, stall: float) -> Paid:
        self._begin()
        death = _Death(self.lane, self.provider)
        self.provider.on_request = death.over(role, after=after, stall=stall)
        seen = await acts.ask(self.lane, ())
        self.provider.on_request = lambda _role: 0.0
        later = Counter(self.provider.asked[death.requests :])
        again = sum(later[one] for one in Role if STAGE[one] in death.saved)
        unsaved = Counter(self.provider.asked[: death.requests])
        lost = sum(unsaved[one] for one in Role if STAGE[one] not in death.saved)
        answered = seen == acts.Seen() and death.met
        return Paid(role=role, where=where, again=again, lost=lost, answered=answered)

    def _begin(self) -> None:
        self.lane.diary.clear()
        self.provider.asked.clear()


@dataclass
class _Death:
    """One death of the worker, and what stood in the record and at the provider then."""

    lane: Lane
    provider: Provider
    met: bool = False
    saved: frozenset[str] = frozenset()
    requests: int = 0

    def over(self, role: Role, *, after: float, stall: float) -> Callable[[Role], float]:
        """Die so many seconds after the first request of ``role``, whose reply takes ``stall``."""

        def on_request(asked: Role) -> float:
            if asked is not role or self.met:
                return 0.0
            self.met = True
            asyncio.get_running_loop().call_later(after, self._die)
            return stall

        return on_request

    def _die(self) -> None:
        worker = self.lane.keeper.kept[WORK]
        worker.dying = True
        worker.process.kill()
        worker.process.join()  # what it had committed is committed, and nothing more is
        entries = self.lane.diary.read()
        self.saved = frozenset(entry.stage for entry in entries if entry.what == "saved")
        self.requests = len(self.provider.asked)


@asynccontextmanager
async def shop(folder: Path) -> AsyncIterator[Shop]:
    """A bot below the folder, which exists, whose reader is a model behind HTTP."""
    provider = Provider()
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # whoever asked is dead
    async with model_server(provider) as server:
        reading = {"FOOTNOTE_READER": "openai:small", "FOOTNOTE_READER_URL": server.url}
        opened = lane(folder, mode=SOCKET, engine=SQLITE, apart=True, more=reading)
        async with opened as bot:
            yield Shop(lane=bot, provider=provider)
