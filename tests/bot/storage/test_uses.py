"""How often people ask is counted once a question, by whichever process decides."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from bot.fair_use import FairUse, Limit, Verdict
from bot.storage.database import Database
from bot.storage.tables import uses
from bot.storage.tasks import SqlTasks
from bot.storage.uses import SqlUses
from tests.bot.storage.samples import request

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FAIR = FairUse(person_minute=2, person_day=4, person_open=10, tenant_hour=6, tenant_day=7)


class Desk:
    """Asks for one question after another."""

    def __init__(self, database: Database, fair: FairUse = FAIR) -> None:
        self.uses = SqlUses(database)
        self.fair = fair
        self.asked = 0

    async def ask(
        self, after: float, *, who: str = "alice", task: str = "", tenant: str = "demo"
    ) -> Verdict:
        self.asked += 1
        return await self.uses.take(
            tenant=tenant,
            principal=who,
            task=task or f"t-{self.asked}",
            at=NOON + timedelta(seconds=after),
            fair=self.fair,
        )


@pytest.fixture
def desk(database: Database) -> Desk:
    return Desk(database)


async def test_a_person_is_turned_away_until_the_minute_is_over(desk: Desk) -> None:
    assert [(await desk.ask(second)).limit for second in (0, 10)] == [None, None]
    third = await desk.ask(20)
    assert third.limit is Limit.PERSON_MINUTE
    assert third.again_at == NOON + timedelta(seconds=60)
    assert (await desk.ask(59.9)).limit is Limit.PERSON_MINUTE
    assert (await desk.ask(60.1)).limit is None


async def test_nobody_waits_for_somebody_else(desk: Desk) -> None:
    for second in range(4):
        await desk.ask(second)
    assert (await desk.ask(5, who="bob")).limit is None
    assert (await desk.ask(6, tenant="acme")).limit is None


async def test_doing_the_same_question_again_counts_nothing_and_changes_nothing(
    desk: Desk,
) -> None:
    for _ in range(5):
        assert (await desk.ask(0, task="same")).limit is None
    assert (await desk.ask(1)).limit is None
    turned = await desk.ask(2, task="late")
    assert turned.notice
    assert await desk.ask(2, task="late") == turned


async def test_a_person_is_told_once_a_minute(desk: Desk) -> None:
    verdicts = [await desk.ask(second) for second in (0, 1, 2, 3, 4, 5)]
    assert [one.notice for one in verdicts] == [False, False, True, False, False, False]
    later = [await desk.ask(second) for second in (63, 64, 65, 66)]
    assert [one.notice for one in later] == [False, False, True, False]


async def test_a_day_has_its_own_budget(desk: Desk) -> None:
    for minute in range(4):
        assert (await desk.ask(minute * 120)).limit is None
    fifth = await desk.ask(3_600)
    assert fifth.limit is Limit.PERSON_DAY
    assert fifth.again_at == NOON + timedelta(days=1)
    assert (await desk.ask(86_401)).limit is None


async def test_a_tenant_has_an_hour_and_a_day(desk: Desk) -> None:
    for number in range(6):
        assert (await desk.ask(number, who=f"person-{number}")).limit is None
    assert (await desk.ask(7, who="zoe")).limit is Limit.TENANT_HOUR
    assert (await desk.ask(3_700, who="zoe")).limit is None
    assert (await desk.ask(3_701, who="yan")).limit is Limit.TENANT_DAY


async def test_what_is_decided_late_counts_by_when_it_was_asked(desk: Desk) -> None:
    """After an outage everything comes at once, and not always in order."""
    assert [(await desk.ask(300 * number)).limit for number in (3, 1, 2, 0)] == [None] * 4


async def test_questions_not_yet_answered_are_so_many_at_most(database: Database) -> None:
    desk = Desk(database, FairUse(person_open=2))
    tasks = SqlTasks(database)
    for task in ("open-1", "open-2"):
        assert (await desk.ask(0, task=task)).limit is None
        await tasks.enqueue(request(task=task, principal="alice", tenant="demo"))
    third = await desk.ask(1)
    assert (third.limit, third.again_at, third.notice) == (Limit.PERSON_OPEN, None, True)
    assert (await desk.ask(1, who="bob")).limit is None
    await tasks.cancel(tenant="demo", task="open-1")
    assert (await desk.ask(2)).limit is None


async def test_many_at_once_are_taken_exactly_so_many_times(database: Database) -> None:
    desks = [Desk(database, FairUse(person_minute=7)) for _ in range(3)]
    asking = [desk.ask(0, task=f"{n}-{m}") for n, desk in enumerate(desks) for m in range(10)]
    verdicts = await asyncio.gather(*asking)
    assert sum(one.limit is None for one in verdicts) == 7
    assert sum(one.notice for one in verdicts) == 1


async def test_what_no_window_reaches_is_deleted(desk: Desk, database: Database) -> None:
    await desk.ask(0)
    await desk.ask(0, tenant="acme")
    await desk.ask(2 * 86_400, who="bob")
    assert await _kept(database, "demo") == 1
    assert await _kept(database, "acme") == 1
    await desk.uses.clean(tenant="acme", before=NOON + timedelta(days=1))
    assert await _kept(database, "acme") == 0


async def _kept(database: Database, tenant: str) -> int:
    statement = select(func.count()).where(uses.c.tenant == tenant)
    return await database.read(lambda connection: int(connection.execute(statement).scalar_one()))
