"""External sources: one row of a configured SQL database, read only."""

import asyncio

import sqlalchemy as sa

from bot.tables.read_only import Databases, translated, unreadable
from rag.errors import IdentityMismatch
from rag.values import Source

_ROW = sa.text("SELECT title, body FROM articles WHERE id = :id AND tenant = :tenant")


class ExternalRows:
    """Reads ``articles(id, tenant, title, body)`` with bound parameters only."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases

    async def read(self, source: Source) -> str:
        """The row's body as it is now.

        Raises `SourceUnreadable` (no database, no row, no text in it),
        `IdentityMismatch` when the row's title is not the catalogue's.
        """
        row = await asyncio.to_thread(self._fetch, source)
        if row is None:
            raise unreadable(source, "the row is not there")
        title, body = row
        if title != source.title:
            raise IdentityMismatch(
                f"source {source.id}: the row is another one now",
                source_id=source.id,
                title=source.title,
            )
        if not isinstance(body, str):
            raise unreadable(source, "the row holds no text")
        return body

    def _fetch(self, source: Source) -> tuple[object, object] | None:
        engine = self._databases.engine(source)
        with translated(source), engine.connect() as connection:
            found = connection.execute(_ROW, {"id": source.ref, "tenant": source.tenant}).first()
        return (found[0], found[1]) if found else None
