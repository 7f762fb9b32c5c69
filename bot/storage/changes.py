"""Changes of who reads what: every process lets go of what it kept, and one looks what follows."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, or_, select, update

from bot.audience import Change, ChangeKind
from bot.storage.change_rows import row_of
from bot.storage.database import Database
from bot.storage.rows import insert_new, instant, stamp, utc_now
from bot.storage.tables import audience_changes as changes
from rag.ports import Clock

_OF_SLACK = (ChangeKind.ROOM.value, ChangeKind.GROUP.value, ChangeKind.PERSON.value)
TAKEN = timedelta(seconds=30)
"""How long whoever took a change may look, before another takes it too."""


class SqlChanges:
    """The changes of every tenant, until they are long done."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def note(self, change: Change, *, tenant: str) -> bool:
        """Store a change that the caller looks at now; False when it was there."""
        row = row_of(change, tenant) | {"taken_at": stamp(self._clock())}
        return await self._database.amend(lambda connection: insert_new(connection, changes, row))

    async def hand_on(self, change: Change, *, tenant: str) -> bool:
        """Store a change that another is to look at; False when it was there."""
        row = row_of(change, tenant)
        return await self._database.amend(lambda connection: insert_new(connection, changes, row))

    async def recent(self, *, tenant: str, seconds: float) -> tuple[Change, ...]:
        """The latest changes of rooms, groups and people, looked at or not."""
        since = stamp(self._clock() - timedelta(seconds=seconds))
        conditions = [changes.c.at >= since, changes.c.kind.in_(_OF_SLACK)]
        return await self._database.read(
            partial(_select, tenant=tenant, conditions=conditions, limit=None)
        )

    async def waiting(self, *, tenant: str) -> tuple[Change, ...]:
        """The changes that nobody has looked at to the end."""
        conditions = [changes.c.looked_at.is_(None), changes.c.kind != ChangeKind.SWEEP.value]
        return await self._database.read(
            partial(_select, tenant=tenant, conditions=conditions, limit=None)
        )

    async def take(self, *, tenant: str, home: str, limit: int) -> tuple[Change, ...]:
        """The oldest changes of this installation that nobody looks at: from here the caller does.

        One that concerns each of the tenant's is taken by any of them.
        """
        free = [*_free(self._clock()), changes.c.home.in_(("", home))]
        if not await self._database.read(partial(_select, tenant=tenant, conditions=free, limit=1)):
            return ()
        at = stamp(self._clock())
        return await self._database.amend(
            partial(_take, tenant=tenant, free=free, at=at, limit=limit)
        )

    async def looked(self, change: Change, *, tenant: str) -> None:
        """Nothing is left to be done about it."""
        statement = update(changes).where(changes.c.tenant == tenant, changes.c.id == change.id)
        values = {"looked_at": stamp(self._clock())}
        await self._database.amend(
            lambda connection: connection.execute(statement.values(**values)).rowcount
        )

    async def clean(self, *, tenant: str, before: datetime) -> int:
        """Delete what was looked at and is older than an instant; how many."""
        old = delete(changes).where(
            changes.c.tenant == tenant,
            changes.c.at < stamp(before),
            changes.c.looked_at.is_not(None),
        )
        return await self._database.amend(lambda connection: connection.execute(old).rowcount)


def _free(now: datetime) -> list[ColumnElement[bool]]:
    """What is no sweep, was not looked at, and is in nobody's hands."""
    untaken = or_(changes.c.taken_at.is_(None), changes.c.taken_at < stamp(now - TAKEN))
    kinds = changes.c.kind != ChangeKind.SWEEP.value
    return [changes.c.looked_at.is_(None), kinds, untaken]


def _take(
    connection: Connection,
    *,
    tenant: str,
    free: list[ColumnElement[bool]],
    at: str,
    limit: int,
) -> tuple[Change, ...]:
    found = _select(connection, tenant=tenant, conditions=free, limit=limit)
    taking = update(changes).where(changes.c.tenant == tenant, *free).values(taken_at=at)
    return tuple(
        change
        for change in found
        if connection.execute(taking.where(changes.c.id == change.id)).rowcount
    )


def _select(
    connection: Connection,
    *,
    tenant: str,
    conditions: list[ColumnElement[bool]],
    limit: int | None,
) -> tuple[Change, ...]:
    statement = select(changes).where(changes.c.tenant == tenant, *conditions)
    rows = connection.execute(statement.order_by(changes.c.at, changes.c.id).limit(limit))
    return tuple(map(_change, rows))


def _change(row: Row[Any]) -> Change:
    return Change(
        id=row.id, kind=ChangeKind(row.kind), about=row.about, at=instant(row.at), home=row.home
    )
