"""Keeps the processes of a bot running: whichever dies is started again at once."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.faults.mortal import run

_CONTEXT = get_context("forkserver")
_READY_SECONDS = 60.0
_STOP_SECONDS = 30.0


def warm_up(*more: str) -> None:
    """Let processes be forked from one that has read the program already: it saves seconds each.

    ``more`` are modules that they need besides.
    """
    _CONTEXT.set_forkserver_preload(["tests.faults.mortal", *more])


@dataclass
class Kept:
    """One part of the bot: its living process, and how often it died."""

    part: str
    environment: Mapping[str, str]
    folder: Path
    deaths: int = 0
    process: Any = None
    ready: Any = None
    stopping: bool = False
    dying: bool = False

    def start(self) -> None:
        """Begin its life."""
        self.ready = _CONTEXT.Event()
        arguments = (self.part, dict(self.environment), str(self.folder), self.ready)
        self.process = _CONTEXT.Process(target=run, args=arguments, daemon=True)
        self.process.start()
        self.dying = False

    async def keep(self) -> None:
        """Start it again whenever it dies, until it is told to stop."""
        while True:
            await ended(self.process.sentinel)
            if self.stopping:
                return
            self.process.join()
            self.deaths += 1
            self.start()

    async def kill(self) -> None:
        """End it with SIGKILL, and return once it is gone."""
        self.dying = True
        dying = self.process
        dying.kill()
        await asyncio.to_thread(dying.join)

    def up(self) -> bool:
        """Whether it takes what Slack sends."""
        return not self.dying and self.ready.is_set() and bool(self.process.is_alive())

    async def stop(self) -> None:
        """Ask it to end, as a deployment does."""
        self.stopping = True
        if self.process.is_alive():
            self.process.terminate()
            await asyncio.to_thread(self.process.join, _STOP_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            await asyncio.to_thread(self.process.join)

    async def until_ready(self) -> None:
        """Return once it lives and is connected. Raises TimeoutError after a minute."""
        async with asyncio.timeout(_READY_SECONDS):
            while True:
                if self.up():
                    return
                await asyncio.sleep(0.02)


async def ended(sentinel: int) -> None:
    """Return once the process of that sentinel has ended."""
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()
    loop.add_reader(sentinel, gone.set)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(sentinel)


class Keeper:
    """All parts of one bot."""

    def __init__(self, kept: list[Kept]) -> None:
        self.kept = {one.part: one for one in kept}
        self.due = 0
        """The deaths there will have been once the plan is carried out."""

    @property
    def deaths(self) -> int:
        """How often any of them died."""
        return sum(one.deaths for one in self.kept.values())

    async def kill(self, part: str) -> None:
        """End that part with SIGKILL; it is started again by itself."""
        await self.kept[part].kill()

    async def until_ready(self) -> None:
        """Return once every part is connected."""
        for one in self.kept.values():
            await one.until_ready()


@asynccontextmanager
async def keeping(kept: list[Kept]) -> AsyncIterator[Keeper]:
    """Every part running for the length of the block, whatever kills it."""
    for one in kept:
        one.start()
    watching = [asyncio.create_task(one.keep()) for one in kept]
    try:
        yield Keeper(kept)
    finally:
        await asyncio.gather(*(one.stop() for one in kept))
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
