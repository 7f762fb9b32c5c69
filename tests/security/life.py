"""The whole bot in a town: real record, search, queue, Redis and sockets; only the reader is made.

People ask, press and list, some of them at once; between two rounds all is quiet.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp

from bot import serve
from bot.background import Background
from bot.fair_use import FairUse
from bot.parts import Answer, BuildAnswer
from bot.playground import Running, Settings, start
from bot.playground.workspace import find_channel
from bot.settings import Settings as BotSettings
from bot.wiring import World, open_world
from rag.ports import (
    AnswerRequest,
    Catalogue,
    Lease,
    Observer,
    PlanRequest,
    Publisher,
    Reader,
    SelectRequest,
    SupportRequest,
)
from rag.values import Draft, Plan, Report, Request, Selection, Support
from tests.bot.slack.queue_rows import execute
from tests.faults.redis_server import redis_server
from tests.faults.whole_bot import settings_of, whole_bot
from tests.security.fake_readers import Overheard
from tests.security.town import Town, dump, user_id

Json = dict[str, Any]
Make = Callable[[], Reader]
Hear = Callable[[Request, str], None]

_CALM_SECONDS = 0.1
_PATIENCE_SECONDS = 300.0
_PLENTY = 10**6
_UNBOUNDED = FairUse(
    person_minute=_PLENTY,
    person_day=_PLENTY,
    person_open=_PLENTY,
    tenant_hour=_PLENTY,
    tenant_day=_PLENTY,
)
_ASIDE = Background._guarded.__qualname__
_OPEN = "SELECT count(*) FROM workflow_status WHERE status IN ('PENDING', 'ENQUEUED')"
_reading: ContextVar[tuple[Request, Reader]] = ContextVar("reading")


class PerRun:
    """`rag.ports.Reader` that is another one in each run of a task."""

    name = "town"
    prompt_version = ""

    async def plan(self, request: PlanRequest) -> Plan:
        return await _reading.get()[1].plan(request)

    async def select(self, request: SelectRequest) -> Selection:
        return await _reading.get()[1].select(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        return await _reading.get()[1].answer(request)

    async def support(self, request: SupportRequest) -> Support:
        return await _reading.get()[1].support(request)


@dataclass(kw_only=True)
class Life:
    """``make`` gives each run its reader, which can be exchanged; ``hear`` gets its prompts."""

    running: Running
    session: aiohttp.ClientSession
    redis_url: str
    folder: Path
    make: Make
    hear: Hear
    opened: World | None = None
    setup: serve.Setup | None = None

    @property
    def home(self) -> Path:
        """The bot's data folder."""
        return self.folder / "bot"

    @property
    def temporary(self) -> Path:
        """Where temporary files lie while the town lives."""
        return self.folder / "tmp"

    @property
    def world(self) -> World:
        """What the bot has open."""
        assert self.opened is not None
        return self.opened

    async def post(self, name: str, /, **body: Any) -> Json:
        async with self.session.post(f"{self.running.url}/playground/{name}", json=body) as answer:
            found: Json = await answer.json()
        return found

    async def say(self, user: str, channel: str, text: str, *, thread: str = "") -> str:
        """The message's ts."""
        where = {"thread_ts": thread} if thread else {}
        said = await self.post("say", user=user, channel=channel, text=text, **where)
        assert said["ok"], (said, user, channel)
        return str(said["ts"])

    def bot_messages(self, channel: str) -> list[Json]:
        """What the bot has said in a channel, in order."""
        rows = self.running.workspace.state.rows(f"message:{channel}").values()
        return [row for row in rows if row.get("bot_id")]

    def channel_of(self, person: str, channel: str) -> str:
        """The id behind a room's name or a person's `dm`."""
        found = find_channel(self.running.workspace, channel, user=user_id(person))
        return str(found["id"])

    async def quiet(self, seconds: float = _CALM_SECONDS) -> None:
        """Return once nothing has been on its way for so long.

        Between taking a press and acting on it nothing shows: on a busy machine that
        moment may be longer than the shortest calm.
        """
        state, calm, last = self.running.workspace.state, 0.0, -1
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while calm < seconds:
                await asyncio.sleep(0.05)
                calls = int(next(reversed(state.rows("call")), "0"))
                moved = bool(state.rows("outbox")) or calls != last or _runs_aside()
                busy = moved or await self._works()
                calm, last = (0.0 if busy else calm + 0.05), calls

    async def _works(self) -> bool:
        assert self.setup is not None
        url = self.setup.queue_url
        return bool((await asyncio.to_thread(execute, url, _OPEN))[0][0])

    # What the bot is given in place of its own

    def altered(self, setup: serve.Setup) -> serve.Setup:
        self.setup = replace(setup, build_answer=partial(self._answering, setup.build_answer))
        return self.setup

    def _answering(self, build: BuildAnswer, catalogue: Catalogue) -> Answer:
        inner = build(catalogue)

        async def answer(
            request: Request, lease: Lease, publisher: Publisher, observer: Observer
        ) -> Report:
            reader = Overheard(self.make(), partial(self.hear, request))
            token = _reading.set((request, reader))
            try:
                return await inner(request, lease, publisher, observer)
            finally:
                _reading.reset(token)

        return answer


def _runs_aside() -> bool:
    """Whether a list, a window or the like is being made just now."""
    names = (getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks())
    return _ASIDE in names


@contextmanager
def _temporary_files(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before


@asynccontextmanager
async def living(
    town: Town, folder: Path, *, make: Make, hear: Hear, **settings: Any
) -> AsyncIterator[Life]:
    """A town with its bot, for the length of the block."""
    running = await start(Settings(data=folder / "playground", description=dump(folder)))
    try:
        async with redis_server() as server, aiohttp.ClientSession() as session:
            life = Life(
                running=running,
                session=session,
                redis_url=server.url,
                folder=folder,
                make=make,
                hear=hear,
            )
            more = {"concurrency": 8, "fair_use": _UNBOUNDED, **settings}
            own = settings_of(life.home, api_url=running.api_url, redis_url=server.url, **more)
            with _temporary_files(life.temporary):
                async with _settled(life, town, own) as world:
                    life.opened = world
                    yield life
    finally:
        await running.close()


@asynccontextmanager
async def _settled(life: Life, town: Town, settings: BotSettings) -> AsyncIterator[World]:
    async with open_world(settings) as world:
        await town.settle(world, life.folder / "documents")

    def alter(world: World) -> World:
        return replace(world, reader=PerRun())

    async with whole_bot(settings, alter_world=alter, alter_setup=life.altered) as world:
        yield world
