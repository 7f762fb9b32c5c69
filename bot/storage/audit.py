"""Who changed what may be seen, and when: ids alone, added to and never changed."""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated

from pydantic import AwareDatetime, StringConstraints
from sqlalchemy import Connection, delete, select

from bot.storage.database import Database
from bot.storage.deliveries import random_id
from bot.storage.rows import insert_new, instant, stamp, utc_now
from bot.storage.tables import audit
from rag.ports import Clock, NewId
from rag.values import Value

OURSELVES = "footnote"
"""Who did it when nobody did: the program, by its own rules."""

Ident = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"^\S+$")]
Act = Annotated[str, StringConstraints(max_length=50, pattern=r"^[a-z]+(-[a-z]+)*$")]


class Noted(Value):
    """One entry. ``about`` are ids, such as a source's or a task's, and never words.

    ``who`` is a principal, or `OURSELVES`.
    """

    id: Ident
    at: AwareDatetime
    who: Ident
    what: Act
    about: tuple[Ident, ...] = ()


class SqlAudit:
    """The entries of every tenant. The database itself refuses to change one."""

    def __init__(
        self, database: Database, *, clock: Clock = utc_now, new_id: NewId = random_id
    ) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    async def note(
        self, *, tenant: str, who: str, what: str, about: Sequence[str] = (), once: str = ""
    ) -> bool:
        """Add an entry; False when there is one under the id ``once`` already.

        Give ``once`` where the same act may be done again after a crash, such as a task's
        or a job's id. Raises `pydantic.ValidationError` for what is no id, `StoreUnavailable`.
        """
        ident = f"{what}:{once}" if once else self._new_id()
        noted = Noted(id=ident, at=self._clock(), who=who, what=what, about=tuple(about))
        return await self._database.amend(partial(add_entry, tenant=tenant, noted=noted))

    async def list(self, *, tenant: str, limit: int = 50) -> tuple[Noted, ...]:
        """The newest entries of a tenant, the newest first."""
        return await self._database.read(partial(_newest, tenant=tenant, limit=limit))

    async def purge(self, *, tenant: str, before: datetime) -> int:
        """Delete the entries from before an instant; how many."""
        old = delete(audit).where(audit.c.tenant == tenant, audit.c.at < stamp(before))
        return await self._database.amend(lambda connection: connection.execute(old).rowcount)


def add_entry(connection: Connection, *, tenant: str, noted: Noted) -> bool:
    """Add an entry in the transaction that does what it tells; False when its id is there."""
    row = noted.model_dump(exclude={"at", "about"})
    row |= {"tenant": tenant, "at": stamp(noted.at), "about": json.dumps(noted.about)}
    return insert_new(connection, audit, row)


def _newest(connection: Connection, *, tenant: str, limit: int) -> tuple[Noted, ...]:
    statement = (
        select(audit)
        .where(audit.c.tenant == tenant)
        .order_by(audit.c.at.desc(), audit.c.id)
        .limit(limit)
    )
    return tuple(
        Noted(
            id=row.id,
            at=instant(row.at),
            who=row.who,
            what=row.what,
            about=tuple(json.loads(row.about)),
        )
        for row in connection.execute(statement)
    )
