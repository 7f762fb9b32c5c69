"""Stages from selection to the report: what is believed, kept and said."""

from typing import cast

import pytest

from rag.errors import BudgetExceeded, Cancelled, FormatInvalid, UnsupportedClaim
from rag.pipeline import run
from rag.ports import AnswerRequest, Asking, PlanRequest, SelectRequest, SupportRequest
from rag.testing import ScriptedReader, World
from rag.testing.reader import plain_plan, plain_selection, quoting
from rag.values import (
    ContextPack,
    Contradiction,
    Draft,
    Limits,
    Plan,
    Reason,
    Report,
    Selection,
    SourceStatus,
    Status,
    Support,
    TimeState,
    Verdict,
)

LIMITS = Limits()


def world_of(reader: ScriptedReader, **texts: str) -> World:
    world = World(reader=reader)
    for name, text in texts.items():
        world.add(name, text)
    return world


async def ask(world: World, question: str = "loan", limits: Limits = LIMITS) -> Report:
    return await run(world.request(question), world.ports(), limits=limits)


BAD_SELECTIONS = {
    "a chunk it was not given": lambda request: Selection(chunk_ids=("elsewhere",)),
    "a facet nobody asked for": lambda request: Selection(
        chunk_ids=(request.candidates[0].chunk.id,), missing=("f9",)
    ),
    "one side of a contradiction": lambda request: Selection(
        chunk_ids=(request.candidates[0].chunk.id,),
        contradictions=(
            Contradiction(
                about="loan",
                chunk_ids=(request.candidates[0].chunk.id, request.candidates[1].chunk.id),
            ),
        ),
    ),
}


@pytest.mark.parametrize("what", BAD_SELECTIONS)
async def test_a_selection_of_what_was_not_given_is_invalid(what: str) -> None:
    reader = ScriptedReader(on_select=BAD_SELECTIONS[what])
    with pytest.raises(FormatInvalid) as caught:
        await ask(world_of(reader, a="A loan ends.", b="A loan begins."))
    assert caught.value.stage == "select"
    assert reader.calls == ["plan", "select", "select"]


async def test_a_reply_of_the_wrong_shape_is_repaired_once_from_the_same_budget() -> None:
    told: list[str] = []

    def wrong_first(request: SelectRequest) -> Selection:
        told.append(request.malformed)
        return plain_selection(request) if request.malformed else Selection(chunk_ids=("no",))

    reader = ScriptedReader(on_select=wrong_first)
    report = await ask(world_of(reader, a="A loan ends."))
    assert told == ["", "the selection names what it was not given"]
    assert report.trace.reader_calls == 5
    with pytest.raises(BudgetExceeded) as caught:
        await ask(world_of(reader, a="A loan ends."), limits=Limits(reader_calls=2))
    assert (caught.value.limit, caught.value.stage) == ("reader_calls", "select")


async def test_a_reader_is_told_on_whose_behalf_it_is_asked() -> None:
    reader = ScriptedReader()
    world = world_of(reader, a="A loan ends.")
    request = world.request("loan")
    await run(request, world.ports(), limits=LIMITS)
    behalves = {cast(Asking, asked).behalf for asked in reader.asked}
    assert {(one.tenant, one.task) for one in behalves} == {(request.tenant, request.task)}
    assert all(one.rights for one in behalves)


def contradicting(request: SelectRequest) -> Selection:
    ids = tuple(item.chunk.id for item in request.candidates)
    return Selection(
        chunk_ids=ids, contradictions=(Contradiction(about="loan", chunk_ids=(ids[0], ids[1])),)
    )


async def packed(world: World, **limits: int) -> ContextPack:
    bounded = LIMITS.model_copy(update=limits)
    await run(world.request("loan"), world.ports(), limits=bounded)
    return world.context.packs["t1"]


async def test_over_budget_a_chunk_becomes_a_shorter_run_of_whole_lines() -> None:
    lines = "\n".join(["Some words on other things."] * 40 + ["A loan ends after seven days."])
    pack = await packed(world_of(ScriptedReader(), a=lines), evidence_characters=400)
    chunk = pack.evidence[0].chunk
    assert len(chunk.text) <= 400
    assert chunk.text.endswith("A loan ends after seven days.")
    assert set(chunk.text.split("\n")) <= set(lines.split("\n"))
    assert lines[chunk.start : chunk.end] == chunk.text
    assert chunk.lines[1] == 41


