"""Deliveries, opaque values, votes, retrievals."""

import asyncio
from itertools import count

import pytest

from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.database import Database
from bot.storage.deliveries import DeliveryState, Handle, SqlDeliveries, Target
from bot.storage.feedback import SqlFeedback, Vote
from bot.storage.retrievals import SqlRetrievals
from bot.storage.tasks import SqlTasks
from rag.errors import LeaseLost, UnknownTask
from tests.bot.storage.samples import NOON, at, request

TARGETS = (Target(), Target(claim=0), Target(claim=0, citation=1), Target(option="atlas"))


@pytest.fixture
async def deliveries(database: Database) -> SqlDeliveries:
    await SqlTasks(database).enqueue(request())
    return SqlDeliveries(database, clock=lambda: NOON)


async def test_the_first_intent_stands(deliveries: SqlDeliveries) -> None:
    first = await deliveries.intend(tenant="demo", task="t1", kind="answer", channel="C1")
    again = await deliveries.intend(tenant="demo", task="t1", kind="answer", channel="C2")
    assert first == again
    assert (first.channel, first.state, first.ts) == ("C1", DeliveryState.INTENT, None)
    with pytest.raises(UnknownTask):
        await deliveries.intend(tenant="demo", task="t9", kind="answer", channel="C1")


async def test_a_delivery_is_placed_then_updated(deliveries: SqlDeliveries) -> None:
    await deliveries.intend(tenant="demo", task="t1", kind="answer", channel="C1", thread="1.0")
    await deliveries.placed(tenant="demo", task="t1", kind="answer", ts="1.5")
    (unfinished,) = await deliveries.unfinished(tenant="demo")
    assert (unfinished.state, unfinished.ts, unfinished.thread) == ("placed", "1.5", "1.0")
    assert await deliveries.by_message(tenant="demo", channel="C1", ts="1.5") == (unfinished,)
    assert await deliveries.by_message(tenant="demo", channel="C2", ts="1.5") == ()
    await deliveries.updated(tenant="demo", task="t1", kind="answer")
    assert await deliveries.unfinished(tenant="demo") == ()
    stored = await deliveries.get(tenant="demo", task="t1", kind="answer")
    assert stored is not None
    assert stored.state is DeliveryState.UPDATED
    assert await deliveries.of(tenant="demo", task="t1") == (stored,)


async def test_whoever_lost_the_task_ends_no_message_of_it(
    database: Database, deliveries: SqlDeliveries
) -> None:
    named = {"tenant": "demo", "task": "t1", "kind": "answer"}
    await deliveries.intend(**named, channel="C1")
    await deliveries.placed(**named, ts="1.5")
    checkpoints = SqlCheckpoints(database)
    stale, held = await checkpoints.open(request()), await checkpoints.open(request())
    with pytest.raises(LeaseLost):
        await deliveries.updated(tenant="demo", task="t1", kind="answer", lease=stale)
    assert [left.state for left in await deliveries.unfinished(tenant="demo")] == ["placed"]
    await deliveries.updated(tenant="demo", task="t1", kind="answer", lease=held)
    assert await deliveries.unfinished(tenant="demo") == ()


async def test_only_who_holds_the_task_lets_its_message_show_another_end(
    database: Database, deliveries: SqlDeliveries
) -> None:
    named = {"tenant": "demo", "task": "t1", "kind": "answer"}
    await deliveries.intend(**named, channel="C1")
    await deliveries.placed(**named, ts="1.5")
    checkpoints = SqlCheckpoints(database)
    stale, held = await checkpoints.open(request()), await checkpoints.open(request())
    await deliveries.updated(tenant="demo", task="t1", kind="answer", lease=held)
    with pytest.raises(LeaseLost):
        await deliveries.reopened(**named, lease=stale)
    assert await deliveries.unfinished(tenant="demo") == ()
    await deliveries.reopened(**named, lease=held)
    assert [left.ts for left in await deliveries.unfinished(tenant="demo")] == ["1.5"]


