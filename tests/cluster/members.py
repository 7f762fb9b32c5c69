"""The processes of a cluster: whichever dies is started again, as any supervisor does."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

_READY_SECONDS = 90.0
_STOP_SECONDS = 30.0
_PAUSE_SECONDS = 0.2
_SHORT_LIFE_SECONDS = 3.0


@dataclass
class Member:
    """One `footnote` process by name, with its own environment; its log goes to ``log``."""

    name: str
    words: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    deaths: int = 0
    process: Process | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    reborn: asyncio.Event = field(default_factory=asyncio.Event)
    stopping: bool = False

    async def live(self) -> None:
        """Run it, again whenever it dies, until it is told to stop."""
        while not self.stopping:
            born = time.monotonic()
            await self._once()
            if self.stopping:
                return
            self.deaths += 1
            hurried = time.monotonic() - born < _SHORT_LIFE_SECONDS
            await asyncio.sleep(_PAUSE_SECONDS * (5 if hurried else 1))

    async def _once(self) -> None:
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", *self.words, "--until-stdin-closes"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=log,
                env=dict(self.environment),
            )
        assert self.process.stdout is not None
        if self.deaths:
            self.reborn.set()
        async for line in self.process.stdout:
            if line.startswith(b"ready"):
                self.ready.set()
        self.ready.clear()
        await self.process.wait()

    @property
    def alive(self) -> bool:
        """Whether its process runs at the moment."""
        return self.process is not None and self.process.returncode is None

    def kill(self) -> bool:
        """End it and all it has forked with SIGKILL, as a machine dies; whether it was alive."""
        if self.process is None or not self.alive:
            return False
        forked = self.forked()
        self.process.kill()
        _kill(forked)
        return True

    def kill_forked(self) -> int:
        """End with SIGKILL what it has forked, and not itself; how many those were."""
        return _kill(self.forked())

    def forked(self) -> list[int]:
        """The processes that are its children at the moment."""
        if self.process is None or not self.alive:
            return []
        main = self.process.pid
        with contextlib.suppress(OSError):
            return [int(one) for one in _children(main).read_text("ascii").split()]
        return []

    async def stop(self) -> None:
        """Ask it to end, as a deployment does, and insist after a while."""
        self.stopping = True
        if self.process is None or not self.alive:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self.process.wait(), _STOP_SECONDS)
        except TimeoutError:
            self.kill()
            await self.process.wait()

    async def again(self) -> None:
        """Return once a process that was killed lives again."""
        await asyncio.wait_for(self.reborn.wait(), _READY_SECONDS)

    async def until_ready(self) -> None:
        """Return once it says that it is ready. Raises TimeoutError naming its log."""
        try:
            await asyncio.wait_for(self.ready.wait(), _READY_SECONDS)
        except TimeoutError as error:
            raise TimeoutError(f"{self.name} did not become ready; see {self.log}") from error


def _children(process: int) -> Path:
    return Path(f"/proc/{process}/task/{process}/children")


def _kill(processes: Sequence[int]) -> int:
    killed = 0
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
            killed += 1
    return killed


@asynccontextmanager
async def alive(members: Sequence[Member]) -> AsyncIterator[None]:
    """All of them living for the length of the block."""
    lives = [asyncio.create_task(member.live()) for member in members]
    try:
        yield
    finally:
        await asyncio.gather(*(member.stop() for member in members))
        await asyncio.gather(*lives, return_exceptions=True)


async def run_once(*words: str, environment: Mapping[str, str]) -> None:
    """A `footnote` command from start to end. Raises RuntimeError when it fails."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words), env=dict(environment), stdin=DEVNULL
    )
    if await process.wait():
        raise RuntimeError(f"footnote {' '.join(words)} ended with {process.returncode}")
