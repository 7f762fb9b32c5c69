"""The order of work, and the only place that knows it.

Each stage's result is saved before the next begins; a stage that is saved is
never run again, so neither is a reader call that succeeded. Rights are never
taken from what was saved: `authorize` runs on every entry.
"""

from datetime import datetime
from functools import partial

from rag.errors import FootnoteError, SnapshotTampered, UnsupportedClaim
from rag.ports import Lease, Reader
from rag.running import Ports, Running, Stopped
from rag.stages.answer import answer
from rag.stages.assemble import assemble
from rag.stages.authorize import authorize
from rag.stages.ground import ground
from rag.stages.index import index
from rag.stages.plan import plan
from rag.stages.publish import publish
from rag.stages.report import report
from rag.stages.retrieve import retrieve
from rag.stages.select import select
from rag.text.language import language_of
from rag.text.wording import say
from rag.values import (
    Answer,
    ContextPack,
    Draft,
    Grounding,
    Indexed,
    Limits,
    Permit,
    Plan,
    Published,
    Reason,
    Report,
    Request,
    Retrieved,
    Selection,
    Status,
    Support,
    Trace,
)

__all__ = ["STOPS", "Ports", "failed", "run", "run_until"]

STOPS = {"indexed": "index", "retrieved": "retrieve", "selected": "select", "report": "report"}
"""Where a task may be told to stop, by the stage that is then the last to be saved."""


async def run(
    request: Request, ports: Ports, *, limits: Limits, lease: Lease | None = None
) -> Report:
    """Run a question to its report and deliver it, or go on where it stopped.

    ``lease`` is the one of a caller who took the task up already. Raises
    `FootnoteError` where a stage failed: what is saved stays, and running the same
    request again retries that stage.
    """
    held = lease or await ports.checkpoints.open(request)
    task = Running(request=request, ports=ports, limits=limits, lease=held)
    try:
        return await _deliver(task, await _to_report(task))
    except SnapshotTampered as error:
        return _refused(request, ports, reason=error.reason, stage=error.stage)


async def run_until(
    request: Request, ports: Ports, *, limits: Limits, stop: str, lease: Lease | None = None
) -> Report | None:
    """Run until ``stop``, a key of `STOPS`, is saved; nothing is delivered.

    The report where one was reached by then, else None. ``lease`` and what is
    raised are as in `run`.
    """
    held = lease or await ports.checkpoints.open(request)
    task = Running(request=request, ports=ports, limits=limits, lease=held, last=STOPS[stop])
    try:
        return await _to_report(task)
    except Stopped:
        return None
    except SnapshotTampered as error:
        return _refused(request, ports, reason=error.reason, stage=error.stage)


async def _to_report(task: Running) -> Report:
    permit = await _authorize(task)
    if permit.refused or await task.saved("report", Report):
        return await _report(task)
    planned = await _plan(task, permit)
    if planned.clarification:
        return await _report(task)
    indexed = await _index(task, permit, planned)
    retrieved = await _retrieve(task, planned, indexed)
    if not retrieved.candidates:
        return await _report(task)
    selection = await _select(task, planned, indexed, retrieved)
    if not selection.chunk_ids:
        return await _report(task)
    pack = await _assemble(task, planned, indexed, retrieved, selection)
    task.note(pack=pack, grounding=await _grounded(task, pack))
    return await _report(task)


async def _grounded(task: Running, pack: ContextPack) -> Grounding:
    """Answer and ground; claims that fail go back once. Raises `UnsupportedClaim`."""
    draft = await _answer(task, pack, "answer", None, ())
    if not draft.claims:
        return Grounding(draft=draft)
    support = await task.reading("ground", Support, partial(_judge, task, pack, draft))
    failing = _failures(support)
    if not failing:
        return Grounding(draft=draft, verdicts=support.verdicts)
    revised = await _answer(task, pack, "answer-2", draft, failing)
    if not revised.claims:
        return Grounding(draft=revised, revisions=1)
    last = await task.reading("ground-2", Support, partial(_judge_last, task, pack, revised))
    return Grounding(draft=revised, verdicts=last.verdicts, revisions=1)


async def _deliver(task: Running, made: Report) -> Report:
    request, ports = task.request, task.ports
    published: Published = await task.afresh(
        "publish",
        lambda: publish(
            request,
            made,
            catalogue=ports.catalogue,
            intake=ports.intake,
            snapshots=ports.snapshots,
            publisher=ports.publisher,
            stopwatch=ports.stopwatch,
        ),
    )
    if published.refused or published.withdrawn:
        return _refused(request, ports, reason=published.reason, stage="publish")
    return made


def failed(request: Request, error: FootnoteError, *, now: datetime) -> Report:
    """The visible end of a task that failed; it shows nothing of any source."""
    trace = Trace(reason=error.reason, first_failure=error.stage)
    return _closed(request, now, status=Status.FAILED, trace=trace)


