"""Who asks in a run of `tests.faults.paying`: a bot's own worker, or the terminal's commands."""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bot.engines.private_redis import private_redis
from bot.settings import load_settings
from bot.wiring import open_world
from tests.faults import acts, asked
from tests.faults.diary import Diary
from tests.faults.keeping import ended
from tests.faults.lane import SOCKET, SQLITE, Lane, lane, seed_demo
from tests.faults.mortal import WORK
from tests.faults.plan import Plan
from tests.faults.provider import Provider
from tests.models.server import ModelServer, model_server

MODULES = ("bot.engines.model.opening", "tests.faults.asked")
"""What the processes read first, besides the program."""

_QUESTION = acts.QUESTION.partition("> ")[2]
_LIVES = 4


@dataclass
class Worker:
    """`tests.faults.paying.Asker`: a question in Slack, and the worker that answers it."""

    lane: Lane

    @property
    def diary(self) -> Diary:
        return self.lane.diary

    async def ask(self, points: tuple[str, ...]) -> bool:
        return await acts.ask(self.lane, points) == acts.Seen()

    def kill(self) -> None:
        worker = self.lane.keeper.kept[WORK]
        worker.dying = True
        worker.process.kill()
        worker.process.join()


@dataclass
class Terminal:
    """`tests.faults.paying.Asker`: `footnote ask`, and `footnote resume` when it died."""

    folder: Path
    environment: dict[str, str]
    asked: int = 0
    process: Any = field(default=None)

    @property
    def diary(self) -> Diary:
        return Diary(self.folder)

    async def ask(self, points: tuple[str, ...]) -> bool:
        plan = Plan(self.folder)
        plan.write(points)
        self.asked += 1
        task = f"t{self.asked}"
        words: tuple[str, ...] = (
            "ask",
            _QUESTION,
            "--tenant",
            "demo",
            "--as",
            "alice",
            "--task",
            task,
            "--json",
        )
        for _ in range(_LIVES):
            if (code := await self._run(words)) >= 0:
                said = (self.folder / "said").read_text("utf-8")
                return code == 0 and acts.QUOTE in said and not plan.left()
            words = ("resume", task, "--json")
        return False

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    async def _run(self, words: tuple[str, ...]) -> int:
        given = (words, self.environment, str(self.folder))
        self.process = get_context("forkserver").Process(target=asked.run, args=given, daemon=True)
        self.process.start()
        await ended(self.process.sentinel)
        self.process.join()
        return int(self.process.exitcode)


@asynccontextmanager
async def _serving(provider: Provider) -> AsyncIterator[ModelServer]:
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # whoever asked is dead
    async with model_server(provider) as server:
        server.sent = provider.sent
        yield server


def _reading(server: ModelServer) -> dict[str, str]:
    return {"FOOTNOTE_READER": "openai:small", "FOOTNOTE_READER_URL": server.url}


@asynccontextmanager
async def worker(folder: Path, provider: Provider) -> AsyncIterator[Worker]:
    """A bot below the folder, which exists, whose reader is the provider's model."""
    async with _serving(provider) as server:
        opened = lane(folder, mode=SOCKET, engine=SQLITE, apart=True, more=_reading(server))
        async with opened as bot:
            yield Worker(bot)


@asynccontextmanager
async def terminal(
    folder: Path, provider: Provider, *, database: str = ""
) -> AsyncIterator[Terminal]:
    """The demo company below the folder, asked by commands. ``database``: as in `lane`."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(_serving(provider))
        redis = await stack.enter_async_context(private_redis(folder / "redis"))
        settings = load_settings(data=folder / "data", tenant="demo", database_url=database)
        async with open_world(settings) as world:
            await seed_demo(world)
        environment = {
            "FOOTNOTE_DATA": str(folder / "data"),
            "DATABASE_URL": database,
            "REDIS_URL": redis,
        }
        yield Terminal(folder, environment | _reading(server))
