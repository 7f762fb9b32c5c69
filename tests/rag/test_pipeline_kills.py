"""A process that dies at the worst moments of a task that needs its one revision."""

import pytest

from rag.errors import UnsupportedClaim
from rag.pipeline import run
from rag.ports import AnswerRequest, SupportRequest
from rag.testing import RecordingObserver, ScriptedReader, World
from rag.testing.reader import plain_draft, plain_support
from rag.values import ClaimVerdict, Draft, Limits, Report, Request, Status, Support

LIMITS = Limits()
WRONG = "A loan ends."
RIGHT = "A loan ends after seven days."
SAVED = (
    *("authorize", "plan", "index", "retrieve", "select", "assemble", "answer", "ground"),
    *("answer-2", "ground-2", "report", "publish"),
)
CALLS = ["plan", "select", "answer", "support", "answer", "support"]


class Killed(Exception):
    """The process died here."""


def hasty(request: AnswerRequest) -> Draft:
    """Wrong at first, right once it was told why."""
    right = plain_draft(request)
    if request.previous:
        return right
    return Draft(claims=tuple(c.model_copy(update={"text": WRONG}) for c in right.claims))


def strict(request: SupportRequest) -> Support:
    if request.draft.claims[0].text != WRONG:
        return plain_support(request)
    return Support(verdicts=(ClaimVerdict(claim=0, supported=False, reasons=("too broad",)),))


def world_of_loans() -> World:
    world = World(reader=ScriptedReader(on_answer=hasty, on_support=strict))
    world.add("loans", RIGHT, title="Lending")
    return world


def dying_after(world: World, stage: str) -> None:
    def die(saved: str) -> None:
        if saved == stage:
            raise Killed

    world.checkpoints.on_save = die


async def taken_up_again(world: World, request: Request) -> Report:
    """The next process finds the stores, and a working context that has expired."""
    world.checkpoints.on_save = lambda stage: None
    world.observer = RecordingObserver()
    world.context.packs.clear()
    return await run(request, world.ports(), limits=LIMITS)


def told(report: Report) -> tuple[Status, tuple[str, ...]]:
    return report.answer.status, tuple(claim.text for claim in report.answer.claims)


@pytest.mark.parametrize("stage", SAVED)
async def test_a_kill_right_after_a_stage_was_saved_repeats_no_reader_call(stage: str) -> None:
    world = world_of_loans()
    request = world.request("When does a loan end?")
    dying_after(world, stage)
    with pytest.raises(Killed):
        await run(request, world.ports(), limits=LIMITS)
    report = await taken_up_again(world, request)
    assert told(report) == (Status.ANSWERED, (RIGHT,))
    assert world.reader.calls == CALLS
    assert report.trace.reader_calls == 6
    assert report.grounding is not None
    assert report.grounding.revisions == 1
    done = SAVED[1 : SAVED.index(stage) + 1]
    assert not set(done) - {"publish"} & set(world.observer.entered)


async def test_a_kill_after_every_stage_in_turn_still_ends_in_the_same_answer() -> None:
    world = world_of_loans()
    request = world.request("When does a loan end?")
    for stage in SAVED:
        dying_after(world, stage)
        with pytest.raises(Killed):
            await run(request, world.ports(), limits=LIMITS)
    report = await taken_up_again(world, request)
    assert told(report) == (Status.ANSWERED, (RIGHT,))
    assert world.reader.calls == CALLS


@pytest.mark.parametrize("call", ["on_plan", "on_select", "on_answer", "on_support"])
async def test_a_kill_inside_a_reader_call_repeats_that_call_alone(call: str) -> None:
    world = world_of_loans()
    request = world.request("When does a loan end?")
    usual = getattr(world.reader, call)

    def die(request: object) -> object:
        raise Killed

    setattr(world.reader, call, die)
    with pytest.raises(Killed):
        await run(request, world.ports(), limits=LIMITS)
    lost = world.reader.calls.pop()
    setattr(world.reader, call, usual)
    report = await taken_up_again(world, request)
    assert told(report) == (Status.ANSWERED, (RIGHT,))
    assert lost == call.removeprefix("on_")
    assert world.reader.calls == CALLS


async def test_a_revision_that_fails_is_kept_for_the_next_process_to_judge_again() -> None:
    world = world_of_loans()
    world.reader.on_answer = lambda request: hasty(request.model_copy(update={"previous": None}))
    request = world.request("When does a loan end?")
    for attempt in range(1, 3):
        with pytest.raises(UnsupportedClaim):
            await run(request, world.ports(), limits=LIMITS)
        assert world.reader.calls == CALLS + ["support"] * (attempt - 1)
    assert world.publisher.shown == []
    assert world.checkpoints.stages("t1")[-1] == "answer-2"


async def test_the_observer_and_the_trace_tell_a_second_attempt_from_the_first() -> None:
    world = world_of_loans()
    report = await run(world.request("When does a loan end?"), world.ports(), limits=LIMITS)
    assert world.observer.entered == list(SAVED)
    told_of = [(stage.stage, stage.attempt) for stage in report.trace.stages]
    assert told_of[-4:] == [("answer", 1), ("ground", 1), ("answer", 2), ("ground", 2)]
    assert sum(stage.reader_calls for stage in report.trace.stages) == 6
