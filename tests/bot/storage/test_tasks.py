"""Questions, their states, their turns, and how they are forgotten."""

import asyncio

import pytest

from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.database import Database
from bot.storage.deliveries import SqlDeliveries, Target
from bot.storage.feedback import SqlFeedback
from bot.storage.retrievals import SqlRetrievals
from bot.storage.task_rows import TaskState
from bot.storage.tasks import SqlTasks
from rag.errors import CheckpointTampered, TaskExists, UnknownTask
from rag.values import Place, Reason, Report, Request, Status, Turn
from tests.bot.storage.samples import NOON, at, lease, question_back, report, request


@pytest.fixture
def known(database: Database) -> SqlTasks:
    return SqlTasks(database, clock=lambda: NOON)


async def _end(database: Database, asked: Request, told: Report) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(asked)
    await kept.save(held, "report", told.model_dump_json())
    await SqlTasks(database).finish(tenant=asked.tenant, lease=held, status=told.answer.status)


async def _turns(
    known: SqlTasks, *, principal: str = "alice", channel: str | None = None, limit: int = 10
) -> tuple[Turn, ...]:
    return await known.turns(
        tenant="demo",
        conversation="thread",
        principal=principal,
        place=Place(channel=channel),
        before=at(60),
        limit=limit,
    )


async def test_a_question_is_queued_once(known: SqlTasks) -> None:
    assert await known.enqueue(request())
    assert not await known.enqueue(request())
    with pytest.raises(TaskExists):
        await known.enqueue(request(question="Something else?"))
    stored = await known.get(tenant="demo", task="t1")
    assert (stored.state, stored.request, stored.finished_at) == (
        TaskState.QUEUED,
        request(),
        None,
    )
    assert await known.tenant_of("t1") == "demo"


async def test_rivals_queue_a_question_once(known: SqlTasks) -> None:
    assert sum(await asyncio.gather(*(known.enqueue(request()) for _ in range(8)))) == 1


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (Status.ANSWERED, TaskState.DONE),
        (Status.INSUFFICIENT, TaskState.DONE),
        (Status.CONFLICTING, TaskState.DONE),
        (Status.REFUSED, TaskState.DONE),
        (Status.CLARIFY, TaskState.WAITING),
        (Status.FAILED, TaskState.FAILED),
    ],
)
async def test_how_a_task_ends(known: SqlTasks, status: Status, state: TaskState) -> None:
    await known.enqueue(request())
    assert await known.finish(
        tenant="demo", lease=lease(), status=status, reason=Reason.EVIDENCE_MISSING
    )
    stored = await known.get(tenant="demo", task="t1")
    assert (stored.state, stored.status, stored.reason, stored.finished_at) == (
        state,
        status,
        Reason.EVIDENCE_MISSING,
        NOON,
    )


async def test_a_cancelled_task_stays_cancelled(known: SqlTasks) -> None:
    await known.enqueue(request())
    assert await known.cancel(tenant="demo", task="t1")
    assert not await known.cancel(tenant="demo", task="t1")
    assert not await known.finish(tenant="demo", lease=lease(), status=Status.ANSWERED)
    assert (await known.get(tenant="demo", task="t1")).state is TaskState.CANCELLED


async def test_an_ended_task_cannot_be_cancelled(known: SqlTasks) -> None:
    await known.enqueue(request())
    await known.finish(tenant="demo", lease=lease(), status=Status.ANSWERED)
    assert not await known.cancel(tenant="demo", task="t1")


async def test_one_reply_settles_a_clarification(known: SqlTasks) -> None:
    await known.enqueue(request())
    await known.finish(tenant="demo", lease=lease(), status=Status.CLARIFY)
    settled = await asyncio.gather(*(known.settle(tenant="demo", task="t1") for _ in range(5)))
    assert sum(settled) == 1
    assert await known.waiting(tenant="demo", conversation="thread") is None


async def test_a_conversation_goes_on_until_nobody_waits_any_more(known: SqlTasks) -> None:
    async def goes_on(conversation: str = "thread", tenant: str = "demo") -> bool:
        return await known.goes_on(tenant=tenant, conversation=conversation)

    assert not await goes_on()
    await known.enqueue(request())
    assert await goes_on()
    assert not await goes_on("elsewhere")
    assert not await goes_on(tenant="other")
    await known.finish(tenant="demo", lease=lease(), status=Status.CLARIFY)
    assert await goes_on()
    await known.settle(tenant="demo", task="t1")
    assert not await goes_on()


async def test_the_waiting_task_is_its_askers(known: SqlTasks) -> None:
    for task, principal, minutes in [("t1", "alice", 0), ("t2", "bob", 1), ("t3", "bob", 2)]:
        await known.enqueue(request(task, principal=principal, minutes=minutes))
        await known.finish(tenant="demo", lease=lease(task), status=Status.CLARIFY)
    newest = await known.waiting(tenant="demo", conversation="thread")
    alices = await known.waiting(tenant="demo", conversation="thread", principal="alice")
    carols = await known.waiting(tenant="demo", conversation="thread", principal="carol")
    assert newest is not None
    assert alices is not None
    assert (newest.id, alices.id, carols) == ("t3", "t1", None)
    assert await known.waiting(tenant="demo", conversation="elsewhere") is None


