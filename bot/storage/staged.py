"""Files that were brought and are not live yet, each in one row until then."""

import zlib
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, delete, select

from bot.loaders.loaded import Loaded
from bot.sources.staged import Staged
from bot.storage.database import Database
from bot.storage.rows import instant, stamp, upsert
from bot.storage.tables import staged as table


class SqlStaged:
    """`bot.sources.staged.StagedFiles` in SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, staged: Staged) -> None:
        """Keep a file, in the place of one of the same id."""
        await self._database.write(partial(_keep, staged=staged))

    async def get(self, *, tenant: str, ident: str) -> Staged | None:
        """The file of that id; None once it is gone."""
        return await self._database.read(partial(_get, tenant=tenant, ident=ident))

    async def drop(self, *, tenant: str, ident: str) -> bool:
        """Forget it; False where it was gone already."""
        statement = delete(table).where(table.c.tenant == tenant, table.c.id == ident)
        gone = await self._database.write(
            lambda connection: connection.execute(statement).rowcount > 0
        )
        if gone:
            await self._database.scrub()
        return gone

    async def expire(self, *, tenant: str, before: datetime) -> tuple[str, ...]:
        """Forget those that were brought before an instant; their ids."""
        old = table.c.tenant == tenant, table.c.at < stamp(before)
        found = await self._database.read(
            lambda connection: connection.execute(select(table.c.id).where(*old)).scalars().all()
        )
        return tuple([ident for ident in found if await self.drop(tenant=tenant, ident=ident)])


def _keep(connection: Connection, *, staged: Staged) -> None:
    row = {
        "tenant": staged.tenant,
        "id": staged.id,
        "name": staged.name,
        "size": staged.size,
        "at": stamp(staged.at),
        "document": zlib.compress(staged.loaded.model_dump_json().encode()),
    }
    upsert(connection, table, row)


def _get(connection: Connection, *, tenant: str, ident: str) -> Staged | None:
    statement = select(table).where(table.c.tenant == tenant, table.c.id == ident)
    row = connection.execute(statement).one_or_none()
    if row is None:
        return None
    return Staged(
        tenant=tenant,
        id=row.id,
        name=row.name,
        size=row.size,
        at=instant(row.at),
        loaded=Loaded.model_validate_json(zlib.decompress(row.document)),
    )
