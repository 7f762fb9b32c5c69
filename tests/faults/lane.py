"""One bot of mortal processes in a workspace of its own, and the people who ask it."""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import sqlalchemy as sa

from bot.demo import Records, seed
from bot.playground import Running, Settings, start
from bot.queue.engine import inserting_engine, system_url
from bot.settings import load_settings
from bot.wiring import World, enrol, open_world
from tests.faults.between import Between
from tests.faults.diary import Diary
from tests.faults.keeping import Keeper, Kept, keeping
from tests.faults.mortal import BOTH, WEB, WORK
from tests.faults.plan import Plan
from tests.unlimited import ENVIRONMENT

Json = dict[str, Any]
Check = Callable[[], Awaitable[Any]]

HTTP, SOCKET = "HTTP", "Socket Mode"
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"

PATIENCE = 60.0
_RETRY_SCALE = 0.02  # Slack's waits of one and five minutes become 1.2 and 6 s
_ACK_SECONDS = 10.0  # Slack's own are 3, and the bot's 2.5; a busy machine has more patience
_ALEMBIC = asyncio.Lock()  # it keeps one migration's state for the whole process
_UNSET = ("FOOTNOTE_", "SLACK_", "DATABASE_", "REDIS_", "PORT")


class NotReached(Exception):
    """A point of the plan was never met, so this run shows nothing."""


@dataclass(frozen=True, kw_only=True)
class Lane:
    """A bot, its workspace and its plan. ``mode`` and ``engine`` are for the table."""

    mode: str
    engine: str
    running: Running
    session: aiohttp.ClientSession
    keeper: Keeper
    plan: Plan
    diary: Diary
    queue: sa.Engine

    async def post(self, name: str, /, **body: Any) -> Json:
        """Do something in the workspace; the answer."""
        url = f"{self.running.url}/playground/{name}"
        async with self.session.post(url, json=body) as answer:
            found: Json = await answer.json()
        assert found["ok"], found
        return found

    async def get(self, name: str, /, **query: str) -> Json:
        """Look at something in the workspace."""
        url = f"{self.running.url}/playground/{name}"
        async with self.session.get(url, params=query) as answer:
            found: Json = await answer.json()
        assert found["ok"], found
        return found

    async def ours(self, channel: str, person: str, thread: str = "") -> list[Json]:
        """The bot's messages that a person sees there, without what only they see."""
        query = {"channel": channel, "as": person} | ({"thread_ts": thread} if thread else {})
        seen = (await self.get("messages", **query))["messages"]
        return [row for row in seen if row.get("bot_id") and not row.get("ephemeral")]

    async def until(self, check: Check) -> Any:
        """What ``check`` returns, once it is true. Raises TimeoutError after a minute."""
        async with asyncio.timeout(PATIENCE):
            while True:
                if found := await check():
                    return found
                await asyncio.sleep(0.03)

    def arm(self, points: tuple[str, ...], *, pause: float = 0.0) -> None:
        """Plan to die at ``points``; ``pause`` is how many seconds a selection lasts."""
        self.keeper.due = self.keeper.deaths + len(points)
        self.plan.write(points, pause=pause)

    async def dead(self) -> None:
        """Return once all have died who were to. Raises `NotReached` when a point is not met."""
        idle_since = time.monotonic()
        while left := self.plan.left():
            if not await self.idle():
                idle_since = time.monotonic()
            if time.monotonic() - idle_since > 3.0:
                raise NotReached(left[0])
            await asyncio.sleep(0.05)
        async with asyncio.timeout(PATIENCE):
            while True:
                if self.keeper.deaths >= self.keeper.due:
                    return
                await asyncio.sleep(0.02)

    async def begin_anew(self) -> None:
        """Let every process die and come back, so that none remembers anything."""
        for part, one in self.keeper.kept.items():
            deaths = one.deaths
            await self.keeper.kill(part)
            await self.until(partial(_died_since, one, deaths))
        await self.keeper.until_ready()

    async def settled(self) -> None:
        """Return once nobody has anything left to do, and every process is up."""
        await self.keeper.until_ready()
        await self.until(self.idle)

    async def idle(self) -> bool:
        """Whether the queue is empty and Slack has nothing to deliver."""
        if (await self.get("deliveries"))["deliveries"]:
            return False
        return await asyncio.to_thread(self._jobs) == 0

    def _jobs(self) -> int:
        schema = None if self.queue.dialect.name == "sqlite" else "dbos"
        jobs = sa.table("workflow_status", sa.column("status"), schema=schema)
        unfinished = jobs.c.status.in_(("ENQUEUED", "PENDING"))
        query = sa.select(sa.func.count()).select_from(jobs).where(unfinished)
        with self.queue.connect() as connection:
            return int(connection.execute(query).scalar_one())