async def test_the_first_message_that_was_placed_stands(deliveries: SqlDeliveries) -> None:
    named = {"tenant": "demo", "task": "t1", "kind": "answer"}
    await deliveries.intend(**named, channel="C1")
    assert await deliveries.placed(**named, ts="1.5") == "1.5"
    await deliveries.updated(tenant="demo", task="t1", kind="answer")
    assert await deliveries.placed(**named, ts="2.5") == "1.5"
    stored = await deliveries.get(**named)
    assert stored is not None
    assert (stored.ts, stored.state) == ("1.5", DeliveryState.UPDATED)


async def test_who_wakes_late_and_finds_the_message_leaves_it_ended(
    deliveries: SqlDeliveries,
) -> None:
    named = {"tenant": "demo", "task": "t1", "kind": "answer"}
    await deliveries.intend(**named, channel="C1")
    await deliveries.placed(**named, ts="1.5")
    await deliveries.updated(tenant="demo", task="t1", kind="answer")
    ended = await deliveries.get(**named)
    assert await deliveries.placed(**named, ts="1.5") == "1.5"
    assert await deliveries.get(**named) == ended
    assert await deliveries.unfinished(tenant="demo") == ()


async def test_what_was_never_intended_cannot_be_placed(deliveries: SqlDeliveries) -> None:
    with pytest.raises(UnknownTask):
        await deliveries.placed(tenant="demo", task="t1", kind="answer", ts="1.5")
    with pytest.raises(UnknownTask):
        await deliveries.updated(tenant="demo", task="t1", kind="answer")


async def test_a_target_has_one_opaque_value(deliveries: SqlDeliveries) -> None:
    first, again = await asyncio.gather(
        *(deliveries.handles(tenant="demo", task="t1", targets=TARGETS) for _ in range(2))
    )
    assert first == again
    assert len(set(first)) == len(TARGETS)
    assert await deliveries.handle(tenant="demo", handle_id=first[2]) == Handle(
        id=first[2], tenant="demo", task="t1", claim=0, citation=1
    )


async def test_forged_and_foreign_values_stand_for_nothing(deliveries: SqlDeliveries) -> None:
    (own, *_) = await deliveries.handles(tenant="demo", task="t1", targets=TARGETS)
    assert await deliveries.handle(tenant="acme", handle_id=own) is None
    assert await deliveries.handle(tenant="demo", handle_id=own[:-1] + "!") is None
    with pytest.raises(UnknownTask):
        await deliveries.handles(tenant="acme", task="t1", targets=TARGETS)


async def test_a_persons_last_vote_counts(database: Database, deliveries: SqlDeliveries) -> None:
    instants = map(at, count())
    votes = SqlFeedback(database, clock=lambda: next(instants))
    await votes.record(tenant="demo", task="t1", principal="alice", up=True)
    await votes.record(tenant="demo", task="t1", principal="bob", up=True, claim=0)
    await votes.record(tenant="demo", task="t1", principal="alice", up=False, note="wrong")
    assert await votes.of(tenant="demo", task="t1") == (
        Vote(task="t1", claim=0, principal="bob", up=True, at=at(1)),
        Vote(task="t1", principal="alice", up=False, note="wrong", at=at(2)),
    )
    with pytest.raises(UnknownTask):
        await votes.record(tenant="acme", task="t1", principal="alice", up=True)


async def test_every_retrieval_is_a_row(database: Database, deliveries: SqlDeliveries) -> None:
    instants = map(at, count())
    log = SqlRetrievals(database, clock=lambda: next(instants))
    rows: list[dict[str, object]] = [
        {"hits": [{"chunk": "a"}], "queries": ["借用"]},
        {"failed": True, "fallback_reason": "empty", "hits": 0},
    ]
    for details in rows:
        await log.record(task="t1", tenant="demo", details=details)
    assert await log.of(tenant="demo", task="t1") == tuple(rows)
    with pytest.raises(UnknownTask):
        await log.record(task="t1", tenant="acme", details={})
