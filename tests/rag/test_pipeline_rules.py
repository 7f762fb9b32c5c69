"""Rules that hold across stages: what nobody may be shown, and what may not be spent twice."""

from datetime import date

import pytest

from rag.errors import FormatInvalid, LeaseLost
from rag.pipeline import run, run_until
from rag.ports import AnswerRequest, PlanRequest, SelectRequest, SupportRequest
from rag.testing import ScriptedReader, World
from rag.testing.reader import plain_plan, plain_selection, plain_support, quoting
from rag.values import (
    Claim,
    Clarification,
    Conflict,
    Draft,
    Indexed,
    Limits,
    Option,
    Plan,
    Reason,
    Request,
    Selection,
    SourceStatus,
    Status,
    Support,
)

LIMITS = Limits()
LOAN = "A loan ends after seven days.\n\nA badge is lent by the desk."


def unjudged(item: Claim) -> Claim:
    return item.model_copy(update={"text": "A loan never ends."})


@pytest.mark.parametrize("told", [0, 1, 2])
async def test_a_side_of_a_conflict_that_is_no_claim_is_never_shown(told: int) -> None:
    """Whatever is not among the claims has not been grounded."""

    def draft(request: AnswerRequest) -> Draft:
        claims = tuple(quoting(item) for item in request.pack.evidence[:2])
        sides = (unjudged(claims[0]), claims[1])
        return Draft(claims=claims[:told], conflicts=(Conflict(about="loans", sides=sides),))

    world = World(reader=ScriptedReader(on_answer=draft))
    world.add("loans", LOAN)
    with pytest.raises(FormatInvalid) as caught:
        await run(world.request("loan badge"), world.ports(), limits=LIMITS)
    assert caught.value.stage == "answer"
    assert world.publisher.shown == []


def asks_which(request: PlanRequest) -> Plan:
    """A question back that offers each title it saw."""
    options = tuple(Option(id=each.source_id, text=each.title) for each in request.titles)
    which = Clarification(question="Which one?", options=options)
    return plain_plan(request).model_copy(update={"clarification": which})


async def offered(world: World) -> Request:
    """A question back that is saved and not yet shown; it names two sources."""
    world.reader.on_plan = asks_which
    world.add("loans", LOAN, title="Lending")
    world.add("merger", LOAN, title="Merger with Acme")
    request = world.request("that one?")
    made = await run_until(request, world.ports(), limits=LIMITS, stop="report")
    assert made is not None
    assert "Merger" in made.model_dump_json()
    return request


async def test_a_title_whose_right_went_is_not_offered_though_another_stays() -> None:
    world = World()
    request = await offered(world)
    world.catalogue.set_readers("merger", "bob")
    for _ in range(2):
        report = await run(request, world.ports(), limits=LIMITS)
        assert report.answer.status is Status.REFUSED
        assert "Merger" not in report.model_dump_json()
    assert all("Merger" not in shown.model_dump_json() for shown in world.publisher.shown)


async def test_a_title_whose_right_goes_while_it_is_shown_is_withdrawn() -> None:
    world = World()
    request = await offered(world)
    world.publisher.meanwhile = lambda: world.catalogue.set_readers("merger", "bob")
    report = await run(request, world.ports(), limits=LIMITS)
    assert len(world.publisher.withdrawn) == 1
    assert report.answer.status is Status.REFUSED
    assert report.trace.reason is Reason.UNAUTHORIZED


async def test_a_question_back_is_shown_while_the_rights_stay() -> None:
    world = World()
    report = await run(await offered(world), world.ports(), limits=LIMITS)
    assert report.answer.status is Status.CLARIFY
    assert world.publisher.shown == [report]


async def test_a_refusal_that_was_saved_stays_one_and_costs_no_reader_call() -> None:
    world = World()
    world.add("secret", LOAN, readers=("bob",))
    request = world.request("loan")
    refused = await run(request, world.ports(), limits=LIMITS)
    assert refused.answer.status is Status.REFUSED
    world.catalogue.set_readers("secret", "alice")
    assert await run(request, world.ports(), limits=LIMITS) == refused
    assert world.reader.calls == []