async def test_both_sides_of_a_contradiction_are_kept_or_the_task_fails() -> None:
    texts = {"a": "Loan: seven days " * 20, "b": "Loan: five days " * 20}
    reader = ScriptedReader(on_select=contradicting)
    with pytest.raises(BudgetExceeded) as caught:
        await packed(world_of(reader, **texts), evidence_characters=500)
    assert (caught.value.limit, caught.value.stage) == ("evidence_characters", "assemble")


async def test_too_many_tokens_are_an_explicit_failure() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        await ask(world_of(ScriptedReader(), a="A loan " * 50), limits=Limits(evidence_tokens=10))
    assert caught.value.limit == "evidence_tokens"


async def test_a_chunk_that_found_no_room_stands_in_the_trace() -> None:
    def every(request: SelectRequest) -> Selection:
        made = plain_selection(request)
        verdicts = tuple(
            Verdict(chunk_id=chunk_id, relevant=True, facets=("f1",)) for chunk_id in made.chunk_ids
        )
        return made.model_copy(update={"verdicts": verdicts})

    world = world_of(ScriptedReader(on_select=every), a="A loan ends. " * 30, b="Loan. " * 60)
    report = await ask(world, limits=Limits(evidence_characters=400))
    left_out = report.trace.context_pack["left_out"]
    assert len(left_out) == 1
    assert left_out[0] not in {item.chunk.id for item in report.evidence}


async def test_answer_reads_what_was_assembled_even_if_the_context_was_changed() -> None:
    world = world_of(ScriptedReader(), a="A loan ends after seven days.")
    world.observer.interrupt["answer"] = Cancelled("between two processes")
    with pytest.raises(Cancelled):
        await ask(world)
    assembled = world.context.packs["t1"]
    world.context.packs["t1"] = assembled.model_copy(update={"question": "another", "evidence": ()})
    world.observer.interrupt.clear()
    report = await ask(world)
    seen = next(asked for asked in world.reader.asked if isinstance(asked, AnswerRequest))
    assert seen.pack == assembled == world.context.packs["t1"]
    assert report.answer.status is Status.ANSWERED


def saying(text: str) -> ScriptedReader:
    """A reader whose one claim says ``text`` of the first quote."""

    def write(request: AnswerRequest) -> Draft:
        claim = quoting(request.pack.evidence[0])
        return Draft(claims=(claim.model_copy(update={"text": text}),))

    return ScriptedReader(on_answer=write)


@pytest.mark.parametrize(
    "text",
    ["A loan ends after 8 days.", "A loan ends after 7 hours.", "A loan never ends after 7 days."],
)
async def test_a_claim_beyond_its_quote_falls_whatever_the_reader_says(text: str) -> None:
    world = world_of(saying(text), a="A loan ends after 7 days.")
    with pytest.raises(UnsupportedClaim):
        await ask(world)
    assert world.publisher.shown == []
    assert world.reader.calls.count("support") == 2


async def test_the_present_rests_on_no_superseded_source() -> None:
    world = World()
    world.add("old", "A loan ends after 9 days.", status=SourceStatus.SUPERSEDED)
    with pytest.raises(UnsupportedClaim):
        await ask(world)


async def test_a_proposal_told_as_if_it_held_falls_and_told_as_one_stands() -> None:
    def about_the_proposal(request: PlanRequest) -> Plan:
        return plain_plan(request).model_copy(update={"time_state": TimeState.PROPOSED})

    async def tell(text: str) -> Report:
        reader = saying(text)
        reader.on_plan = about_the_proposal
        world = World(reader=reader)
        world.add("r9", "The loan limit is 9 bytes.", status=SourceStatus.PROPOSED)
        return await ask(world, "loan")

    assert (await tell("Proposal only: 9 bytes.")).answer.status is Status.ANSWERED
    with pytest.raises(UnsupportedClaim):
        await tell("The loan limit is 9 bytes.")


