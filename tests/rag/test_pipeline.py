"""The order of work over the fakes: every way a question can end."""

import asyncio
from collections.abc import Callable

import pytest

from rag.errors import (
    BudgetExceeded,
    Cancelled,
    ContextUnavailable,
    FootnoteError,
    LimitExceeded,
    ReaderUnavailable,
    SourceUnreadable,
    UnsupportedClaim,
)
from rag.pipeline import failed, run, run_until
from rag.ports import AnswerRequest, PlanRequest, SelectRequest, SupportRequest
from rag.testing import ScriptedReader, World
from rag.testing.reader import plain_draft, plain_plan, quoting
from rag.values import (
    ClaimVerdict,
    Clarification,
    Conflict,
    Draft,
    Limits,
    Option,
    Place,
    Plan,
    Reason,
    Selection,
    Status,
    Support,
)

LOAN = "# Loans\n\nA loan ends after seven days.\n\nA badge is lent by the desk."
LIMITS = Limits()


def lending(**reader: Callable[..., object]) -> World:
    """A world with one document everybody may read."""
    world = World(reader=ScriptedReader(**reader))  # type: ignore[arg-type] # scripts by name
    world.add("loans", LOAN, title="Lending")
    return world


async def test_an_ordinary_question_takes_four_reader_calls_and_is_delivered_once() -> None:
    world = lending()
    request = world.request("When does a loan end?")
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.ANSWERED
    assert [c.quote for c in report.answer.claims[0].citations] == ["A loan ends after seven days."]
    assert world.reader.calls == ["plan", "select", "answer", "support"]
    assert report.trace.reader_calls == 4
    assert world.publisher.shown == [report]
    assert world.observer.entered == [
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
    ]


async def test_each_quote_is_the_snapshots_own_slice() -> None:
    world = lending()
    report = await run(world.request("badge"), world.ports(), limits=LIMITS)
    citation = report.answer.claims[0].citations[0]
    text = await world.snapshots.get(citation.snapshot)
    assert text[citation.start : citation.end] == citation.quote
    assert report.trace.snapshots == {"loans": citation.snapshot}


@pytest.mark.parametrize("named", ["secret", "no-such-source"])
async def test_forbidden_and_unknown_sources_end_alike_before_any_reader(named: str) -> None:
    world = lending()
    world.add("secret", "The code is 1234.", readers=("bob",))
    request = world.request("code?").model_copy(update={"source_ids": ("loans", named)})
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.REFUSED
    assert report.trace.reason is Reason.UNAUTHORIZED
    assert world.reader.calls == []
    assert world.intake.pins == []
    assert report.answer.limitations == ("There is nothing here that can answer this question.",)


async def test_a_room_hears_only_what_everybody_in_it_may_read() -> None:
    world = lending()
    world.add("mine", "A loan of mine ends on Friday.", readers=("alice",))
    world.catalogue.rooms["C1"] = ("alice", "bob")
    here = world.request("loan").model_copy(update={"place": Place(channel="C1")})
    public = await run(here, world.ports(), limits=LIMITS)
    private = await run(world.request("loan", task="t2"), world.ports(), limits=LIMITS)
    assert set(public.trace.snapshots) == {"loans"}
    assert set(private.trace.snapshots) == {"loans", "mine"}


def asks_back(request: PlanRequest) -> Plan:
    which = Clarification(question="Which one?", options=(Option(id="1", text="Lending"),))
    return plain_plan(request).model_copy(update={"clarification": which})


async def test_a_question_back_costs_the_plan_call_alone_and_searches_nothing() -> None:
    world = lending(on_plan=asks_back)
    report = await run(world.request("and that one?"), world.ports(), limits=LIMITS)
    assert report.answer.status is Status.CLARIFY
    assert report.answer.clarification is not None
    assert report.answer.clarification.round == 1
    assert world.reader.calls == ["plan"]
    assert world.index.searches == []
    assert world.intake.pins == []


async def test_after_two_rounds_it_is_not_asked_back_again() -> None:
    world = lending(on_plan=asks_back)
    request = world.request("loan").model_copy(update={"rounds": 2})
    report = await run(request, world.ports(), limits=LIMITS)
    assert report.answer.status is Status.ANSWERED


async def test_nothing_found_costs_the_plan_call_alone() -> None:
    world = lending()
    report = await run(world.request("zebra"), world.ports(), limits=LIMITS)
    assert report.answer.status is Status.INSUFFICIENT
    assert report.trace.reason is Reason.EVIDENCE_MISSING
    assert world.reader.calls == ["plan"]
    assert "Lending" in report.markdown


async def test_nothing_relevant_stops_after_select() -> None:
    world = lending(on_select=lambda request: Selection(missing=("f1",)))
    report = await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert report.answer.status is Status.INSUFFICIENT
    assert report.trace.reason is Reason.RULE_UNDECIDED
    assert world.reader.calls == ["plan", "select"]


async def test_a_conflict_shows_both_sides_among_the_claims() -> None:
    def both(request: AnswerRequest) -> Draft:
        left, right = (quoting(item) for item in request.pack.evidence[:2])
        return Draft(claims=(left, right), conflicts=(Conflict(about="loan", sides=(left, right)),))

    world = lending(on_answer=both)
    world.add("other", "A loan ends after five days.", title="Other rule")
    report = await run(world.request("loan ends after days"), world.ports(), limits=LIMITS)
    assert report.answer.status is Status.CONFLICTING
    sides = report.answer.conflicts[0].sides
    assert {side.citations[0].source_id for side in sides} == {"loans", "other"}
    assert set(sides) <= set(report.answer.claims)


