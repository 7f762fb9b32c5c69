"""What a model replied is there for whoever goes on with its task, and for nobody else."""

import asyncio
import threading
from collections.abc import Sequence
from functools import partial

import pytest
from sqlalchemy import Connection, select, text, update

from bot.models.spending import Tally
from bot.queue.backlog import Here
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.database import Database
from bot.storage.deletion_log import Deletion
from bot.storage.reapplying import reapply
from bot.storage.rows import CROSSES_TENANTS
from bot.storage.spending import SqlSpending
from bot.storage.tables import paid_replies
from bot.storage.tasks import SqlTasks
from bot.watch.metrics import Metrics
from rag.errors import CheckpointTampered, FormatInvalid, LeaseLost
from rag.ports import Behalf, Lease, Prompt, Role
from rag.values import Reason, RoleSpent, Status
from tests.bot.storage.samples import at, lease, request

REPLY = ("canary \x00 \ud800", "in two pieces")


class Desk:
    """The task ``t1`` of demo, taken up, and what is spent on it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.metrics = Metrics()
        self.spending = SqlSpending(database, meter=self.metrics)
        self.tasks = SqlTasks(database)
        self.checkpoints = SqlCheckpoints(database)
        self.lease = lease()

    async def take_up(self) -> None:
        self.lease = await self.checkpoints.open(request("t1", principal="alice"))

    def prompt(self, *, stage: str = "answer", **other: object) -> Prompt:
        whose = {"tenant": "demo", "task": "t1", "lease": self.lease.number} | other
        behalf = Behalf.model_validate(whose | {"stage": stage})
        return Prompt(behalf=behalf, role=Role.ANSWER, version="1", instructions="x", material="x")

    async def pay(
        self, reply: Sequence[str] = REPLY, *, digest: str = "d1", prompt: Prompt | None = None
    ) -> None:
        asked = prompt or self.prompt()
        trying = self.spending.trying(asked, model="m", attempt=1, tokens=9, digest=digest)
        async with trying as tally:
            tally.tokens_out = 7
            await tally.keep(reply)

    async def heard(self, digest: str = "d1", **other: str) -> tuple[str, ...] | None:
        return await self.spending.heard(self.prompt(**other), digest=digest)

    async def finish(self, status: Status, reason: Reason | None = None) -> None:
        await self.tasks.finish(tenant="demo", lease=self.lease, status=status, reason=reason)

    async def row(self) -> RoleSpent:
        (spent,) = (await self.spending.of(tenant="demo", task="t1")).roles
        return spent

    def count(self, outcome: str) -> str:
        shown = self.metrics.exposition(Here(), None, {}).decode()
        line = f'footnote_model_calls_total{{outcome="{outcome}",role="answer"}}'
        return next((one.split()[-1] for one in shown.splitlines() if line in one), "0.0")


@pytest.fixture
async def desk(database: Database) -> Desk:
    opened = Desk(database)
    await opened.take_up()
    return opened


async def _rows(database: Database) -> int:
    named = {CROSSES_TENANTS: "a test looks at all of it"}

    def work(connection: Connection) -> int:
        return len(connection.execute(select(paid_replies), execution_options=named).all())

    return await database.read(work)


async def test_a_reply_is_kept_as_it_came_and_counted_where_it_stands_in(desk: Desk) -> None:
    await desk.pay()
    assert (desk.count("ok"), desk.count("heard")) == ("1.0", "0.0")
    await desk.take_up()
    assert await desk.heard() == REPLY
    assert (desk.count("ok"), desk.count("heard")) == ("1.0", "1.0")
    spent = await desk.row()
    assert (spent.calls, spent.failed, spent.tokens_out) == (1, 0, 7)


async def test_it_is_there_before_anybody_has_judged_it(desk: Desk) -> None:
    """With its row, in one transaction: the process may die at the next instruction."""
    trying = desk.spending.trying(desk.prompt(), model="m", attempt=1, tokens=9, digest="d1")
    tally = await trying.__aenter__()
    tally.tokens_out = 7
    await tally.keep(REPLY)
    assert await desk.heard() == REPLY
    spent = await desk.row()
    assert (spent.calls, spent.failed, spent.tokens_out) == (1, 0, 7)


async def test_one_that_turns_out_to_be_malformed_stays_and_its_row_says_so(desk: Desk) -> None:
    trying = desk.spending.trying(desk.prompt(), model="m", attempt=1, tokens=9, digest="d1")
    tally = await trying.__aenter__()
    await tally.keep(REPLY)
    malformed = FormatInvalid("no object")
    assert not await trying.__aexit__(FormatInvalid, malformed, None)
    assert await desk.heard() == REPLY
    assert (await desk.row()).failed == 1
    assert (desk.count("ok"), desk.count("format_invalid")) == ("0.0", "1.0")


@pytest.mark.parametrize(
    "other",
    [{"stage": "answer-2"}, {"task": "t2"}, {"tenant": "acme"}],
    ids=["stage", "task", "tenant"],
)
async def test_it_is_for_that_stage_of_that_task_alone(desk: Desk, other: dict[str, str]) -> None:
    await desk.checkpoints.open(request("t2", principal="alice"))
    await desk.pay()
    assert await desk.heard(**other) is None
    assert await desk.heard(digest="another request") is None


async def test_the_replies_of_each_stage_are_counted_until_the_task_ends(desk: Desk) -> None:
    await desk.pay()
    await desk.pay(digest="its repair")
    await desk.pay(prompt=desk.prompt(stage="ground"))
    assert await desk.spending.replies(tenant="demo", task="t1") == {"answer": 2, "ground": 1}
    assert await desk.spending.replies(tenant="acme", task="t1") == {}
    await desk.finish(Status.ANSWERED)
    assert await desk.spending.replies(tenant="demo", task="t1") == {}


async def test_whoever_lost_the_task_keeps_nothing_for_it(desk: Desk) -> None:
    late = desk.prompt()
    await desk.take_up()
    await desk.pay(["late"], prompt=late)
    assert await desk.heard() is None
    await desk.pay()
    await desk.pay(["late"], prompt=late)
    assert await desk.heard() == REPLY
    assert (await desk.row()).calls == 3  # paid for all the same


@pytest.mark.parametrize("status", [Status.ANSWERED, Status.CLARIFY, Status.REFUSED])
async def test_it_goes_when_the_task_ends(desk: Desk, status: Status) -> None:
    await desk.pay()
    await desk.finish(status)
    assert await _rows(desk.database) == 0
    await desk.pay(["late"])
    assert await _rows(desk.database) == 0


async def test_an_end_in_other_hands_takes_nothing_away(desk: Desk) -> None:
    await desk.pay()
    with pytest.raises(LeaseLost):
        await desk.tasks.finish(
            tenant="demo", lease=Lease(task="t1", number=9), status=Status.ANSWERED
        )
    assert await desk.heard() == REPLY


@pytest.mark.parametrize(
    ("reason", "left"),
    [
        (Reason.READER_UNAVAILABLE, 1),
        (Reason.DAY_USED_UP, 1),
        (Reason.FORMAT_INVALID, 0),
        (Reason.UNSUPPORTED_CLAIM, 0),
        (Reason.BUDGET_EXCEEDED, 0),
        (None, 0),
    ],
)
async def test_after_a_failure_it_stays_where_it_was_not_the_reason(
    desk: Desk, reason: Reason | None, left: int
) -> None:
    """Tried again, a task must not fail over the same replies once more."""
    await desk.pay()
    await desk.finish(Status.FAILED, reason)
    assert await _rows(desk.database) == left


async def test_it_goes_with_a_question_that_is_taken_back(desk: Desk) -> None:
    await desk.pay()
    await desk.tasks.cancel(tenant="demo", task="t1")
    await desk.pay(["late"])
    assert await _rows(desk.database) == 0


async def test_it_goes_with_a_person_who_is_forgotten(desk: Desk) -> None:
    await desk.pay()
    await desk.tasks.forget(tenant="demo", principal="alice")
    await desk.pay(["late"])
    assert await _rows(desk.database) == 0


async def test_it_goes_with_a_task_past_its_keeping_time(desk: Desk) -> None:
    await desk.pay()
    await desk.finish(Status.FAILED, Reason.READER_UNAVAILABLE)
    assert await desk.tasks.purge(tenant="demo", before=at(1)) == 1
    assert await _rows(desk.database) == 0


async def test_a_backup_brings_none_back_for_a_question_that_was_taken_back(desk: Desk) -> None:
    await desk.pay()
    gone = Deletion(id="x", at=at(1), tenant="demo", kind="cancelled", ids=("t1",))
    await reapply(desk.database, [gone])
    assert await _rows(desk.database) == 0


async def test_one_that_was_changed_is_refused(desk: Desk) -> None:
    await desk.pay()
    changed = update(paid_replies).where(paid_replies.c.tenant == "demo").values(document="[]")
    await desk.database.write(lambda connection: connection.execute(changed).rowcount)
    with pytest.raises(CheckpointTampered):
        await desk.heard()


async def test_a_cancellation_does_not_keep_it_from_being_kept(desk: Desk) -> None:
    """Not even before its transaction has begun, where other work would be dropped."""
    gate = threading.Event()
    trying = desk.spending.trying(desk.prompt(), model="m", attempt=1, tokens=9, digest="d1")
    tally = await trying.__aenter__()
    busy = [asyncio.create_task(desk.database.read(lambda _: gate.wait(9))) for _ in range(4)]
    await asyncio.sleep(0)
    keeping = asyncio.create_task(_let_go(tally))
    await asyncio.sleep(0)
    keeping.cancel()
    asyncio.get_running_loop().call_later(0.05, gate.set)
    with pytest.raises(asyncio.CancelledError):
        await keeping
    await asyncio.gather(*busy)
    assert await desk.heard() == REPLY


async def test_one_that_came_while_the_record_was_away_is_not_lost(
    desk: Desk, migrated_url: str
) -> None:
    """The stage is tried again once the record is back, by the same process."""
    hasty = Database(migrated_url, busy_seconds=0.2)
    desk.spending = SqlSpending(hasty)
    trying = desk.spending.trying(desk.prompt(), model="m", attempt=1, tokens=9, digest="d1")
    tally = await trying.__aenter__()
    gate = threading.Event()
    away = asyncio.create_task(desk.database.amend(partial(_hold, gate)))
    await asyncio.sleep(0.1)
    await tally.keep(REPLY)
    gate.set()
    await away
    assert await _rows(desk.database) == 0
    assert await desk.heard() == REPLY
    assert await _rows(desk.database) == 1
    await hasty.close()


def _hold(gate: threading.Event, connection: Connection) -> None:
    """On SQLite a transaction that writes is enough to keep others out."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE model_calls"))
    gate.wait(9)


async def _let_go(tally: Tally) -> None:
    await tally.keep(REPLY)
