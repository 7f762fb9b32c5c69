"""`footnote ask` and `footnote resume`."""

import json
from typing import Annotated

import typer

from bot.answer_json import as_json
from bot.cli.answers import answer_lines
from bot.cli.common import As, Tenant, err, existing, out, with_world
from bot.errors import WrongUsage
from bot.watch.observing import Handed, Telling
from bot.wiring import World, new_id, now, working_context
from rag.errors import FootnoteError, LeaseLost, TaskExists, UnknownTask
from rag.pipeline import STOPS, failed, run, run_until
from rag.ports import Lease
from rag.values import CONTRACT_VERSION, Place, Reason, Report, Request, Status, Trace, Turn

AsJson = Annotated[bool, typer.Option("--json", help="Print the one JSON object only.")]
StopAfter = Annotated[str, typer.Option("--stop-after", help=f"One of: {', '.join(STOPS)}.")]


def ask(
    question: Annotated[str, typer.Argument(help="The question, in Chinese or English.")],
    tenant: Tenant,
    principal: As,
    sources: Annotated[str, typer.Option(help="Only these source ids, comma-separated.")] = "",
    channel: Annotated[str, typer.Option("--in", help="Answer as if in this channel.")] = "",
    json_: AsJson = False,
    stop_after: StopAfter = "",
    task: Annotated[str, typer.Option(help="The new task's id.")] = "",
    reply_to: Annotated[str, typer.Option(help="The task this one answers or follows.")] = "",
) -> None:
    """Ask a question and print the answer with its quotes."""
    _check_stop(stop_after)
    _check_question(question)

    async def work(world: World) -> bool:
        named = await existing(world, tenant)
        place = await world.rooms.channel(tenant=named, text=channel) if channel else None
        request = Request(
            task=task or new_id(),
            tenant=named,
            principal=await world.people.resolve(tenant=named, text=principal),
            question=question,
            place=Place(channel=place),
            source_ids=tuple(name.strip() for name in sources.split(",") if name.strip()),
            asked_at=now(),
        )
        await _must_be_new(world, request.task)
        if reply_to:
            request = await _as_child(world, request, reply_to)
        return await _run(world, request, json_=json_, stop_after=stop_after)

    _end(with_world(work))


def resume(
    task: Annotated[str, typer.Argument(help="The task's id.")],
    question: Annotated[str, typer.Argument(help="Refused: a new question is a new task.")] = "",
    sources: Annotated[str, typer.Option(help="Refused: other sources are a new task.")] = "",
    json_: AsJson = False,
    stop_after: StopAfter = "",
) -> None:
    """Go on with a task where it stopped."""
    _check_stop(stop_after)
    if question or sources:
        raise WrongUsage("a new question, or other sources, is a new task: use `footnote ask`")

    async def work(world: World) -> bool:
        request = await world.checkpoints.request(task)
        return await _run(world, request, json_=json_, stop_after=stop_after)

    _end(with_world(work))


def _check_stop(stop_after: str) -> None:
    if stop_after and stop_after not in STOPS:
        raise WrongUsage(f"--stop-after takes one of: {', '.join(STOPS)}")


def _check_question(question: str) -> None:
    if not question.strip():
        raise WrongUsage("the question is empty")
    try:
        question.encode()
    except UnicodeEncodeError as error:
        raise WrongUsage("the question is not valid UTF-8") from error


def _end(well: bool) -> None:
    if not well:
        raise typer.Exit(1)


async def _must_be_new(world: World, task: str) -> None:
    try:
        await world.checkpoints.request(task)
    except UnknownTask:
        return
    raise TaskExists(f"there is a task {task} already; `footnote resume {task}` goes on with it")


async def _as_child(world: World, request: Request, parent: str) -> Request:
    """The request with its parent's conversation. Raises `WrongUsage` across tenants or people."""
    before = await world.checkpoints.request(parent)
    if (before.tenant, before.principal) != (request.tenant, request.principal):
        raise WrongUsage(f"task {parent} was asked by somebody else")
    saved = await world.checkpoints.load(parent, "report")
    turn = _turn(before, Report.model_validate_json(saved) if saved else None)
    return request.model_copy(
        update={
            "parent_id": parent,
            "turns": (*before.turns, turn),
            "rounds": before.rounds + 1 if turn.clarifying else 0,
        }
    )


def _turn(before: Request, report: Report | None) -> Turn:
    if report is None:
        return Turn(task=before.task, question=before.question, chosen_from=before.chosen_from)
    asked_back = report.answer.clarification
    told = "\n".join(claim.text for claim in report.answer.claims)
    return Turn(
        task=before.task,
        question=before.question,
        reply=asked_back.question if asked_back else told,
        clarifying=asked_back is not None,
        source_ids=tuple(sorted(report.told)),
        chosen_from=before.chosen_from,
    )


async def _run(world: World, request: Request, *, json_: bool, stop_after: str) -> bool:
    """Run and print; False when the task failed."""
    lease = await world.checkpoints.open(request)
    report = await _report(world, request, lease, stop_after)
    if report is None:
        err.print(f"task {request.task} stopped after {stop_after}")
        if json_:
            out.print(json.dumps(await _so_far(world, request), ensure_ascii=False, indent=2))
        return True
    reason = report.trace.reason if report.answer.status is Status.FAILED else None
    if not stop_after:
        await world.tasks.finish(
            tenant=request.tenant, lease=lease, status=report.answer.status, reason=reason
        )
    if json_:
        out.print(json.dumps(as_json(report), ensure_ascii=False, indent=2))
    else:
        out.print("\n".join(answer_lines(report)))
    return report.answer.status is not Status.FAILED


async def _so_far(world: World, request: Request) -> dict[str, object]:
    """The object of a task that was stopped early: what is saved, null where nothing is yet."""
    saved = {
        stage: json.loads(found)
        if (found := await world.checkpoints.load(request.task, stage))
        else None
        for stage in ("plan", "select")
    }
    return {
        "contract_version": CONTRACT_VERSION,
        "question": request.question,
        "task": request.task,
        "plan": saved["plan"],
        "selection": saved["select"],
        "evidence": [],
        "answer": None,
        "grounding": None,
        "trace": Trace(actor=request.principal, original_question=request.question).model_dump(
            mode="json"
        ),
    }


async def _report(world: World, request: Request, lease: Lease, stop_after: str) -> Report | None:
    limits = world.settings.limits
    observer = Telling(lambda stage: err.print(f"  … {stage}"))
    try:
        async with working_context(world.settings) as context:
            ports = world.ports(context=context, publisher=Handed(), observer=observer)
            if stop_after:
                return await run_until(request, ports, limits=limits, stop=stop_after, lease=lease)
            return await run(request, ports, limits=limits, lease=lease)
    except (TaskExists, UnknownTask, LeaseLost):
        raise
    except FootnoteError as error:
        err.print(f"task {request.task} failed: {error} ({_code(error.reason)})")
        return failed(request, error, now=now())


def _code(reason: Reason) -> str:
    return reason.value
