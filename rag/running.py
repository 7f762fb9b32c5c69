"""How a stage is run: from its checkpoint where there is one, within the budgets where not."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import ValidationError

from rag.errors import (
    BudgetExceeded,
    CheckpointTampered,
    FootnoteError,
    FormatInvalid,
    ReaderUnavailable,
)
from rag.ports import (
    AnswerRequest,
    Asking,
    Behalf,
    Catalogue,
    Checkpoints,
    Clock,
    CountTokens,
    Index,
    Intake,
    Lease,
    NewId,
    Observer,
    PlanRequest,
    Publisher,
    Reader,
    RetrievalLog,
    SelectRequest,
    Snapshots,
    Spending,
    Stopwatch,
    SupportRequest,
    WorkingContext,
)
from rag.stages.report import Findings
from rag.values import (
    Draft,
    Indexed,
    Limits,
    Permit,
    Plan,
    Request,
    Selection,
    StageTrace,
    Support,
    Trace,
    Value,
)

V = TypeVar("V", bound=Value)
A = TypeVar("A", bound=Asking)

_TELLING = {"report", "publish"}


class Stopped(Exception):
    """The stage that a task was told to stop after is saved."""


def _attempt(name: str) -> tuple[str, int]:
    """A checkpoint's stage and attempt: ``answer-2`` is the second attempt at ``answer``."""
    stage, _, number = name.partition("-")
    return stage, int(number or 1)


@dataclass(frozen=True, kw_only=True)
class Ports:
    """Everything a task may do to the world."""

    reader: Reader
    catalogue: Catalogue
    intake: Intake
    snapshots: Snapshots
    index: Index
    checkpoints: Checkpoints
    context: WorkingContext
    publisher: Publisher
    observer: Observer
    retrievals: RetrievalLog
    spending: Spending
    now: Clock
    stopwatch: Stopwatch
    count_tokens: CountTokens
    new_id: NewId


@dataclass(frozen=True, kw_only=True)
class _Sure:
    """`rag.ports.Reader`: asked only while ``sure`` lets it, for a call may be paid for.

    Between a stage's beginning and its call a process may stand still for long, and
    whoever took the task over has made the call meanwhile.
    """

    reader: Reader
    sure: Callable[[], Awaitable[None]]
    behalf: Behalf
    malformed: str

    @property
    def name(self) -> str:
        return self.reader.name

    @property
    def prompt_version(self) -> str:
        return self.reader.prompt_version

    async def plan(self, request: PlanRequest) -> Plan:
        return await self.reader.plan(await self._asked(request))

    async def select(self, request: SelectRequest) -> Selection:
        return await self.reader.select(await self._asked(request))

    async def answer(self, request: AnswerRequest) -> Draft:
        return await self.reader.answer(await self._asked(request))

    async def support(self, request: SupportRequest) -> Support:
        return await self.reader.support(await self._asked(request))

    async def _asked(self, request: A) -> A:
        await self.sure()
        return request.model_copy(update={"behalf": self.behalf, "malformed": self.malformed})


