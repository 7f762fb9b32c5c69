"""What was made of snapshots beside their chunks."""

from collections.abc import Sequence
from functools import partial

from sqlalchemy import Connection, delete, select

from bot.sources.enriched import Enriched, Kind
from bot.storage.database import Database
from bot.storage.rows import stamp, upsert, utc_now
from bot.storage.tables import enrichments, versions
from rag.ports import Clock


class SqlEnrichments:
    """Rows by (tenant, source, snapshot, kind, part)."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def of(self, *, tenant: str, source_id: str, snapshot: str) -> tuple[Enriched, ...]:
        """All that was made of one version of a source, by kind and part."""
        version = {"tenant": tenant, "source": source_id, "snapshot": snapshot}
        return await self._database.read(partial(rows_of, version=version))

    async def keep(self, made: Enriched, *, tenant: str, source_id: str, snapshot: str) -> bool:
        """Keep a row in the place of an older one; False where that version is gone."""
        version = {"tenant": tenant, "source": source_id, "snapshot": snapshot}
        at = stamp(self._clock())
        return await self._database.write(partial(keep_row, made=made, version=version, at=at))

    async def drop(self, kind: Kind, *, tenant: str, source_id: str, snapshot: str) -> None:
        """Forget the rows of one kind."""
        named = {"tenant": tenant, "source": source_id, "snapshot": snapshot, "kind": kind.value}
        statement = delete(enrichments).where(*(enrichments.c[k] == v for k, v in named.items()))
        await self._database.write(lambda connection: connection.execute(statement).rowcount)


def rows_of(connection: Connection, *, version: dict[str, str]) -> tuple[Enriched, ...]:
    statement = (
        select(enrichments)
        .where(*(enrichments.c[name] == value for name, value in version.items()))
        .order_by(enrichments.c.kind, enrichments.c.part)
    )
    return tuple(
        Enriched(kind=Kind(row.kind), part=row.part, version=row.version, document=row.document)
        for row in connection.execute(statement)
    )


def documents_of(connection: Connection, kind: Kind, *, version: dict[str, str]) -> Sequence[str]:
    """The documents of one kind."""
    statement = (
        select(enrichments.c.document)
        .where(*(enrichments.c[name] == value for name, value in version.items()))
        .where(enrichments.c.kind == kind.value)
    )
    return connection.execute(statement).scalars().all()


def keep_row(connection: Connection, *, made: Enriched, version: dict[str, str], at: str) -> bool:
    there = select(versions.c.snapshot).where(
        *(versions.c[name] == value for name, value in version.items())
    )
    if connection.execute(there).first() is None:
        return False
    upsert(connection, enrichments, {**version, **made.model_dump(mode="json"), "at": at})
    return True
