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

ASKER = -2
"""The ``claim`` of the row by which an asker lets admins see their name."""


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

    async def share_name(self, *, tenant: str, task: str, principal: str) -> None:
        """Let admins see who asked. Raises UnknownTask."""
        await self.record(tenant=tenant, task=task, principal=principal, up=False, claim=ASKER)

    async def shares_name(self, *, tenant: str, task: str, principal: str) -> bool:
        """Whether this person lets admins see that they asked."""
        votes = await self._database.read(partial(_rows, tenant=tenant, task=task))
        return any((vote.claim, vote.principal) == (ASKER, principal) for vote in votes)

    async def of(self, *, tenant: str, task: str) -> tuple[Vote, ...]:
        """Every vote on a task, the oldest first."""
        rows = await self._database.read(partial(_rows, tenant=tenant, task=task))
        return tuple(vote for vote in rows if vote.claim != ASKER)


def _record(connection: Connection, *, tenant: str, vote: Vote) -> None:
    require_task(connection, tenant=tenant, task=vote.task)
    row = vote.model_dump() | {"tenant": tenant, "at": stamp(vote.at)}
    upsert(connection, feedback, row)


def _rows(connection: Connection, *, tenant: str, task: str) -> tuple[Vote, ...]:
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