async def test_lists(known: SqlTasks) -> None:
    for task, principal, minutes in [("t1", "alice", 0), ("t2", "bob", 1), ("t3", "alice", 2)]:
        await known.enqueue(request(task, principal=principal, minutes=minutes))
    await known.finish(tenant="demo", lease=lease("t3"), status=Status.ANSWERED)
    everyones = await known.list(tenant="demo")
    alices = await known.list(tenant="demo", principal="alice", limit=1)
    unfinished = await known.unfinished(tenant="demo")
    assert [task.id for task in everyones] == ["t3", "t2", "t1"]
    assert [task.id for task in alices] == ["t3"]
    assert [task.id for task in unfinished] == ["t2", "t1"]


async def test_turns_are_what_was_told_oldest_first(database: Database, known: SqlTasks) -> None:
    first, second = request("t1"), request("t2", question="And then?", minutes=1)
    await _end(database, first, question_back(first, "Which device?"))
    await _end(database, second, report(second, "Seven days."))
    await known.enqueue(request("t3", minutes=2))
    assert await _turns(known) == (
        Turn(task="t1", question=first.question, reply="Which device?", clarifying=True),
        Turn(task="t2", question="And then?", reply="Seven days.", source_ids=("handbook",)),
    )
    assert [turn.task for turn in await _turns(known, limit=1)] == ["t2"]


async def test_a_turn_knows_from_which_titles_its_question_was_chosen(
    database: Database, known: SqlTasks
) -> None:
    chosen = request("t1").model_copy(update={"chosen_from": ("a",)})
    await _end(database, chosen, report(chosen, "Seven days."))
    assert [turn.chosen_from for turn in await _turns(known)] == [("a",)]


async def test_turns_never_reach_an_audience_that_did_not_see_them(
    database: Database, known: SqlTasks
) -> None:
    asked = [
        request("private", principal="alice"),
        request("in-c1", principal="alice", channel="C1", minutes=1),
        request("in-c2", principal="bob", channel="C2", minutes=2),
    ]
    for question in asked:
        await _end(database, question, report(question))
    assert [turn.task for turn in await _turns(known, channel="C1")] == ["in-c1"]
    assert [turn.task for turn in await _turns(known, channel="C2")] == ["in-c2"]
    assert [turn.task for turn in await _turns(known)] == ["private", "in-c1"]
    assert [turn.task for turn in await _turns(known, principal="bob")] == ["in-c2"]
    assert await _turns(known, principal="carol") == ()


async def test_a_report_that_cannot_be_read_is_tampered(
    database: Database, known: SqlTasks
) -> None:
    held = await SqlCheckpoints(database).open(request())
    await SqlCheckpoints(database).save(held, "report", '{"no": "report"}')
    await known.finish(tenant="demo", lease=held, status=Status.ANSWERED)
    with pytest.raises(CheckpointTampered):
        await _turns(known)


async def _hang_everything_on(database: Database, task: str) -> str:
    await SqlDeliveries(database).intend(tenant="demo", task=task, kind="answer", channel="C1")
    (handle,) = await SqlDeliveries(database).handles(tenant="demo", task=task, targets=[Target()])
    await SqlFeedback(database).record(tenant="demo", task=task, principal="bob", up=True)
    await SqlRetrievals(database).record(tenant="demo", task=task, details={"hits": 2})
    return handle


async def test_forgetting_deletes_ones_own_questions_and_all_that_hangs_on_them(
    database: Database, known: SqlTasks
) -> None:
    for task, principal in [("t1", "alice"), ("t2", "bob")]:
        await _end(database, request(task, principal=principal), report(request(task)))
    handle = await _hang_everything_on(database, "t1")
    assert await known.forget(tenant="demo", principal="alice") == ("t1",)
    assert await known.forget(tenant="demo", principal="alice") == ()
    with pytest.raises(UnknownTask):
        await known.tenant_of("t1")
    deliveries = SqlDeliveries(database)
    assert await deliveries.of(tenant="demo", task="t1") == ()
    assert await deliveries.handle(tenant="demo", handle_id=handle) is None
    assert await SqlFeedback(database).of(tenant="demo", task="t1") == ()
    assert await SqlRetrievals(database).of(tenant="demo", task="t1") == ()
    assert [task.id for task in await known.list(tenant="demo")] == ["t2"]
    assert await known.enqueue(request("t1"))


async def test_purging_takes_what_is_old_and_ended(known: SqlTasks) -> None:
    for task, minutes in [("old", 0), ("running", 1), ("new", 30)]:
        await known.enqueue(request(task, minutes=minutes))
    for task in ("old", "new"):
        await known.finish(tenant="demo", lease=lease(task), status=Status.ANSWERED)
    assert await known.expired(tenant="demo", before=at(10)) == ("old",)
    assert await known.expired(tenant="acme", before=at(10)) == ()
    assert await known.purge(tenant="demo", before=at(10)) == 1
    assert [task.id for task in await known.list(tenant="demo")] == ["new", "running"]
