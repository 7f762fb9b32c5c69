"""Rights, rows and texts that change between two stages: each check stands on its own."""

from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from rag.errors import ContextUnavailable, DeliveryError, SnapshotTampered
from rag.pipeline import STOPS, run, run_until
from rag.ports import Catalogue, Permitted
from rag.stages.report import Findings, report
from rag.testing import RecordingObserver, ScriptedReader, World
from rag.values import (
    Citation,
    Claim,
    Draft,
    Grounding,
    Limits,
    Permit,
    Place,
    Reason,
    Report,
    Request,
    SourceStatus,
    Status,
    Turn,
)

LIMITS = Limits()


def two_sources() -> World:
    """Two documents that the same question finds."""
    world = World()
    world.add("loans", "A loan ends after seven days.", title="Lending")
    world.add("merger", "The loan for the merger is secret.", title="Merger")
    return world


async def halfway(world: World, request: Request, stop: str) -> ScriptedReader:
    """Run up to ``stop``; the reader of the process that will go on from there."""
    await run_until(request, world.ports(), limits=LIMITS, stop=stop)
    world.reader, world.observer = ScriptedReader(), RecordingObserver()
    return world.reader


def shows_nothing(world: World, found: Report) -> bool:
    everything = [found, *world.publisher.shown]
    return found.answer.status is Status.REFUSED and not any(
        word in each.model_dump_json() for each in everything for word in ("secret", "Merger")
    )


@pytest.mark.parametrize("stop", STOPS)
async def test_one_right_of_two_gone_refuses_the_task_before_another_reader_call(stop: str) -> None:
    world = two_sources()
    request = world.request("loan")
    reader = await halfway(world, request, stop)
    world.catalogue.set_readers("merger", "bob")
    assert shows_nothing(world, await run(request, world.ports(), limits=LIMITS))
    assert reader.calls == []


async def test_a_saved_report_is_not_handed_out_once_a_right_is_gone() -> None:
    world = two_sources()
    request = world.request("loan")
    await halfway(world, request, "report")
    world.catalogue.set_readers("merger", "bob")
    found = await run_until(request, world.ports(), limits=LIMITS, stop="report")
    assert found is not None
    assert shows_nothing(world, found)
    assert found.trace.reason is Reason.UNAUTHORIZED


def after_an_answer(world: World, *, from_source: str) -> Request:
    """A question that follows an answer from that source."""
    said = Turn(task="t0", question="And?", reply="It is secret.", source_ids=(from_source,))
    return world.request("loan").model_copy(update={"turns": (said,)})


async def test_an_earlier_reply_is_not_read_again_once_its_source_may_not_be() -> None:
    world = two_sources()
    request = after_an_answer(world, from_source="merger")
    await run(request, world.ports(), limits=LIMITS)
    assert "secret" in str(world.reader.asked[0])
    gone = two_sources()
    gone.catalogue.set_readers("merger", "bob")
    await run(request, gone.ports(), limits=LIMITS)
    assert all("secret" not in str(asked) for asked in gone.reader.asked)


def after_a_choice(world: World, *, from_source: str) -> Request:
    """A question that follows one whose words are that source's title."""
    chosen = Turn(task="t0", question="The Merger", chosen_from=(from_source,))
    return world.request("loan").model_copy(update={"turns": (chosen,)})


async def test_an_option_chosen_earlier_is_not_read_again_once_its_title_may_not_be() -> None:
    world = two_sources()
    await run(after_a_choice(world, from_source="merger"), world.ports(), limits=LIMITS)
    assert "The Merger" in str(world.reader.asked[0])
    gone = two_sources()
    gone.catalogue.set_readers("merger", "bob")
    await run(after_a_choice(gone, from_source="merger"), gone.ports(), limits=LIMITS)
    assert gone.reader.asked
    assert all("Merger" not in str(asked) for asked in gone.reader.asked)


async def test_a_plan_made_with_a_chosen_option_ends_with_the_rights_to_it() -> None:
    world = World()
    world.add("loans", "A loan ends after seven days.", title="Lending")
    world.add("merger", None, title="Merger")
    request = after_a_choice(world, from_source="merger")
    await halfway(world, request, "selected")
    world.catalogue.set_readers("merger", "bob")
    assert shows_nothing(world, await run(request, world.ports(), limits=LIMITS))