async def test_a_comparison_that_lacks_one_side_is_insufficient() -> None:
    def comparing(request: PlanRequest) -> Plan:
        return plain_plan(request).model_copy(update={"time_state": TimeState.COMPARE})

    def both(request: AnswerRequest) -> Draft:
        return Draft(claims=tuple(quoting(item) for item in request.pack.evidence))

    one = world_of(ScriptedReader(on_plan=comparing), a="A loan ends.", b="A loan begins.")
    assert (await ask(one)).answer.status is Status.INSUFFICIENT
    two = world_of(
        ScriptedReader(on_plan=comparing, on_answer=both), a="A loan ends.", b="A loan begins."
    )
    assert (await ask(two)).answer.status is Status.ANSWERED


async def test_a_missing_verdict_is_no_support() -> None:
    reader = ScriptedReader(on_support=lambda request: Support())
    with pytest.raises(UnsupportedClaim):
        await ask(world_of(reader, a="A loan ends."))


async def test_no_reader_sees_text_of_a_source_outside_the_permitted_set() -> None:
    world = world_of(ScriptedReader(), a="A loan ends.")
    world.add("secret", "A loan of 424242 is hidden.", readers=("bob",))
    await world.intake.pin(world.catalogue.sources["secret"])
    await ask(world)
    kinds = (PlanRequest, SelectRequest, AnswerRequest, SupportRequest)
    seen = [asked for asked in world.reader.asked if isinstance(asked, kinds)]
    assert len(seen) == 4
    assert all("424242" not in asked.model_dump_json() for asked in seen)


async def test_the_trace_holds_evidence_first_and_no_source_text() -> None:
    report = await ask(world_of(ScriptedReader(), a="A loan ends after 7 days."))
    trace = report.trace
    assert trace.actor == "alice"
    assert trace.permission_decision
    assert trace.reader == "scripted"
    assert trace.index_version == "memory-1"
    assert trace.evidence_blocks[0]["source"] == "a"
    assert trace.rerank_trace[0]["after"] == 0
    assert set(trace.rerank_trace[0]["features"]) >= {"text", "title", "fused"}
    assert trace.context_pack["characters"] == len("A loan ends after 7 days.")
    assert "ends after" not in trace.model_dump_json()
    assert [stage.stage for stage in trace.stages][:3] == ["authorize", "plan", "index"]


async def test_a_gap_is_told_in_the_askers_language() -> None:
    world = world_of(ScriptedReader(), a="没有关系的内容。")
    world.reader.on_plan = lambda request: plain_plan(request).model_copy(update={"language": "zh"})
    report = await ask(world, "zebra")
    assert report.answer.status is Status.INSUFFICIENT
    assert report.trace.reason is Reason.EVIDENCE_MISSING
    assert report.answer.limitations == ("在可读的来源中没有找到能回答这个问题的内容。",)


async def test_the_markdown_shows_each_quote_with_its_source_and_version() -> None:
    report = await ask(world_of(ScriptedReader(), a="A loan ends after 7 days."))
    assert "> A loan ends after 7 days." in report.markdown
    assert report.answer.claims[0].citations[0].snapshot[:12] in report.markdown


async def test_over_budget_both_sides_of_a_contradiction_become_whole_sentences() -> None:
    texts = {"a": "A loan lasts seven days. " * 20, "b": "A loan lasts five days. " * 20}
    reader = ScriptedReader(on_select=contradicting)
    pack = await packed(world_of(reader, **texts), evidence_characters=500)
    assert {item.source.source_id for item in pack.evidence} == {"a", "b"}
    assert pack.characters <= 500
    assert all(item.chunk.text.endswith("days.") for item in pack.evidence)
    assert all(len(item.chunk.text) > 200 for item in pack.evidence)


async def test_what_is_needed_stays_whole_while_there_is_room_for_it() -> None:
    def one_matters(request: SelectRequest) -> Selection:
        made = plain_selection(request)
        first = Verdict(chunk_id=made.chunk_ids[0], relevant=True, facets=("f1",))
        return made.model_copy(update={"verdicts": (first,)})

    texts = {f"s{n}": "A loan lasts words and words " * 10 for n in range(4)}
    pack = await packed(
        world_of(ScriptedReader(on_select=one_matters), **texts), evidence_characters=400
    )
    assert [len(item.chunk.text) for item in pack.evidence] == [290]
