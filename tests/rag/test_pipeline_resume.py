"""Killed, stopped, robbed of rights: what a task does when it is taken up again."""

import pytest

from rag.errors import BudgetExceeded, CheckpointTampered, FootnoteError, TaskExists
from rag.pipeline import STOPS, run, run_until
from rag.ports import PlanRequest
from rag.testing import RecordingObserver, ScriptedReader, World
from rag.testing.reader import plain_plan
from rag.testing.stores import digest
from rag.values import Clarification, Limits, Plan, Reason, Report, Status

LIMITS = Limits()
STAGES = (
    "authorize",
    "plan",
    "index",
    "retrieve",
    "select",
    "assemble",
    "answer",
    "ground",
    "report",
    "publish",
)


class Killed(Exception):
    """The process died here."""


def world_of_loans() -> World:
    world = World()
    world.add("loans", "A loan ends after seven days.", title="Lending")
    return world


def next_process(world: World) -> ScriptedReader:
    """A fresh process: a new reader and observer over the same stores."""
    world.reader, world.observer = ScriptedReader(), RecordingObserver()
    return world.reader


def shown(report: Report) -> tuple[Status, tuple[str, ...]]:
    quotes = tuple(c.quote for claim in report.answer.claims for c in claim.citations)
    return report.answer.status, quotes


@pytest.mark.parametrize("at", STAGES)
async def test_a_kill_before_any_stage_repeats_none_that_was_saved(at: str) -> None:
    world = world_of_loans()
    request = world.request("When does a loan end?")
    world.observer.interrupt[at] = Killed()
    with pytest.raises(Killed):
        await run(request, world.ports(), limits=LIMITS)
    spent, saved = list(world.reader.calls), set(world.checkpoints.stages("t1"))
    reader = next_process(world)
    world.context.packs.clear()
    report = await run(request, world.ports(), limits=LIMITS)
    assert shown(report) == (Status.ANSWERED, ("A loan ends after seven days.",))
    assert spent + reader.calls == ["plan", "select", "answer", "support"]
    assert not (saved - {"authorize"}) & set(world.observer.entered)
    assert len(world.publisher.shown) == 1
    assert report.trace.reader_calls == 4 or at in ("report", "publish")


@pytest.mark.parametrize("stop", STOPS)
async def test_stopping_saves_that_stage_delivers_nothing_and_can_go_on(stop: str) -> None:
    world = world_of_loans()
    request = world.request("loan")
    made = await run_until(request, world.ports(), limits=LIMITS, stop=stop)
    assert (made is not None) == (stop == "report")
    assert world.checkpoints.stages("t1")[-1] == STOPS[stop]
    assert world.publisher.shown == []
    next_process(world)
    report = await run(request, world.ports(), limits=LIMITS)
    assert shown(report) == (Status.ANSWERED, ("A loan ends after seven days.",))


async def test_delivering_again_calls_no_reader() -> None:
    world = world_of_loans()
    request = world.request("loan")
    first = await run(request, world.ports(), limits=LIMITS)
    reader = next_process(world)
    assert await run(request, world.ports(), limits=LIMITS) == first
    assert reader.calls == []


async def test_an_id_belongs_to_one_question() -> None:
    world = world_of_loans()
    await run(world.request("loan"), world.ports(), limits=LIMITS)
    with pytest.raises(TaskExists):
        await run(world.request("badge"), world.ports(), limits=LIMITS)


@pytest.mark.parametrize("stop", STOPS)
async def test_a_right_that_went_meanwhile_ends_refused_and_shows_nothing(stop: str) -> None:
    world = world_of_loans()
    request = world.request("loan")
    await run_until(request, world.ports(), limits=LIMITS, stop=stop)
    world.catalogue.set_readers("loans", "bob")
    reader = next_process(world)
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.REFUSED
    assert report.evidence == ()
    assert "seven days" not in report.model_dump_json()
    assert reader.calls == []
    assert world.publisher.shown in ([], [report])