async def test_where_nothing_was_read_yet_all_the_places_are_used() -> None:
    world = World()
    for number in range(25):
        world.add(f"s{number:02}", f"Paper {number} on badges.")
    report = await run(world.request("badge"), world.ports(), limits=LIMITS)
    assert len(report.trace.snapshots) == 20
    assert len(report.trace.retrieval_trace["sources_left_out"]) == 5


async def test_a_search_that_fails_once_is_tried_again_without_the_soft_filters() -> None:
    world = World()
    world.add("loans", LOAN)
    world.add("draft", "A loan ends after nine days.", status=SourceStatus.PROPOSED)
    world.index.failures = 1
    report = await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert report.answer.claims
    reason = report.trace.retrieval_trace["fallback_reason"]
    assert reason == "the search under the soft filters failed"
    (row,) = world.retrievals.rows
    assert row["fallback_reason"] == reason
    assert [len(scope.pins) for _, scope in world.index.searches] == [1, 2]


async def test_an_answer_that_is_ready_is_told_however_late() -> None:
    def slow(request: SupportRequest) -> Support:
        world.seconds += 500
        return plain_support(request)

    world = World(reader=ScriptedReader(on_support=slow))
    world.add("loans", LOAN)
    report = await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert report.answer.status is Status.ANSWERED
    assert world.publisher.shown == [report]


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({"effective_until": date(2026, 3, 1)}, SourceStatus.SUPERSEDED),
        ({"effective_from": date(2026, 3, 3)}, SourceStatus.PROPOSED),
        ({"effective_from": date(2026, 3, 2)}, SourceStatus.CURRENT),
    ],
)
async def test_a_source_is_pinned_with_the_standing_of_the_day_it_was_asked(
    dates: dict[str, date], expected: SourceStatus
) -> None:
    world = World()
    source = world.add("loans", LOAN)
    world.catalogue.put(source.model_copy(update=dates))
    request = world.request("loan")
    await run_until(request, world.ports(), limits=LIMITS, stop="indexed")
    saved = await world.checkpoints.load("t1", "index")
    (pinned,) = Indexed.model_validate_json(saved or "").pinned
    assert pinned.status is expected


def missing(request: SelectRequest) -> Selection:
    return plain_selection(request).model_copy(update={"missing": ("f1",)})


def gap(request: AnswerRequest) -> Draft:
    return Draft(gaps=("Not said.",))


@pytest.mark.parametrize(
    ("question", "reader", "stage"),
    [
        ("zebra", ScriptedReader(), "retrieve"),
        ("loan", ScriptedReader(on_select=lambda request: Selection()), "select"),
        ("loan", ScriptedReader(on_select=missing, on_answer=gap), "select"),
        ("loan", ScriptedReader(on_answer=gap), "answer"),
        ("loan", ScriptedReader(), ""),
    ],
)
async def test_the_trace_names_the_first_stage_that_kept_the_answer_from_being_whole(
    question: str, reader: ScriptedReader, stage: str
) -> None:
    world = World(reader=reader)
    world.add("loans", LOAN)
    report = await run(world.request(question), world.ports(), limits=LIMITS)
    assert report.trace.first_failure == stage
    assert (report.answer.status is Status.ANSWERED) == (not stage)


async def test_the_trace_of_a_late_refusal_names_the_stage_that_refused() -> None:
    world = World()
    world.add("loans", LOAN)
    request = world.request("loan")
    await run_until(request, world.ports(), limits=LIMITS, stop="selected")
    for sha in list(world.snapshots.texts):
        world.snapshots.flip(sha)
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.REFUSED
    assert report.trace.reason is Reason.SNAPSHOT_TAMPERED
    assert report.trace.first_failure == "ground"
    assert world.publisher.shown == []


@pytest.mark.parametrize("asked", range(4))
async def test_who_lost_the_task_within_a_stage_pays_no_reader(asked: int) -> None:
    stages = ["plan", "select", "answer", "ground"]
    world = World()
    world.add("loans", LOAN)
    world.observer.interrupt[f"{stages[asked]}:"] = LeaseLost("in other hands")
    with pytest.raises(LeaseLost):
        await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert len(world.reader.calls) == asked
    assert world.observer.entered[-1] == stages[asked]
