"""What waits and what runs, read straight from the queue's database.

DBOS lists jobs one by one; these are sums over all of them, one statement each,
on a connection of its own so that a full pool does not hide a full queue.
"""

import time
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from rag.errors import StoreUnavailable
from rag.values import Value

_WAITING = ("ENQUEUED", "DELAYED")
_RUNNING = "PENDING"
_GIVEN_UP = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
_MOST_IDS = 10_000


class Outlook(Value):
    """How things stand this instant, over every process that shares queue and record.

    ``given_up`` counts the dead letters: what ended its worker too often or failed unforeseen.
    ``oldest`` is the age in seconds of the oldest waiting job, 0 when none waits.
    ``unfinished`` counts the events past their deadline that something still works or
    waits on, ``unanswered`` those past it that nothing will ever come back to.
    """

    waiting: int
    running: int
    oldest: float
    given_up: int
    unfinished: int = 0
    unanswered: int = 0
    workers: int = 0


class Here(Value):
    """This machine's own: bytes of events laid by on its disk, and bytes free there."""

    spooled: int = 0
    disk_free: int = 0


class Backlog:
    """Sums over the jobs. Every method blocks and may raise `StoreUnavailable`."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        schema = "dbos" if engine.dialect.name == "postgresql" else None
        columns: list[sa.ColumnClause[Any]] = [
            sa.column(name) for name in ("workflow_uuid", "status", "created_at", "executor_id")
        ]
        self._jobs = sa.table("workflow_status", *columns, schema=schema)

    def look(self) -> Outlook:
        """The counts and the oldest job's age."""
        status, created = self._jobs.c.status, self._jobs.c.created_at
        states = (*_WAITING, _RUNNING, _GIVEN_UP)
        statement: sa.Select[Any] = (
            sa.select(status, sa.func.count(), sa.func.min(created))
            .where(status.in_(states))
            .group_by(status)
        )
        found: Sequence[Any] = self._rows(statement)
        rows = {state: (int(number), int(born)) for state, number, born in found}
        waiting = [rows[state] for state in _WAITING if state in rows]
        oldest = min((born for _, born in waiting), default=0)
        return Outlook(
            waiting=sum(number for number, _ in waiting),
            running=rows.get(_RUNNING, (0, 0))[0],
            oldest=max(0.0, time.time() - oldest / 1000) if waiting else 0.0,
            given_up=rows.get(_GIVEN_UP, (0, 0))[0],
        )

    def live(self, *, seconds_old: float = 0.0) -> tuple[str, ...]:
        """The ids of the jobs that wait or run and are at least so old, 10,000 at most."""
        before = (time.time() - seconds_old) * 1000
        status = self._jobs.c.status
        statement = (
            sa.select(self._jobs.c.workflow_uuid)
            .where(status.in_((*_WAITING, _RUNNING)), self._jobs.c.created_at <= before)
            .limit(_MOST_IDS)
        )
        return tuple(str(row[0]) for row in self._rows(statement))

    def executors(self) -> tuple[str, ...]:
        """The names under which jobs run, or ran when their worker died."""
        status, executor = self._jobs.c.status, self._jobs.c.executor_id
        statement = sa.select(executor).where(status == _RUNNING).distinct()
        return tuple(str(row[0]) for row in self._rows(statement))

    def insertable(self) -> None:
        """Return when a job could be inserted now: the write lock is there to be had."""
        nothing = sa.update(self._jobs).where(sa.false()).values(status=self._jobs.c.status)
        try:
            with self._engine.begin() as connection:
                connection.execute(nothing)
        except SQLAlchemyError as error:
            raise StoreUnavailable("the queue cannot be written") from error

    def close(self) -> None:
        """Give the connection back."""
        self._engine.dispose()

    def _rows(self, statement: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        try:
            with self._engine.connect() as connection:
                return connection.execute(statement).all()
        except SQLAlchemyError as error:
            raise StoreUnavailable("the queue cannot be read") from error


def task_of(job: str) -> str:
    """The task a job works for: an answering job is named after it, with a suffix."""
    return job.removesuffix(".answer")