def _refused(request: Request, ports: Ports, *, reason: Reason | None, stage: str) -> Report:
    trace = Trace(reason=reason, first_failure=stage)
    return _closed(request, ports.now(), status=Status.REFUSED, trace=trace)


def _closed(request: Request, now: datetime, *, status: Status, trace: Trace) -> Report:
    """A report beside the saved one: a late refusal, or a failure."""
    language = language_of(request.question)
    named = {"actor": request.principal, "original_question": request.question}
    return Report(
        task=request.task,
        tenant=request.tenant,
        principal=request.principal,
        question=request.question,
        parent_id=request.parent_id,
        created_at=now,
        language=language,
        answer=Answer(status=status, limitations=(say(language, status.value),)),
        trace=trace.model_copy(update=named),
    )


def _failures(support: Support) -> tuple[str, ...]:
    return tuple(
        f"claim {verdict.claim}: {'; '.join(verdict.reasons)}"
        for verdict in support.verdicts
        if not (verdict.supported and verdict.quotes_found)
    )


# Each stage with the ports it may use.


async def _authorize(task: Running) -> Permit:
    ports = task.ports
    permit = await task.afresh(
        "authorize",
        lambda: authorize(task.request, catalogue=ports.catalogue, new_id=ports.new_id),
    )
    if await task.rights_gone(permit):
        permit = permit.model_copy(update={"refused": True, "source_ids": ()})
    task.note(permit=permit)
    return permit


async def _plan(task: Running, permit: Permit) -> Plan:
    async def work(reader: Reader) -> Plan:
        catalogue, limits = task.ports.catalogue, task.limits
        return await plan(task.request, permit, catalogue=catalogue, reader=reader, limits=limits)

    made = await task.reading("plan", Plan, work)
    task.note(plan=made)
    return made


async def _index(task: Running, permit: Permit, planned: Plan) -> Indexed:
    ports = task.ports
    made = await task.stage(
        "index",
        Indexed,
        lambda: index(
            task.request,
            permit,
            planned,
            catalogue=ports.catalogue,
            intake=ports.intake,
            engine=ports.index,
            limits=task.limits,
        ),
    )
    task.note(indexed=made)
    return made


async def _retrieve(task: Running, planned: Plan, indexed: Indexed) -> Retrieved:
    engine, log, limits = task.ports.index, task.ports.retrievals, task.limits
    made = await task.stage(
        "retrieve",
        Retrieved,
        lambda: retrieve(task.request, planned, indexed, engine=engine, log=log, limits=limits),
    )
    task.note(retrieved=made)
    return made


async def _select(task: Running, planned: Plan, indexed: Indexed, found: Retrieved) -> Selection:
    async def work(reader: Reader) -> Selection:
        return await select(
            task.request, planned, indexed, found, reader=reader, limits=task.limits
        )

    made = await task.reading("select", Selection, work)
    task.note(selection=made)
    return made


async def _assemble(
    task: Running, planned: Plan, indexed: Indexed, found: Retrieved, selection: Selection
) -> ContextPack:
    return await task.stage(
        "assemble",
        ContextPack,
        lambda: assemble(
            task.request,
            planned,
            indexed,
            found,
            selection,
            context=task.ports.context,
            count_tokens=task.ports.count_tokens,
            limits=task.limits,
        ),
    )


async def _answer(
    task: Running, pack: ContextPack, name: str, previous: Draft | None, why: tuple[str, ...]
) -> Draft:
    async def work(reader: Reader) -> Draft:
        context = task.ports.context
        return await answer(
            task.request, pack, context=context, reader=reader, previous=previous, feedback=why
        )

    return await task.reading(name, Draft, work)


async def _judge(task: Running, pack: ContextPack, draft: Draft, reader: Reader) -> Support:
    return await ground(task.request, pack, draft, snapshots=task.ports.snapshots, reader=reader)


async def _judge_last(task: Running, pack: ContextPack, draft: Draft, reader: Reader) -> Support:
    """Grounding of the one revision: what fails now is not saved, so that a resume retries it."""
    support = await _judge(task, pack, draft, reader)
    if _failures(support):
        raise UnsupportedClaim(f"task {task.request.task}: a revised claim is not supported")
    return support


async def _report(task: Running) -> Report:
    found = task.findings()
    if found.permit.refused and await task.saved("plan", Plan):
        # Rights were there when this task began: what is saved is not for showing now.
        return _refused(task.request, task.ports, reason=Reason.UNAUTHORIZED, stage="authorize")
    ports, request = task.ports, task.request

    async def work() -> Report:
        spent = await ports.spending.of(tenant=request.tenant, task=request.task)
        whole = found.model_copy(update={"spent": spent})
        return await report(request, whole, snapshots=ports.snapshots, now=ports.now())

    return await task.stage("report", Report, work)
