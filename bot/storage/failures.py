"""Files that could not be read: by source, the bytes it was tried with, how often, and why."""

from functools import partial

from sqlalchemy import Connection, delete, select

from bot.sources.quarantine import Failure
from bot.storage.database import Database
from bot.storage.rows import upsert
from bot.storage.tables import parse_failures


class SqlFailures:
    """`bot.sources.quarantine.Failures` in SQL. A file that is no source yet may fail too."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, *, tenant: str, source_id: str) -> Failure | None:
        """The source's failure, as long as nothing newer was read."""
        found = await self._database.read(partial(_failures, tenant=tenant, source_id=source_id))
        return next(iter(found), None)

    async def reasons(self, *, tenant: str) -> dict[str, str]:
        """Why a source could not be brought to its newest version, by its id."""
        found = await self.every(tenant=tenant)
        return {failure.source_id: failure.reason for failure in found}

    async def every(self, *, tenant: str) -> tuple[Failure, ...]:
        """All that are remembered."""
        return await self._database.read(partial(_failures, tenant=tenant))

    async def note(self, failure: Failure, *, tenant: str) -> None:
        """Remember it in the place of an older one."""
        row = {
            "tenant": tenant,
            "source": failure.source_id,
            "digest": failure.digest,
            "tries": failure.tries,
            "reason": failure.reason,
        }
        await self._database.write(lambda connection: upsert(connection, parse_failures, row))

    async def clear(self, *, tenant: str, source_id: str) -> None:
        """It was read."""
        await self._database.write(partial(clear_failure, tenant=tenant, source_id=source_id))


def _failures(
    connection: Connection, *, tenant: str, source_id: str | None = None
) -> tuple[Failure, ...]:
    table = parse_failures.c
    statement = select(table.source, table.digest, table.tries, table.reason)
    statement = statement.where(table.tenant == tenant)
    if source_id is not None:
        statement = statement.where(table.source == source_id)
    return tuple(
        Failure(source_id=row.source, digest=row.digest, tries=row.tries, reason=row.reason)
        for row in connection.execute(statement)
    )


def clear_failure(connection: Connection, *, tenant: str, source_id: str) -> None:
    """Forget that a source's file could not be read."""
    named = parse_failures.c.tenant == tenant, parse_failures.c.source == source_id
    connection.execute(delete(parse_failures).where(*named))
