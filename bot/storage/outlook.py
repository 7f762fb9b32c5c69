"""The record as those who watch it from outside need it."""

from datetime import datetime
from functools import partial

from sqlalchemy import Connection, false, func, select, update

from bot.storage.database import Database
from bot.storage.rows import CROSSES_TENANTS, stamp
from bot.storage.tables import tasks, tenants
from bot.storage.task_rows import TaskState

_UNFINISHED = (TaskState.QUEUED.value, TaskState.RUNNING.value)


class SqlOutlook:
    """Looks over every tenant at once, and gives away no more than ids."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def overdue(self, *, before: datetime) -> tuple[str, ...]:
        """The questions asked in Slack before an instant that have no end, by their ids.

        One asked at a terminal has no conversation, and may be left where it stopped.
        """
        return await self._database.read(partial(_overdue, before=stamp(before)))

    async def dead(self) -> int:
        """How many questions of Slack's failed for no reason of the pipeline's own.

        Such a job ended its worker too often, or met an error that nobody foresaw.
        """
        return await self._database.read(_dead)

    async def writable(self) -> None:
        """Return when the record could be written now. Raises `StoreUnavailable`."""
        await self._database.write(_write_nothing)


def _overdue(connection: Connection, *, before: str) -> tuple[str, ...]:
    every = connection.execute(select(tenants.c.tenant)).scalars().all()
    found: list[str] = []
    for tenant in every:
        statement = select(tasks.c.id).where(
            tasks.c.tenant == tenant,
            tasks.c.state.in_(_UNFINISHED),
            tasks.c.created_at < before,
            tasks.c.conversation.is_not(None),
        )
        found += connection.execute(statement).scalars()
    return tuple(found)


def _dead(connection: Connection) -> int:
    statement = select(func.count()).where(
        tasks.c.state == TaskState.FAILED.value,
        tasks.c.reason.is_(None),
        tasks.c.conversation.is_not(None),
    )
    named = {CROSSES_TENANTS: "a number alone"}
    return int(connection.execute(statement, execution_options=named).scalar_one())


def _write_nothing(connection: Connection) -> None:
    """Needs what a write needs (SQLite's lock, a database that is no standby), changes nothing."""
    connection.execute(update(tenants).where(false()).values(name=tenants.c.name))