async def test_an_unreadable_source_that_was_routed_to_caps_the_status() -> None:
    world = lending()
    world.add("broken", None)
    report = await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert report.answer.status is Status.INSUFFICIENT
    assert report.answer.claims
    assert any("broken" in line for line in report.answer.limitations)
    assert report.trace.reason is Reason.SOURCE_UNREADABLE


async def test_an_unreadable_source_that_was_named_fails_the_task_by_name() -> None:
    world = lending()
    world.add("broken", None, title="Broken one")
    request = world.request("loan").model_copy(update={"source_ids": ("broken",)})
    with pytest.raises(SourceUnreadable) as caught:
        await run(request, world.ports(), limits=LIMITS)
    assert (caught.value.source_id, caught.value.title) == ("broken", "Broken one")
    assert caught.value.stage == "index"
    assert world.publisher.shown == []


def unconvinced(request: SupportRequest) -> Support:
    claims = range(len(request.draft.claims))
    return Support(
        verdicts=tuple(
            ClaimVerdict(claim=number, supported=False, reasons=("no",)) for number in claims
        )
    )


async def test_a_claim_that_falls_goes_back_once_with_the_reasons() -> None:
    def revised(request: AnswerRequest) -> Draft:
        if request.previous:
            assert request.feedback == ("claim 0: no",)
            return Draft(gaps=("Not established.",))
        return plain_draft(request)

    world = lending(on_answer=revised, on_support=unconvinced)
    report = await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert report.answer.status is Status.INSUFFICIENT
    assert report.answer.claims == ()
    assert "Not established." in report.answer.limitations
    assert world.reader.calls == ["plan", "select", "answer", "support", "answer"]
    assert report.grounding is not None
    assert report.grounding.revisions == 1


async def test_a_claim_that_falls_twice_publishes_nothing_and_a_resume_retries_that_stage() -> None:
    world = lending(on_support=unconvinced)
    request = world.request("loan")
    with pytest.raises(UnsupportedClaim) as caught:
        await run(request, world.ports(), limits=LIMITS)
    assert caught.value.stage == "ground-2"
    assert len(world.reader.calls) == 6
    assert world.publisher.shown == []
    again = ScriptedReader()
    report = await run(request, world.ports(reader=again), limits=LIMITS)
    assert report.answer.status is Status.ANSWERED
    assert again.calls == ["support"]
    assert report.trace.reader_calls == 6


async def test_a_task_may_not_spend_more_reader_calls_than_its_budget() -> None:
    world = lending()
    with pytest.raises(BudgetExceeded) as caught:
        await run(world.request("loan"), world.ports(), limits=Limits(reader_calls=2))
    assert (caught.value.limit, caught.value.stage) == ("reader_calls", "answer")
    assert world.reader.calls == ["plan", "select"]


async def test_calls_made_by_an_earlier_process_count() -> None:
    world = lending()
    request = world.request("loan")
    await run_until(request, world.ports(), limits=LIMITS, stop="selected")
    with pytest.raises(BudgetExceeded):
        await run(request, world.ports(), limits=Limits(reader_calls=2))


async def test_a_reader_that_hangs_is_unavailable() -> None:
    class Hanging(ScriptedReader):
        async def plan(self, request: PlanRequest) -> Plan:
            await asyncio.sleep(30)
            return await super().plan(request)

    world, impatient = lending(), Limits(reader_seconds=0.01)
    with pytest.raises(ReaderUnavailable) as caught:
        await run(world.request("loan"), world.ports(reader=Hanging()), limits=impatient)
    assert caught.value.stage == "plan"


async def test_a_task_past_its_time_starts_no_further_stage() -> None:
    def slow(request: SelectRequest) -> Selection:
        world.seconds += 500
        return Selection(chunk_ids=(request.candidates[0].chunk.id,))

    world = lending(on_select=slow)
    with pytest.raises(BudgetExceeded) as caught:
        await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert (caught.value.limit, caught.value.stage) == ("task_seconds", "assemble")


async def test_a_withdrawn_question_stops_between_stages() -> None:
    world = lending()
    world.observer.interrupt["select"] = Cancelled("never mind")
    with pytest.raises(Cancelled):
        await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert world.reader.calls == ["plan"]
    assert world.publisher.shown == []


@pytest.mark.parametrize("question", ["", "   ", "x" * 4001])
async def test_an_empty_or_endless_question_reaches_no_reader(question: str) -> None:
    world = lending()
    with pytest.raises(LimitExceeded) as caught:
        await run(world.request(question), world.ports(), limits=LIMITS)
    assert caught.value.limit == "question_characters"
    assert world.reader.calls == []


async def test_without_a_working_context_no_task_passes_assemble() -> None:
    world = lending()
    world.context.down = True
    with pytest.raises(ContextUnavailable) as caught:
        await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert caught.value.stage == "assemble"
    assert world.reader.calls == ["plan", "select"]


async def test_the_visible_failure_names_the_first_stage_and_shows_no_source() -> None:
    world = lending()
    world.index.down = True
    request = world.request("loan")
    with pytest.raises(FootnoteError) as caught:
        await run(request, world.ports(), limits=LIMITS)
    report = failed(request, caught.value, now=world.ports().now())
    assert report.answer.status is Status.FAILED
    assert report.trace.first_failure == "retrieve"
    assert report.answer.claims == ()
    assert "Lending" not in report.model_dump_json()
    assert world.retrievals.rows[-1]["failed"] == "IndexUnavailable"
