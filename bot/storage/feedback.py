"""What people thought of an answer."""

from functools import partial

from pydantic import AwareDatetime
from sqlalchemy import Connection, select

from bot.storage.database import Database
from bot.storage.deliveries import WHOLE
from bot.storage.rows import instant, stamp, upsert, utc_now
from bot.storage.tables import feedback
from bot.storage.task_rows import require_task
from rag.ports import Clock
from rag.values import Value


class Vote(Value):
    """One person's opinion of a claim, or of the whole answer (``claim`` -1)."""

    task: str
    claim: int = WHOLE
    principal: str
    up: bool
    note: str = ""
    at: AwareDatetime


class SqlFeedback:
    """One vote a person and claim; the last counts."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def record(
        self,
        *,
        tenant: str,
        task: str,
        principal: str,
        up: bool,
        claim: int = WHOLE,
        note: str = "",
    ) -> None:
        """Store a vote in place of the person's earlier one. Raises UnknownTask."""
        vote = Vote(task=task, claim=claim, principal=principal, up=up, note=note, at=self._clock())
        await self._database.write(partial(_record, tenant=tenant, vote=vote))

    async def of(self, *, tenant: str, task: str) -> tuple[Vote, ...]:
        """Every vote on a task, the oldest first."""
        return await self._database.read(partial(_votes, tenant=tenant, task=task))


def _record(connection: Connection, *, tenant: str, vote: Vote) -> None:
    require_task(connection, tenant=tenant, task=vote.task)
    row = vote.model_dump() | {"tenant": tenant, "at": stamp(vote.at)}
    upsert(connection, feedback, row)


def _votes(connection: Connection, *, tenant: str, task: str) -> tuple[Vote, ...]:
    statement = (
        select(feedback)
        .where(feedback.c.tenant == tenant, feedback.c.task == task)
        .order_by(feedback.c.at, feedback.c.claim, feedback.c.principal)
    )
    return tuple(
        Vote(
            task=row.task,
            claim=row.claim,
            principal=row.principal,
            up=row.up,
            note=row.note,
            at=instant(row.at),
        )
        for row in connection.execute(statement)
    )
