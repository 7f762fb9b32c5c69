"""Stages up to retrieval: what may be looked at, where and with which words."""

from collections.abc import Callable

import pytest

from rag.errors import IndexUnavailable, LimitExceeded
from rag.pipeline import run, run_until
from rag.ports import PlanRequest
from rag.stages.retrieve import retrieve
from rag.testing import ScriptedReader, World
from rag.testing.reader import plain_plan
from rag.values import (
    Indexed,
    Limits,
    Plan,
    Report,
    Retrieved,
    SourceStatus,
    TimeState,
    Turn,
)


def planning(**changes: object) -> Callable[[PlanRequest], Plan]:
    return lambda request: plain_plan(request).model_copy(update=changes)


async def ask(world: World, question: str, *, limits: Limits | None = None) -> Report:
    return await run(world.request(question), world.ports(), limits=limits or Limits())


async def test_plan_sees_at_most_fifty_titles_those_of_the_conversation_first() -> None:
    world = World()
    for number in range(60):
        world.add(f"s{number:02}", "Nothing here.", title=f"Paper {number}")
    world.add("zz", "Badges are lent by the desk.", title="Badge lending")
    world.add("hidden", "Badge secrets.", title="Badge secrets", readers=("bob",))
    turns = (Turn(task="t0", question="Who lends a badge?"),)
    request = world.request("And for how long?").model_copy(update={"turns": turns})
    await run(request, world.ports(), limits=Limits())
    seen = world.reader.asked[0]
    assert isinstance(seen, PlanRequest)
    assert len(seen.titles) == 50
    assert seen.titles[0].title == "Badge lending"
    assert all("secrets" not in title.title for title in seen.titles)


async def test_a_rewritten_question_changes_words_never_identity_or_rights() -> None:
    world = World(reader=ScriptedReader(on_plan=planning(rewritten="hidden", queries=("secret",))))
    world.add("open", "An open word.")
    world.add("hidden", "A secret word.", readers=("bob",))
    report = await ask(world, "word")
    assert report.question == "word"
    assert report.principal == "alice"
    assert {pin for _, scope in world.index.searches for pin, _ in scope.pins} == {"open"}


async def test_more_queries_than_the_budget_are_not_searched() -> None:
    limits = Limits(queries_per_plan=2)
    world = World(reader=ScriptedReader(on_plan=planning(queries=("loan", "badge", "desk"))))
    world.add("s", "A loan of a badge at the desk.")
    await ask(world, "loan", limits=limits)
    assert [words for words, _ in world.index.searches] == [("loan",), ("badg",)]


async def test_routing_keeps_the_best_of_many_and_records_the_rest() -> None:
    world = World()
    for number in range(25):
        source = world.add(f"s{number:02}", f"Paper {number} tells nothing of it.")
        await world.intake.pin(source)
    await world.intake.pin(world.add("the-one", "A badge is lent by the desk."))
    report = await ask(world, "badge")
    assert set(report.trace.snapshots) == {"the-one"}
    left_out = report.trace.retrieval_trace["sources_left_out"]
    assert len(left_out) == 25
    assert "the-one" not in left_out


async def test_sources_never_read_before_are_read_when_there_are_many() -> None:
    world = World()
    for number in range(21):
        await world.intake.pin(world.add(f"s{number:02}", f"Paper {number} on badges."))
    world.add("fresh", "A badge is lent by the desk.")
    report = await ask(world, "badge")
    assert len(report.trace.snapshots) == 20
    assert "fresh" in report.trace.snapshots


async def test_too_many_named_sources_are_an_error_that_names_the_limit() -> None:
    world = World()
    names = tuple(f"s{number}" for number in range(21))
    for name in names:
        world.add(name, "Words.")
    request = world.request("words").model_copy(update={"source_ids": names})
    with pytest.raises(LimitExceeded) as caught:
        await run(request, world.ports(), limits=Limits())
    assert caught.value.limit == "sources_per_task"


def standing(**reader: object) -> World:
    world = World(reader=ScriptedReader(**reader))  # type: ignore[arg-type] # scripts by name
    world.add("now", "The limit is 6 bytes.")
    world.add("r9", "Proposed: the limit is 9 bytes.", status=SourceStatus.PROPOSED)
    return world


async def test_a_proposal_does_not_displace_what_holds() -> None:
    report = await ask(standing(), "limit bytes")
    assert {item.source.source_id for item in report.evidence} == {"now"}
    assert report.trace.retrieval_trace["filters"] == ["time_state=current"]


