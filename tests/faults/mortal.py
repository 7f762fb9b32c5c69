"""The program of `footnote serve` and `footnote work`, dying with SIGKILL where its plan says.

Nothing of the program is replaced: it is put together by `bot.wiring`, with the reader
and the observer it would have anyway, each behind a listener.
"""

import asyncio
import os
import signal
import threading
from contextvars import ContextVar
from dataclasses import dataclass, replace
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from bot import serve
from bot.logs import configure
from bot.parts import Answer
from bot.settings import Settings, load_settings
from bot.starting import slack_setup
from bot.wiring import open_world, working_context
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
    WorkingContext,
)
from rag.values import ContextPack, Draft, Plan, Report, Request, Selection, Support
from tests.faults import plan, statements
from tests.faults.diary import Diary

BOTH, WEB, WORK = "both", "web", "work"

_REPLIES = {"before": "received", "after": "kept"}

_now: ContextVar[tuple[str, str]] = ContextVar("task and stage", default=("", ""))


def die() -> None:
    """End this process as a failing machine would."""
    os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait()  # the signal is on its way; nothing more may happen


@dataclass(frozen=True)
class Ears:
    """Hears every point, and dies where the plan says."""

    plan: plan.Plan
    diary: Diary

    def hear(self, point: str) -> None:
        name, _, where = point.partition(":")
        what, _, stage = name.partition("-")
        if what == "reply" and where in _REPLIES:
            self.diary.note(_REPLIES[where], stage)
        if self.plan.meets(point):
            die()

    def saved(self, task: str, stage: str) -> None:
        self.diary.add("saved", task, stage)


class Watched:
    """An observer that says when a stage begins."""

    def __init__(self, observer: Observer, ears: Ears) -> None:
        self._observer = observer
        self._ears = ears

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        name = stage if attempt == 1 else f"{stage}-{attempt}"
        _now.set((request.task, name))
        self._ears.hear(f"{name}:before")
        await self._observer.entering(request, stage, attempt)

    async def asking(self, request: Request) -> None:
        await self._observer.asking(request)


class Counted:
    """A reader whose every call stands in the diary; it may die over one."""

    def __init__(self, reader: Reader, ears: Ears) -> None:
        self._reader = reader
        self._ears = ears

    @property
    def name(self) -> str:
        return self._reader.name

    @property
    def prompt_version(self) -> str:
        return self._reader.prompt_version

    async def plan(self, request: PlanRequest) -> Plan:
        self._asked()
        return await self._reader.plan(request)

    async def select(self, request: SelectRequest) -> Selection:
        self._asked()
        await asyncio.sleep(self._ears.plan.pause())
        return await self._reader.select(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        self._asked()
        return await self._reader.answer(request)

    async def support(self, request: SupportRequest) -> Support:
        self._asked()
        return await self._reader.support(request)

    def _asked(self) -> None:
        task, stage = _now.get()
        self._ears.diary.add("call", task, stage)
        self._ears.hear(f"{stage}:asked")


class Heard:
    """A working context that says when it is used."""

    def __init__(self, context: WorkingContext, ears: Ears) -> None:
        self._context = context
        self._ears = ears

    async def load(self, task: str) -> ContextPack | None:
        return await self._context.load(task)

    async def update(self, pack: ContextPack) -> None:
        self._ears.hear("context:before")
        await self._context.update(pack)
        self._ears.hear("context:after")


def watched(setup: serve.Setup, ears: Ears) -> serve.Setup:
    """The same setup with an observer that hears."""

    def build_answer(catalogue: Catalogue) -> Answer:
        inner = setup.build_answer(catalogue)

        async def answer(
            request: Request, lease: Lease, publisher: Publisher, observer: Observer
        ) -> Report:
            return await inner(request, lease, publisher, Watched(observer, ears))

        return answer

    return replace(setup, build_answer=build_answer)


async def _run(settings: Settings, part: str, ears: Ears, ready: Any) -> None:
    async with open_world(settings) as world, working_context(settings) as context:
        mortal = replace(world, reader=Counted(world.reader, ears))
        setup = watched(slack_setup(mortal, Heard(context, ears)), ears)
        if part == WORK:
            ready.set()
            await serve.work(setup)
            return
        work = part == BOTH
        if settings.slack_mode == "socket":
            await serve.serve_socket(setup, work=work, ready=ready.set)
        else:
            host, port = settings.host, settings.port
            await serve.serve_http(setup, work=work, host=host, port=port, ready=ready.set)


def run(part: str, environment: dict[str, str], folder: str, ready: Any) -> None:
    """A whole process: ``part`` of a bot with that environment, its plan in ``folder``."""
    threading.Thread(target=die_with_the_bench, daemon=True).start()
    os.environ.update(environment)
    os.chdir(folder)  # no .env of the checkout
    log = os.open(f"log.{part}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    ears = Ears(plan.Plan(Path(folder)), Diary(Path(folder)))
    statements.listen(ears.hear, ears.saved)
    settings = load_settings()
    configure(settings.log_level)
    asyncio.run(_run(settings, part, ears, ready))


def die_with_the_bench() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGKILL)
