"""One row a retrieval, a failed one too."""

import json
from collections.abc import Sized
from functools import partial
from typing import Any

from sqlalchemy import Connection, insert, select

from bot.storage.database import Database
from bot.storage.deliveries import random_id
from bot.storage.rows import stamp, utc_now
from bot.storage.tables import retrieval_invocations
from bot.storage.task_rows import require_task
from rag.ports import Clock, NewId


class SqlRetrievals:
    """`rag.ports.RetrievalLog` in SQL: fixed columns beside the details as JSON.

    Of ``details``, ``hits`` (a number or a list), ``failed`` and
    ``fallback_reason`` become columns where they are given.
    """

    def __init__(
        self, database: Database, *, clock: Clock = utc_now, new_id: NewId = random_id
    ) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    async def record(self, *, task: str, tenant: str, details: dict[str, object]) -> None:
        """Store one retrieval. Raises UnknownTask."""
        row = {
            "tenant": tenant,
            "id": self._new_id(),
            "task": task,
            "at": stamp(self._clock()),
            "failed": bool(details.get("failed", False)),
            "hits": _count(details.get("hits", 0)),
            "fallback_reason": str(details.get("fallback_reason") or ""),
            "details": json.dumps(details, default=str),
        }
        await self._database.amend(partial(_record, row=row))

    async def of(self, *, tenant: str, task: str) -> tuple[dict[str, object], ...]:
        """The details of every retrieval of a task, the oldest first."""
        return await self._database.read(partial(_of, tenant=tenant, task=task))


def _count(hits: object) -> int:
    if isinstance(hits, Sized):
        return len(hits)
    return hits if isinstance(hits, int) else 0


def _record(connection: Connection, *, row: dict[str, Any]) -> None:
    require_task(connection, tenant=row["tenant"], task=row["task"])
    connection.execute(insert(retrieval_invocations).values(**row))


def _of(connection: Connection, *, tenant: str, task: str) -> tuple[dict[str, object], ...]:
    statement = (
        select(retrieval_invocations.c.details)
        .where(retrieval_invocations.c.tenant == tenant, retrieval_invocations.c.task == task)
        .order_by(retrieval_invocations.c.at, retrieval_invocations.c.id)
    )
    return tuple(json.loads(details) for details in connection.execute(statement).scalars())