@pytest.mark.parametrize("state", [TimeState.PROPOSED, TimeState.COMPARE])
async def test_a_question_about_the_proposal_sees_both(state: TimeState) -> None:
    report = await ask(standing(on_plan=planning(time_state=state)), "limit bytes")
    assert {item.source.source_id for item in report.evidence} == {"now", "r9"}


async def test_nothing_under_the_soft_filter_is_tried_once_more_in_the_askers_own_words() -> None:
    world = standing(on_plan=planning(queries=("zebra",)))
    await run_until(world.request("proposed"), world.ports(), limits=Limits(), stop="retrieved")
    (row,) = world.retrievals.rows
    assert row["queries"] == ["proposed"]
    assert row["fallback_reason"] == "nothing found under the soft filters"
    assert row["filters"] == []
    document = await world.checkpoints.load("t1", "retrieve")
    found = Retrieved.model_validate_json(document or "")
    assert [candidate.chunk.source_id for candidate in found.candidates] == ["r9"]


async def test_falling_back_never_leaves_the_permitted_and_pinned_set() -> None:
    world = standing(on_plan=planning(queries=("zebra",)))
    hidden = world.add("hidden", "Proposed secretly.", readers=("bob",))
    await world.intake.pin(hidden)
    await run_until(world.request("proposed"), world.ports(), limits=Limits(), stop="retrieved")
    pins = {pin for _, scope in world.index.searches for pin, _ in scope.pins}
    assert pins == {"now", "r9"}


async def test_low_scores_fall_back_under_the_named_threshold() -> None:
    world = World()
    world.add("s", "The limit is 6 bytes.")
    report = await ask(world, "limit", limits=Limits(low_score=99.0))
    assert report.trace.retrieval_trace["fallback_reason"] == "scores below low_score"


async def searched(world: World, plan: Plan, **limits: int) -> Retrieved:
    pinned = [await world.intake.pin(source) for source in world.catalogue.sources.values()]
    return await retrieve(
        world.request("loan"),
        plan,
        Indexed(pinned=tuple(pinned)),
        engine=world.index,
        log=world.retrievals,
        limits=Limits().model_copy(update=limits),
    )


def plan_of(*queries: str) -> Plan:
    request = PlanRequest(question="loan", asked_at=World().request("q").asked_at)
    return plain_plan(request).model_copy(update={"queries": queries})


async def test_twelve_candidates_a_query_each_once_then_their_neighbours() -> None:
    world = World()
    world.add("s", "\n\n".join(f"Loan number {n} is of kind {n}." for n in range(30)))
    found = await searched(world, plan_of("loan", "loan number"))
    own = [c for c in found.candidates if not c.neighbour]
    assert len(own) == 12
    assert len({c.chunk.id for c in found.candidates}) == len(found.candidates)
    assert all(c.neighbour for c in found.candidates[12:])
    assert found.candidates[12:]


async def test_over_the_character_budget_the_lowest_go_and_each_query_keeps_one() -> None:
    world = World()
    world.add("long", "Loan " * 400 + "\n\n" + "Loan paper. " * 200)
    world.add("badge", "A badge. " * 300)
    found = await searched(world, plan_of("loan", "badge"), candidate_characters=3000)
    assert {c.query for c in found.candidates} == {0, 1}
    assert found.left_out > 0
    everything = await searched(world, plan_of("loan", "badge"))
    assert len(everything.candidates) == len(found.candidates) + found.left_out


async def test_a_search_that_is_down_is_logged_and_is_no_empty_result() -> None:
    world = World()
    world.add("s", "A loan.")
    world.index.down = True
    with pytest.raises(IndexUnavailable):
        await ask(world, "loan")
    assert len(world.retrievals.rows) == 1


async def test_hidden_documents_change_neither_order_nor_scores() -> None:
    def build(hidden: int) -> World:
        world = World()
        world.add("a", "A loan of a rare badge.")
        world.add("b", "A loan, a loan and a loan.")
        for number in range(hidden):
            world.add(f"h{number}", "loan " * 50, readers=("bob",))
        return world

    alone = await ask(build(0), "loan badge")
    among = build(15)
    for source in list(among.catalogue.sources.values()):
        await among.intake.pin(source)
    crowded = await ask(among, "loan badge")
    assert alone.trace.retrieval_trace["hits"] == crowded.trace.retrieval_trace["hits"]
