"""Each run of a task and each stage in it, seen from its beginning to its end.

The pipeline tells its observer when a stage is entered. A stage is taken to last
until the next one is entered or the run ends, so the little that is done between
two stages counts to the first.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Protocol, TypeVar

from bot.metering import ReaderMeter
from rag.errors import FootnoteError
from rag.ports import (
    AnswerRequest,
    Observer,
    PlanRequest,
    Reader,
    SelectRequest,
    SupportRequest,
)
from rag.values import Draft, Plan, Request, Selection, Support

V = TypeVar("V")


class Watch(Protocol):
    """Sees what runs, by ids alone; an error that ends it passes through."""

    def run(self, task: str) -> AbstractContextManager[None]:
        """One run of a task, from its first stage or from where it stopped before."""
        ...

    def stage(self, task: str, stage: str, attempt: int) -> AbstractContextManager[None]:
        """One attempt at a stage within the run."""
        ...


class _Watched:
    """`rag.ports.Observer`: asks ``inner`` first, then shows the stage to every watch."""

    def __init__(self, inner: Observer, watches: Sequence[Watch], stage: ExitStack) -> None:
        self._inner = inner
        self._watches = watches
        self._stage = stage

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        """Raise what ``inner`` raises; else the stage begins here."""
        self._stage.close()
        await self._inner.entering(request, stage, attempt)
        for watch in self._watches:
            self._stage.enter_context(watch.stage(request.task, stage, attempt))

    async def asking(self, request: Request) -> None:
        """Raise what ``inner`` raises."""
        await self._inner.asking(request)


@contextmanager
def watched(inner: Observer, watches: Sequence[Watch], *, task: str) -> Iterator[Observer]:
    """An observer for the run of a task that takes place in the block."""
    with ExitStack() as run, ExitStack() as stage:
        for watch in watches:
            run.enter_context(watch.run(task))
        yield _Watched(inner, watches, stage)


class CountedReader:
    """`rag.ports.Reader`: every call goes to ``inner`` and is counted with how it ended."""

    def __init__(self, inner: Reader, meter: ReaderMeter) -> None:
        self._inner = inner
        self._meter = meter

    @property
    def name(self) -> str:
        """The inner reader's."""
        return self._inner.name

    @property
    def prompt_version(self) -> str:
        """The inner reader's."""
        return self._inner.prompt_version

    async def plan(self, request: PlanRequest) -> Plan:
        """Counted as `plan`."""
        with self._counted("plan"):
            return await self._inner.plan(request)

    async def select(self, request: SelectRequest) -> Selection:
        """Counted as `select`."""
        with self._counted("select"):
            return await self._inner.select(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        """Counted as `answer`."""
        with self._counted("answer"):
            return await self._inner.answer(request)

    async def support(self, request: SupportRequest) -> Support:
        """Counted as `support`."""
        with self._counted("support"):
            return await self._inner.support(request)

    @contextmanager
    def _counted(self, call: str) -> Iterator[None]:
        outcome = "cancelled"  # by the time limit or by the end of the process
        try:
            yield
            outcome = "ok"
        except FootnoteError as error:
            outcome = error.reason.value
            raise
        finally:
            self._meter.read(call, outcome)