async def test_a_chosen_option_is_not_read_at_all_once_its_title_may_not_be() -> None:
    world = two_sources()
    request = world.request("The Merger").model_copy(update={"chosen_from": ("merger",)})
    world.catalogue.set_readers("merger", "bob")
    found = await run(request, world.ports(), limits=LIMITS)
    assert found.answer.status is Status.REFUSED
    assert world.reader.asked == []


async def test_an_answer_to_a_chosen_option_counts_as_told_from_its_source() -> None:
    world = World()
    world.add("loans", "A loan ends after seven days.", title="Lending")
    world.add("merger", None, title="Merger")
    request = world.request("loan").model_copy(update={"chosen_from": ("merger",)})
    found = await run(request, world.ports(), limits=LIMITS)
    assert "merger" in found.told


async def test_a_plan_made_with_an_earlier_reply_ends_with_the_rights_to_it() -> None:
    world = World()
    world.add("loans", "A loan ends after seven days.", title="Lending")
    world.add("merger", None, title="Merger")
    request = after_an_answer(world, from_source="merger")
    request = request.model_copy(update={"question": "loan"})
    await halfway(world, request, "selected")
    world.catalogue.set_readers("merger", "bob")
    assert shows_nothing(world, await run(request, world.ports(), limits=LIMITS))


@pytest.mark.parametrize("stop", STOPS)
async def test_somebody_who_joins_the_room_meanwhile_takes_the_answer_away(stop: str) -> None:
    world = two_sources()
    world.catalogue.set_readers("merger", "alice", "bob")
    world.catalogue.rooms["C1"] = ("alice", "bob")
    request = world.request("loan").model_copy(update={"place": Place(channel="C1")})
    reader = await halfway(world, request, stop)
    world.catalogue.rooms["C1"] = ("alice", "bob", "eve")
    assert shows_nothing(world, await run(request, world.ports(), limits=LIMITS))
    assert reader.calls == []


@pytest.mark.parametrize("stood_still", [3.0, 40.0])
async def test_rights_that_go_while_the_process_stands_still_before_it_shows(
    stood_still: float,
) -> None:
    world = two_sources()

    def stand_still() -> None:
        world.seconds += stood_still
        world.catalogue.set_readers("merger", "bob")

    world.publisher.beforehand = stand_still
    assert shows_nothing(world, await run(world.request("loan"), world.ports(), limits=LIMITS))
    assert world.publisher.shown == []


async def test_rights_that_go_while_the_process_stands_still_over_the_look_at_them() -> None:
    world = two_sources()
    request = world.request("loan")
    await halfway(world, request, "report")
    ports = replace(world.ports(), catalogue=cast("Catalogue", _StandsStill(world, look=2)))
    assert shows_nothing(world, await run(request, ports, limits=LIMITS))
    assert world.publisher.shown == []


async def test_looks_that_all_take_long_do_not_keep_an_answer_back() -> None:
    world = two_sources()
    ports = replace(world.ports(), catalogue=cast("Catalogue", _Slow(world)))
    found = await run(world.request("loan"), ports, limits=LIMITS)
    assert found.answer.status is Status.ANSWERED
    assert len(world.publisher.shown) == 1


async def test_looks_that_take_so_long_that_they_are_old_keep_an_answer_back() -> None:
    world = two_sources()
    ports = replace(world.ports(), catalogue=cast("Catalogue", _Slow(world, seconds=6.0)))
    with pytest.raises(DeliveryError):
        await run(world.request("loan"), ports, limits=LIMITS)
    assert world.publisher.shown == []
    found = await run(world.request("loan"), world.ports(), limits=LIMITS)
    assert found.answer.status is Status.ANSWERED


@dataclass
class _Slow:
    """A catalogue that takes so long to say who may read what."""

    world: World
    seconds: float = 5.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world.catalogue, name)

    async def permitted(self, *, tenant: str, principal: str, place: Place) -> Permitted:
        said = await self.world.catalogue.permitted(tenant=tenant, principal=principal, place=place)
        self.world.seconds += self.seconds
        return said


