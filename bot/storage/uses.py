"""Who asked how often, kept for a day.

A row belongs to the message or command that asked, so that doing the same job again
counts nothing twice and decides nothing anew.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, text

from bot.fair_use import DAY, HOUR, MINUTE, NOTICE_EVERY, FairUse, Limit, Verdict
from bot.storage.database import Database
from bot.storage.rows import instant, instant_or_none, sha256, stamp
from bot.storage.tables import tasks, uses
from bot.storage.task_rows import TaskState
from rag.values import Value

_OPEN = (TaskState.QUEUED.value, TaskState.RUNNING.value)


class Use(Value):
    """A question that wants to be taken; ``task`` names it, ``at`` is when it was asked."""

    tenant: str
    principal: str
    task: str
    at: datetime


class SqlUses:
    """Counts the questions that were taken, and turns away what is too many."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(
        self, *, tenant: str, principal: str, task: str, at: datetime, fair: FairUse
    ) -> Verdict:
        """Whether that question is taken; the same for every repeat of it.

        Of one person's questions exactly so many are taken. A tenant's may be over by as
        many as are decided at the same instant.
        """
        use = Use(tenant=tenant, principal=principal, task=task, at=at)
        return await self._database.amend(partial(_take, use=use, fair=fair))

    async def clean(self, *, tenant: str, before: datetime) -> None:
        """Delete what was asked before then."""
        await self._database.amend(partial(forget_uses, tenant=tenant, before=before))


def _take(connection: Connection, *, use: Use, fair: FairUse) -> Verdict:
    _one_at_a_time(connection, use)
    known = _decided(connection, use)
    if known is not None:
        return known
    forget_uses(connection, tenant=use.tenant, before=use.at - DAY)
    verdict = _verdict(connection, use, fair)
    row = {
        "tenant": use.tenant,
        "task": use.task,
        "principal": use.principal,
        "at": stamp(use.at),
        "over": verdict.limit.value if verdict.limit else "",
        "again_at": stamp(verdict.again_at) if verdict.again_at else None,
        "notice": verdict.notice,
    }
    connection.execute(insert(uses).values(**row))
    return verdict


def _one_at_a_time(connection: Connection, use: Use) -> None:
    """Let one person's questions be decided one after another, as on SQLite all are."""
    if connection.dialect.name == "postgresql":
        key = int(sha256(f"{use.tenant}\x1f{use.principal}")[:15], 16)
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def _decided(connection: Connection, use: Use) -> Verdict | None:
    statement = select(uses).where(uses.c.tenant == use.tenant, uses.c.task == use.task)
    row = connection.execute(statement).first()
    if row is None:
        return None
    limit = Limit(row.over) if row.over else None
    return Verdict(limit=limit, again_at=instant_or_none(row.again_at), notice=row.notice)


def forget_uses(connection: Connection, *, tenant: str, before: datetime) -> None:
    """Delete what no window reaches any more."""
    connection.execute(delete(uses).where(uses.c.tenant == tenant, uses.c.at < stamp(before)))


def _verdict(connection: Connection, use: Use, fair: FairUse) -> Verdict:
    mine = [uses.c.principal == use.principal]
    windows: list[tuple[Limit, Sequence[ColumnElement[bool]], int, timedelta]] = [
        (Limit.PERSON_MINUTE, mine, fair.person_minute, MINUTE),
        (Limit.PERSON_DAY, mine, fair.person_day, DAY),
        (Limit.TENANT_HOUR, [], fair.tenant_hour, HOUR),
        (Limit.TENANT_DAY, [], fair.tenant_day, DAY),
    ]
    for limit, whose, most, window in windows:
        again_at = _full_until(connection, use, whose=whose, most=most, window=window)
        if again_at is not None:
            notice = _is_to_be_told(connection, use)
            return Verdict(limit=limit, again_at=again_at, notice=notice)
    if _open(connection, use) >= fair.person_open:
        return Verdict(limit=Limit.PERSON_OPEN, notice=_is_to_be_told(connection, use))
    return Verdict()


def _full_until(
    connection: Connection,
    use: Use,
    *,
    whose: Sequence[ColumnElement[bool]],
    most: int,
    window: timedelta,
) -> datetime | None:
    """When there is room again; None when there is now.

    Questions may be decided out of order: what was asked shortly afterwards counts as well.
    """
    statement = (
        select(uses.c.at)
        .where(
            uses.c.tenant == use.tenant,
            uses.c.over == "",
            uses.c.at > stamp(use.at - window),
            uses.c.at < stamp(use.at + window),
            *whose,
        )
        .order_by(uses.c.at.desc())
        .offset(most - 1)
        .limit(1)
    )
    oldest = connection.execute(statement).scalar_one_or_none()
    return None if oldest is None else instant(oldest) + window


def _open(connection: Connection, use: Use) -> int:
    statement = select(func.count()).where(
        tasks.c.tenant == use.tenant,
        tasks.c.principal == use.principal,
        tasks.c.state.in_(_OPEN),
    )
    return int(connection.execute(statement).scalar_one())


def _is_to_be_told(connection: Connection, use: Use) -> bool:
    """Whether this person was not told shortly before, or after."""
    statement = (
        select(uses.c.task)
        .where(
            uses.c.tenant == use.tenant,
            uses.c.principal == use.principal,
            uses.c.notice,
            uses.c.at > stamp(use.at - NOTICE_EVERY),
            uses.c.at < stamp(use.at + NOTICE_EVERY),
        )
        .limit(1)
    )
    return connection.execute(statement).first() is None
