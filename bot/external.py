"""External sources: one row of a configured SQL database, read only."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.database_urls import POSTGRES, postgres_url, with_session
from rag.errors import IdentityMismatch, SourceUnreadable
from rag.values import Source

_SECONDS = 5
_CAREFUL = {"default_transaction_read_only": "on", "statement_timeout": str(_SECONDS * 1000)}
_ROW = sa.text("SELECT title, body FROM articles WHERE id = :id AND tenant = :tenant")

UrlOf = Callable[[str], str]
"""The SQLAlchemy URL of a tenant's external database, empty where it has none."""


class ExternalRows:
    """Reads ``articles(id, tenant, title, body)`` with bound parameters only."""

    def __init__(self, url_of: UrlOf) -> None:
        self._url_of = url_of
        self._engines: dict[str, sa.Engine] = {}

    async def read(self, source: Source) -> str:
        """The row's body as it is now.

        Raises `SourceUnreadable` (no database, no row, no text in it),
        `IdentityMismatch` when the row's title is not the catalogue's.
        """
        url = self._url_of(source.tenant)
        if not url:
            raise _unreadable(source, "no external database is configured")
        try:
            row = await asyncio.to_thread(self._fetch, url, source)
        except (SQLAlchemyError, OSError, ImportError) as error:
            raise _unreadable(source, "the external database cannot be read") from error
        if row is None:
            raise _unreadable(source, "the row is not there")
        title, body = row
        if title != source.title:
            raise IdentityMismatch(
                f"source {source.id}: the row is another one now",
                source_id=source.id,
                title=source.title,
            )
        if not isinstance(body, str):
            raise _unreadable(source, "the row holds no text")
        return body

    def close(self) -> None:
        """Give the connections back."""
        for engine in self._engines.values():
            engine.dispose()

    def _fetch(self, url: str, source: Source) -> tuple[object, object] | None:
        engine = self._engines.get(url)
        if engine is None:
            engine = self._engines[url] = read_only_engine(url)
        with engine.connect() as connection:
            found = connection.execute(_ROW, {"id": source.ref, "tenant": source.tenant}).first()
        return (found[0], found[1]) if found else None


def _unreadable(source: Source, why: str) -> SourceUnreadable:
    message = f"source {source.id}: {why}"
    return SourceUnreadable(message, source_id=source.id, title=source.title)


def read_only_engine(url: str) -> sa.Engine:
    """An engine whose connections cannot write and do not wait long for a silent server.

    Raises SQLAlchemy's own errors, and ImportError where the driver is not installed.
    """
    parsed = sa.make_url(url)
    if parsed.get_backend_name() in POSTGRES:
        careful = with_session(postgres_url(parsed), "external", _CAREFUL)
        return sa.create_engine(careful, pool_pre_ping=True)
    if parsed.get_backend_name() == "sqlite":
        return _read_only_sqlite(parsed)
    return sa.create_engine(parsed)


def _read_only_sqlite(url: sa.URL) -> sa.Engine:
    """SQLite opened read-only, so that a file that is not there is not made either."""
    if url.database and url.database != ":memory:" and not url.database.startswith("file:"):
        file = quote(str(Path(url.database).absolute()))
        url = url.set(database=f"file:{file}", query={**url.query, "mode": "ro", "uri": "true"})
    engine = sa.create_engine(url)

    @sa.event.listens_for(engine, "connect")
    def _query_only(connection: object, _record: object) -> None:
        connection.execute("PRAGMA query_only=ON")  # type: ignore[attr-defined] # sqlite3's

    return engine