@dataclass
class Running:
    """One run of a task in its lease: what was found so far, and the reader calls spent.

    ``last`` is the stage after whose saving the run stops, by raising `Stopped`.
    """

    request: Request
    ports: Ports
    limits: Limits
    lease: Lease
    found: Findings = field(default_factory=lambda: Findings(permit=Permit(decision_id="")))
    stages: list[StageTrace] = field(default_factory=list)
    calls: int = 0
    last: str | None = None
    began: float = field(init=False)
    _kept: dict[str, str] | None = None
    _heard: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        self.began = self.ports.stopwatch()

    def note(self, **results: Value) -> None:
        """Keep a stage's result for the report."""
        self.found = self.found.model_copy(update=results)

    def findings(self) -> Findings:
        """What the report is made from."""
        return self.found.model_copy(
            update={
                "reader": self.ports.reader.name,
                "prompt_version": self.ports.reader.prompt_version,
                "reader_calls": self.calls,
                "index_version": self.ports.index.version,
                "trace": Trace(stages=tuple(self.stages)),
            }
        )

    async def rights_gone(self, permit: Permit) -> bool:
        """Whether a source whose text or title this task used may no longer be used."""
        used = set(self.request.chosen_from)
        if planned := await self.saved("plan", Plan):
            used.update(planned.titles_of)
        if indexed := await self.saved("index", Indexed):
            used.update(pin.source_id for pin in indexed.pinned)
        return not used <= set(permit.source_ids)

    async def saved(self, name: str, kind: type[V]) -> V | None:
        """A stage's saved result, if it has one.

        Raises `CheckpointTampered` also for one of a shape this version does not know.
        """
        document = (await self._documents()).get(name)
        return None if document is None else self._read(name, kind, document)

    async def _documents(self) -> dict[str, str]:
        """All that is saved; while the lease is ours nobody else saves, so it is read once."""
        if self._kept is None:
            self._kept = dict(await self.ports.checkpoints.saved(self.request.task))
        return self._kept

    def _read(self, name: str, kind: type[V], document: str) -> V:
        try:
            return kind.model_validate_json(document)
        except ValidationError as error:
            task = self.request.task
            raise CheckpointTampered(f"task {task}: stage {name} has another shape") from error

    async def afresh(self, name: str, work: Callable[[], Awaitable[V]]) -> V:
        """A stage whose saved result is never trusted."""
        made, _ = await self._run(name, work)
        return made

    async def stage(self, name: str, kind: type[V], work: Callable[[], Awaitable[V]]) -> V:
        """The saved result of a stage; where there is none its result now, saved.

        The result that was saved first is the one that counts, whoever saved it.
        """
        made = await self.saved(name, kind)
        if made is None:
            made, kept = await self._run(name, work)
            if kept != made.model_dump_json():
                made = self._read(name, kind, kept)
        else:
            stage, attempt = _attempt(name)
            self.stages.append(StageTrace(stage=stage, attempt=attempt, resumed=True))
        if name == self.last and name != "report":
            raise Stopped
        return made

    async def reading(self, name: str, kind: type[V], work: Callable[[Reader], Awaitable[V]]) -> V:
        """A stage that asks the reader, within the budgets of calls and seconds.

        A call whose result was saved counts, whichever process made it, and with it
        the one that it repaired; one that failed left nothing and counts in its own
        process alone, so that a failed stage can be retried. A reply of the wrong shape
        may be repaired once, from the same budget. Raises `BudgetExceeded`,
        `FormatInvalid`, `ReaderUnavailable`.
        """
        if await self.saved(name, kind) is not None:
            self.calls += max(1, (await self._replies()).get(name, 0))

        async def asked() -> V:
            try:
                return await self._ask(name, work, "")
            except FormatInvalid as error:
                return await self._ask(name, work, str(error))

        return await self.stage(name, kind, asked)

    async def _replies(self) -> Mapping[str, int]:
        """What each stage had been replied when this run came to its first saved call."""
        if self._heard is None:
            request, spending = self.request, self.ports.spending
            self._heard = await spending.replies(tenant=request.tenant, task=request.task)
        return self._heard

    async def _ask(self, name: str, work: Callable[[Reader], Awaitable[V]], malformed: str) -> V:
        if self.calls >= self.limits.reader_calls:
            raise BudgetExceeded("the reader was asked too often", limit="reader_calls")
        self.calls += 1
        reader = _Sure(
            reader=self.ports.reader,
            sure=self._may_ask,
            behalf=self._behalf(name),
            malformed=malformed,
        )
        try:
            async with asyncio.timeout(self.limits.reader_seconds):
                return await work(reader)
        except TimeoutError as error:
            raise ReaderUnavailable("the reader took too long") from error

    def _behalf(self, stage: str) -> Behalf:
        return Behalf(
            tenant=self.request.tenant,
            task=self.request.task,
            rights=self.found.permit.fingerprint,
            stage=stage,
            lease=self.lease.number,
        )

    async def _may_ask(self) -> None:
        await self.ports.observer.asking(self.request)

    async def _run(self, name: str, work: Callable[[], Awaitable[V]]) -> tuple[V, str]:
        """What the stage makes now, and the document that is kept of it."""
        ports = self.ports
        started, calls = ports.stopwatch(), self.calls
        try:
            self._in_time(name, started)
            await ports.observer.entering(self.request, *_attempt(name))
            made = await work()
            kept = await ports.checkpoints.save(self.lease, name, made.model_dump_json())
            (await self._documents())[name] = kept
        except FootnoteError as error:
            error.stage = error.stage or name
            raise
        seconds = round(ports.stopwatch() - started, 6)
        spent = self.calls - calls
        stage, attempt = _attempt(name)
        self.stages.append(
            StageTrace(stage=stage, attempt=attempt, seconds=seconds, reader_calls=spent)
        )
        return made, kept

    def _in_time(self, name: str, now: float) -> None:
        """What has been answered and grounded is told, however late."""
        if name not in _TELLING and now - self.began > self.limits.task_seconds:
            raise BudgetExceeded("the task ran out of time", limit="task_seconds")