async def _died_since(one: Kept, deaths: int) -> bool:
    return one.deaths > deaths


@asynccontextmanager
async def lane(
    folder: Path,
    *,
    mode: str,
    engine: str,
    database: str = "",
    apart: bool = False,
    more: Mapping[str, str] | None = None,
) -> AsyncIterator[Lane]:
    """A company with the demo's documents and a bot of it, all below the folder, which exists.

    ``database`` is a PostgreSQL URL; empty means SQLite. ``apart``: listening and working
    are two processes. ``more`` is added to the environment of both.
    """
    async with AsyncExitStack() as stack:
        workspace = Settings(
            data=folder / "slack", ack_seconds=_ACK_SECONDS, retry_scale=_RETRY_SCALE
        )
        running = await start(workspace)
        stack.push_async_callback(running.close)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        given = ENVIRONMENT | {"FOOTNOTE_DATA": str(folder / "data"), "FOOTNOTE_TENANT": "demo"}
        settings = load_settings(data=folder / "data", tenant="demo", database_url=database)
        async with _ALEMBIC, open_world(settings) as world:
            await seed_demo(world)
        queue = inserting_engine(system_url(settings.record_url, settings.home))
        stack.callback(queue.dispose)
        plan, port = Plan(folder), free_port()
        parts: dict[str, Kept] = {}
        between = Between(
            plan,
            parts,
            slack=running.url,
            bot=f"http://127.0.0.1:{port}/slack/events",
        )
        await between.start(stack)
        given |= _environment(mode, port, database) | dict(more or {})
        for part in (WEB, WORK) if apart else (BOTH,):
            address = {"FOOTNOTE_SLACK_API_URL": f"{between.url}/{part}/api/"}
            parts[part] = Kept(part, given | address, folder)
        keeper = await stack.enter_async_context(keeping(list(parts.values())))
        await keeper.until_ready()
        made = Lane(
            mode=mode,
            engine=engine,
            running=running,
            session=session,
            keeper=keeper,
            plan=plan,
            diary=Diary(folder),
            queue=queue,
        )
        if mode == HTTP:
            url = f"{between.url}/{WEB if apart else BOTH}/events"
            await made.post("delivery", events_url=url, commands_url=url, interactivity_url=url)
        yield made


async def seed_demo(world: World) -> None:
    """Let the demo company and its documents be there."""
    records = Records(
        tenants=world.tenants,
        enrol=enrol(world.people),
        rooms=world.rooms,
        knowledge=world.knowledge,
        catalogue=world.catalogue,
        ingest=world.intake.pin,
    )
    await seed(records, folder=world.demo_folder)


def _environment(mode: str, port: int, database: str) -> dict[str, str]:
    return {
        "FOOTNOTE_SLACK_MODE": "http" if mode == HTTP else "socket",
        "FOOTNOTE_PORT": str(port),
        "SLACK_BOT_TOKEN": "xoxb-playground",
        "SLACK_APP_TOKEN": "xapp-playground",
        "SLACK_SIGNING_SECRET": "playground-secret",
        "DATABASE_URL": database,
    }


def free_port() -> int:
    """A port of this machine nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def forget_environment() -> None:
    """Let no setting of the person who runs the bench reach the bots."""
    for name in [name for name in os.environ if name.startswith(_UNSET)]:
        del os.environ[name]