@dataclass
class _StandsStill:
    """A catalogue whose n-th answer is heard late, when a right has gone since."""

    world: World
    look: int

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world.catalogue, name)

    async def permitted(self, *, tenant: str, principal: str, place: Place) -> Permitted:
        said = await self.world.catalogue.permitted(tenant=tenant, principal=principal, place=place)
        self.look -= 1
        if self.look == 0:
            self.world.seconds += 40.0
            self.world.catalogue.set_readers("merger", "bob")
        return said


async def test_a_guest_in_the_room_leaves_nothing_that_everyone_may_read() -> None:
    world = two_sources()
    world.catalogue.rooms["C1"] = ("alice", "carol")
    world.catalogue.guests.add("carol")
    request = world.request("loan").model_copy(update={"place": Place(channel="C1")})
    assert shows_nothing(world, await run(request, world.ports(), limits=LIMITS))
    assert world.reader.calls == []


async def test_an_outsider_is_shown_nothing_at_all() -> None:
    world = two_sources()
    world.catalogue.outsiders.add("alice")
    assert shows_nothing(world, await run(world.request("loan"), world.ports(), limits=LIMITS))
    assert world.publisher.shown == []
    assert world.reader.calls == []


@pytest.mark.parametrize("status", [SourceStatus.WITHDRAWN, SourceStatus.SUPERSEDED])
async def test_a_source_that_lost_its_standing_is_not_shown(status: SourceStatus) -> None:
    world = two_sources()
    request = world.request("merger")
    await halfway(world, request, "report")
    changed = world.catalogue.sources["merger"].model_copy(update={"status": status})
    world.catalogue.put(changed)
    assert shows_nothing(world, await run(request, world.ports(), limits=LIMITS))


async def test_a_row_that_became_another_is_not_shown_though_the_catalogue_agrees() -> None:
    world = two_sources()
    request = world.request("merger")
    await halfway(world, request, "report")
    world.intake.swapped.add("merger")
    found = await run(request, world.ports(), limits=LIMITS)
    assert shows_nothing(world, found)
    assert found.trace.reason is Reason.IDENTITY_MISMATCH
    assert world.publisher.shown == []


async def test_a_working_context_that_expired_is_rebuilt_before_the_answer() -> None:
    world = two_sources()
    request = world.request("loan")
    world.observer.interrupt["answer"] = RuntimeError("killed")
    with pytest.raises(RuntimeError):
        await run(request, world.ports(), limits=LIMITS)
    assembled = world.context.packs.pop("t1")
    world.observer = RecordingObserver()
    found = await run(request, world.ports(), limits=LIMITS)
    assert found.answer.status is Status.ANSWERED
    assert world.context.packs == {"t1": assembled}


async def test_a_working_context_lost_before_the_answer_is_an_outage_and_can_be_resumed() -> None:
    world = two_sources()
    request = world.request("loan")
    world.checkpoints.on_save = lambda stage: setattr(world.context, "down", stage == "assemble")
    with pytest.raises(ContextUnavailable) as caught:
        await run(request, world.ports(), limits=LIMITS)
    assert caught.value.stage == "answer"
    assert world.reader.calls == ["plan", "select"]
    world.context.down = False
    found = await run(request, world.ports(), limits=LIMITS)
    assert found.answer.status is Status.ANSWERED
    assert world.reader.calls == ["plan", "select", "answer", "support"]


async def test_no_report_is_made_of_a_quote_that_its_snapshot_does_not_hold() -> None:
    world = World()
    sha = await world.snapshots.put("A loan ends after seven days.")
    lie = Citation(chunk_id="c", source_id="s", snapshot=sha, start=0, end=6, quote="A lend")
    draft = Draft(claims=(Claim(text="A lend", citations=(lie,)),))
    found = Findings(permit=Permit(decision_id="d"), grounding=Grounding(draft=draft))
    now = world.ports().now()
    with pytest.raises(SnapshotTampered):
        await report(world.request("q"), found, snapshots=world.snapshots, now=now)