async def test_a_question_back_is_not_shown_once_its_rights_are_gone() -> None:
    def asks(request: PlanRequest) -> Plan:
        which = Clarification(question="Do you mean Lending?")
        return plain_plan(request).model_copy(update={"clarification": which})

    world = world_of_loans()
    world.reader.on_plan = asks
    request = world.request("that one?")
    await run_until(request, world.ports(), limits=LIMITS, stop="report")
    world.catalogue.set_readers("loans", "bob")
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.REFUSED
    assert "Lending" not in report.model_dump_json()


async def test_a_right_lost_while_it_is_being_shown_withdraws_it() -> None:
    world = world_of_loans()
    world.publisher.meanwhile = lambda: world.catalogue.set_readers("loans", "bob")
    report = await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert len(world.publisher.withdrawn) == 1
    assert report.answer.status is Status.REFUSED
    assert "seven days" not in report.model_dump_json()


async def test_a_flipped_byte_in_a_snapshot_is_refused_as_tampered() -> None:
    world = world_of_loans()
    request = world.request("loan")
    await run_until(request, world.ports(), limits=LIMITS, stop="report")
    for sha in list(world.snapshots.texts):
        world.snapshots.flip(sha)
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.REFUSED
    assert report.trace.reason is Reason.SNAPSHOT_TAMPERED
    assert world.publisher.shown == []


@pytest.mark.parametrize("change", [{"title": "Another"}, {"ref": "elsewhere.md"}])
async def test_a_source_that_became_another_is_not_shown(change: dict[str, str]) -> None:
    world = world_of_loans()
    request = world.request("loan")
    await run_until(request, world.ports(), limits=LIMITS, stop="report")
    world.catalogue.put(world.catalogue.sources["loans"].model_copy(update=change))
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.REFUSED
    assert report.trace.reason is Reason.IDENTITY_MISMATCH
    assert world.publisher.shown == []


async def test_a_changed_checkpoint_is_noticed_and_nothing_is_shown() -> None:
    world = world_of_loans()
    request = world.request("loan")
    await run_until(request, world.ports(), limits=LIMITS, stop="report")
    for key, (document, sha) in list(world.checkpoints.documents.items()):
        world.checkpoints.documents[key] = (document.replace("seven", "eight"), sha)
    with pytest.raises(CheckpointTampered):
        await run(request, world.ports(), limits=LIMITS)
    assert world.publisher.shown == []


async def test_a_task_keeps_the_version_it_pinned() -> None:
    world = world_of_loans()
    request = world.request("loan")
    await run_until(request, world.ports(), limits=LIMITS, stop="indexed")
    world.add("loans", "A loan ends after nine days.", title="Lending")
    report = await run(request, world.ports(), limits=LIMITS)
    assert shown(report) == (Status.ANSWERED, ("A loan ends after seven days.",))


async def test_a_failed_stage_is_retried_and_the_rest_is_not() -> None:
    world = world_of_loans()
    request = world.request("loan")
    world.index.down = True
    with pytest.raises(FootnoteError):
        await run(request, world.ports(), limits=LIMITS)
    world.index.down = False
    reader = next_process(world)
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.ANSWERED
    assert reader.calls == ["select", "answer", "support"]


async def test_a_checkpoint_of_another_shape_is_refused_by_name() -> None:
    world = world_of_loans()
    request = world.request("When does a loan end?")
    await run_until(request, world.ports(), limits=LIMITS, stop="selected")
    older = '{"intent": 1, "older": true}'
    world.checkpoints.documents[request.task, "plan"] = (older, digest(older))
    with pytest.raises(CheckpointTampered, match="plan"):
        await run(request, world.ports(), limits=LIMITS)


async def test_a_repair_before_a_death_counts_to_the_calls_of_the_task() -> None:
    """So that no number of deaths lets a task ask more often than it may."""
    world = world_of_loans()
    request = world.request("When does a loan end?")
    world.observer.interrupt["answer"] = Killed()
    with pytest.raises(Killed):
        await run(request, world.ports(), limits=LIMITS)
    world.spending.heard["demo", "t1"] = {"plan": 2, "select": 2}
    next_process(world)
    with pytest.raises(BudgetExceeded) as caught:
        await run(request, world.ports(), limits=Limits(reader_calls=5))
    assert (caught.value.limit, caught.value.stage) == ("reader_calls", "ground")
    next_process(world)
    assert (await run(request, world.ports(), limits=LIMITS)).answer.status is Status.ANSWERED
