"""Each request to a model is one row, from before it is sent, however it ends."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, func, select

from bot.models.spending import Price, TryFailed, parse_prices
from bot.queue.backlog import Here
from bot.storage.database import Database
from bot.storage.rows import CROSSES_TENANTS
from bot.storage.spending import SqlSpending
from bot.storage.tables import model_calls
from bot.storage.tasks import SqlTasks
from bot.storage.tenants import SqlTenants
from bot.watch.metrics import Metrics
from rag.errors import DayUsedUp, ReaderIncomplete, StoreUnavailable
from rag.ports import Behalf, Prompt, Role
from rag.values import RoleSpent
from tests.bot.storage.samples import request

EVENING = datetime(2026, 3, 2, 23, 0, tzinfo=UTC)


class Till:
    """The ledger at an hour that a test sets; each call lasts two seconds."""

    def __init__(self, database: Database, *, daily: int = 0, price: Price | None = None) -> None:
        self.now = EVENING
        self.seconds = 0.0
        self.metrics = Metrics()
        self.spending = SqlSpending(
            database,
            daily_tokens=daily,
            prices={"small": price} if price else {},
            meter=self.metrics,
            clock=lambda: self.now,
            stopwatch=lambda: self.seconds,
        )

    async def call(
        self,
        role: Role = Role.PLAN,
        *,
        tokens: tuple[int, int] = (100, 20),
        task: str = "t1",
        tenant: str = "demo",
        fails: Exception | None = None,
    ) -> None:
        asked = prompt(role, task=task, tenant=tenant)
        trying = self.spending.trying(asked, model="small", attempt=1, tokens=90)
        async with trying as tally:
            self.seconds += 2.0
            self.now += timedelta(seconds=2)
            tally.tokens_in, tally.tokens_out = tokens
            if fails:
                raise fails

    async def of(self, task: str = "t1") -> tuple[RoleSpent, ...]:
        return (await self.spending.of(tenant="demo", task=task)).roles


def prompt(role: Role = Role.PLAN, *, task: str = "t1", tenant: str = "demo") -> Prompt:
    behalf = Behalf(tenant=tenant, task=task, rights="r1")
    return Prompt(behalf=behalf, role=role, version="1", instructions="canary", material="canary")


async def rows(database: Database) -> int:
    statement = select(func.count()).select_from(model_calls)
    named = {CROSSES_TENANTS: "a test looks at all of it"}

    def work(connection: Connection) -> int:
        return int(connection.execute(statement, execution_options=named).scalar_one())

    return await database.read(work)


async def test_a_task_knows_what_each_role_has_cost_and_all_of_them(database: Database) -> None:
    till = Till(database, price=Price(tokens_in=2.0, tokens_out=10.0))
    await till.call(Role.PLAN)
    await till.call(Role.ANSWER, tokens=(1000, 300))
    await till.call(Role.ANSWER, tokens=(1000, 100))
    await till.call(Role.ANSWER, task="another")
    await till.call(Role.ANSWER, tenant="acme")
    spent = await till.spending.of(tenant="demo", task="t1")
    plan, answer = spent.roles
    assert (plan.role, plan.calls, plan.tokens_in, plan.tokens_out) == ("plan", 1, 100, 20)
    assert (answer.role, answer.calls, answer.seconds, answer.failed) == ("answer", 2, 4.0, 0)
    assert (spent.calls, spent.tokens_in, spent.tokens_out) == (3, 2100, 420)
    assert spent.seconds == 6.0
    assert spent.price == pytest.approx((2100 * 2 + 420 * 10) / 1_000_000)


async def test_a_price_is_not_guessed(database: Database) -> None:
    till = Till(database)
    await till.call()
    assert (await till.spending.of(tenant="demo", task="t1")).price is None
    assert (await till.spending.of(tenant="demo", task="nothing was asked")).calls == 0


@pytest.mark.parametrize(
    "error", [ReaderIncomplete("canary"), TryFailed(ReaderIncomplete("canary"))]
)
async def test_a_call_that_failed_is_kept_with_what_it_cost(
    database: Database, error: Exception
) -> None:
    till = Till(database)
    with pytest.raises(type(error)):
        await till.call(fails=error)
    (plan,) = await till.of()
    assert (plan.calls, plan.failed, plan.tokens_in, plan.tokens_out) == (1, 1, 100, 20)
    text = till.metrics.exposition(Here(), None, {}).decode()
    line = 'footnote_model_calls_total{outcome="reader_incomplete",role="plan"} 1.0'
    assert line in text
    assert 'footnote_model_tokens_total{role="plan",way="out"} 20.0' in text
    assert "canary" not in text
    assert "demo" not in text


async def test_a_call_that_a_dead_process_had_sent_is_not_forgotten(database: Database) -> None:
    """Its row is there before it is sent, at the tokens of its prompt."""
    till = Till(database)
    asked = till.spending.trying(prompt(), model="small", attempt=1, tokens=90)
    await asked.__aenter__()
    (plan,) = await till.of()
    assert (plan.calls, plan.failed, plan.tokens_in) == (1, 1, 90)


async def test_a_call_that_is_cancelled_is_kept(database: Database) -> None:
    till = Till(database)
    began = asyncio.Event()

    async def ask() -> None:
        async with till.spending.trying(prompt(), model="small", attempt=1, tokens=90):
            began.set()
            await asyncio.sleep(60)

    asking = asyncio.create_task(ask())
    await began.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [(role.calls, role.failed) for role in await till.of()] == [(1, 1)]


async def test_what_is_kept_costs_nothing(database: Database) -> None:
    till = Till(database)
    await till.spending.remembered(prompt(), model="small")
    (plan,) = await till.of()
    assert (plan.calls, plan.remembered, plan.failed, plan.price) == (0, 1, 0, 0.0)


async def test_a_tenants_day_is_used_up_before_the_next_call(database: Database) -> None:
    till = Till(database, daily=240)
    await till.call()
    await till.call()
    with pytest.raises(DayUsedUp) as caught:
        await till.call()
    assert caught.value.limit == "reader_daily_tokens"
    assert (await till.of())[0].calls == 2
    await till.call(tenant="acme")
    till.now = EVENING + timedelta(hours=1)
    await till.call()


async def test_calls_that_failed_count_to_the_day(database: Database) -> None:
    till = Till(database, daily=100)
    with pytest.raises(ReaderIncomplete):
        await till.call(fails=ReaderIncomplete())
    with pytest.raises(DayUsedUp):
        await till.call()


async def test_forgetting_questions_takes_their_names_out_and_gives_no_day_back(
    database: Database,
) -> None:
    till = Till(database, daily=100)
    tasks = SqlTasks(database)
    await tasks.enqueue(request("t1", principal="alice"))
    await till.call()
    await tasks.forget(tenant="demo", principal="alice")
    assert await till.of() == ()
    assert await rows(database) == 1
    with pytest.raises(DayUsedUp):
        await till.call()


async def test_a_tenants_days_are_added_up_by_model(database: Database) -> None:
    till = Till(database, price=Price(tokens_in=1.0, tokens_out=0.0))
    await till.call()
    with pytest.raises(ReaderIncomplete):
        await till.call(task="another", fails=ReaderIncomplete())
    await till.call(tenant="acme")
    till.now = EVENING + timedelta(hours=1)
    await till.call()
    found = await till.spending.days(tenant="demo", since=EVENING - timedelta(days=1))
    assert [(one.day, one.calls, one.failed, one.tokens_in) for one in found] == [
        ("2026-03-03", 1, 0, 100),
        ("2026-03-02", 2, 1, 200),
    ]
    assert found[1].price == pytest.approx(200 / 1_000_000)
    tomorrow = EVENING + timedelta(hours=1)
    assert len(await till.spending.days(tenant="demo", since=tomorrow)) == 1


async def test_what_is_past_its_keeping_time_goes(database: Database) -> None:
    till = Till(database)
    await till.call()
    await till.call(tenant="acme")
    await till.spending.clean(tenant="demo", before=EVENING)
    assert await rows(database) == 2
    await till.spending.clean(tenant="demo", before=EVENING + timedelta(seconds=1))
    assert await rows(database) == 1


async def test_nothing_is_sent_that_is_not_written_down(database: Database) -> None:
    till = Till(database)
    with pytest.raises(StoreUnavailable):
        await till.call(tenant="unknown")
    assert till.seconds == 0


async def test_a_reply_is_not_lost_because_its_end_cannot_be_kept(migrated_url: str) -> None:
    opened = Database(migrated_url)
    await SqlTenants(opened).create("demo")
    till, reply = Till(opened), ""
    async with till.spending.trying(prompt(), model="small", attempt=1, tokens=90):
        await opened.close()
        reply = "paid for"
    assert reply == "paid for"


def test_prices_are_read_from_one_line() -> None:
    found = parse_prices(" openai:big=1.25/10, local:small=0/0 ,")
    assert found["openai:big"] == Price(tokens_in=1.25, tokens_out=10)
    assert found["local:small"].tokens_out == 0
    assert parse_prices("") == {}
