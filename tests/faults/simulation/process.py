"""A process that can be killed or frozen between any two of its doings.

Everything a process does to the world passes `Process.step` before and `Process.done` after.
A dead one does nothing any more, whatever its ``finally`` blocks may try; a frozen one waits
there and goes on as if nothing had happened.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bot.errors import BotError
from rag.errors import FootnoteError

T = TypeVar("T")


class Killed(BaseException):
    """The process is dead; only what has no effect on the world still runs."""


_EXPECTED = (Killed, BotError, FootnoteError)
"""What a task of the program may end with; anything else is a fault of its own."""

CURRENT: ContextVar["Process | None"] = ContextVar("process", default=None)


@dataclass(eq=False)
class Process:
    """``name`` tells it from others; ``slowness`` is the longest pause before a step, in seconds.

    ``kill_at`` counts doings down: at zero the process dies there, before it (``kill_after``
    False) or when it is done and nobody has heard of it.
    """

    name: str
    rng: random.Random
    slowness: float = 0.004
    alive: bool = True
    started: float = 0.0
    died: float = 0.0
    frozen_since: float | None = None
    kill_at: int | None = None
    kill_after: bool = False
    on_death: Callable[["Process"], None] = lambda process: None
    thawed: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: dict["asyncio.Task[Any]", None] = field(default_factory=dict)
    errors: list[BaseException] = field(default_factory=list)
    at_death: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.thawed.set()

    async def step(self) -> None:
        """Before something is done to the world."""
        self.check()
        await asyncio.sleep(self.rng.random() * self.slowness)
        await self.thawed.wait()
        self.check()
        if self.kill_at is not None:
            self.kill_at -= 1
            if self.kill_at <= 0 and not self.kill_after:
                self.kill()
                raise Killed

    def done(self) -> None:
        """After something was done, before the process hears of it."""
        if self.kill_at is not None and self.kill_at <= 0 and self.alive:
            self.kill()
        self.check()

    async def doing(self, work: Callable[[], Awaitable[T]]) -> T:
        """`step`, the work, `done`."""
        await self.step()
        try:
            return await work()
        finally:
            self.done()

    def check(self) -> None:
        if not self.alive:
            raise Killed

    def kill(self) -> None:
        """No further effect, from this instant on."""
        if not self.alive:
            return
        self.alive = False
        self.died = asyncio.get_running_loop().time()
        self.thawed.set()
        for task in list(self.tasks):
            task.cancel()
        for let_go in self.at_death:
            let_go()
        self.on_death(self)

    def freeze(self) -> None:
        self.thawed.clear()
        self.frozen_since = asyncio.get_running_loop().time()

    def thaw(self) -> None:
        self.thawed.set()
        self.frozen_since = None

    def start(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Run ``work`` as this process's; all that it starts is this process's too."""
        token = CURRENT.set(self)
        try:
            return asyncio.get_running_loop().create_task(work)
        finally:
            CURRENT.reset(token)


def owned(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **named: Any
) -> "asyncio.Task[Any]":
    """A task factory that notes each task with the process it belongs to."""
    task = asyncio.Task(work, loop=loop, **named)
    process = CURRENT.get()
    if process is not None:
        process.tasks[task] = None
        task.add_done_callback(lambda ended: _ended(process, ended))
    return task


def _ended(process: Process, task: "asyncio.Task[Any]") -> None:
    process.tasks.pop(task, None)
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, _EXPECTED):
        process.errors.append(error)
