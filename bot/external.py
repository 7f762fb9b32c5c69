"""External sources: one row of a configured SQL database, read only."""

import asyncio
from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from rag.errors import IdentityMismatch, SourceUnreadable
from rag.values import Source

_SECONDS = 5
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

        Raises `SourceUnreadable` (no database, no row), `IdentityMismatch` when the
        row's title is not the catalogue's.
        """
        url = self._url_of(source.tenant)
        if not url:
            raise _unreadable(source, "no external database is configured")
        try:
            row = await asyncio.to_thread(self._fetch, url, source)
        except (SQLAlchemyError, OSError) as error:
            raise _unreadable(source, "the external database cannot be read") from error
        if row is None:
            raise _unreadable(source, "the row is not there")
        if row[0] != source.title:
            raise IdentityMismatch(
                f"source {source.id}: the row is another one now",
                source_id=source.id,
                title=source.title,
            )
        return str(row[1])

    def close(self) -> None:
        """Give the connections back."""
        for engine in self._engines.values():
            engine.dispose()

    def _fetch(self, url: str, source: Source) -> tuple[str, str] | None:
        engine = self._engines.get(url)
        if engine is None:
            engine = self._engines[url] = _read_only_engine(url)
        with engine.connect() as connection:
            found = connection.execute(_ROW, {"id": source.ref, "tenant": source.tenant}).first()
        return (str(found[0]), str(found[1])) if found else None


def _unreadable(source: Source, why: str) -> SourceUnreadable:
    message = f"source {source.id}: {why}"
    return SourceUnreadable(message, source_id=source.id, title=source.title)


def _read_only_engine(url: str) -> sa.Engine:
    parsed = sa.make_url(url.replace("postgres://", "postgresql://", 1))
    if parsed.get_backend_name() == "postgresql":
        options = f"-c default_transaction_read_only=on -c statement_timeout={_SECONDS * 1000}"
        named = parsed.set(drivername="postgresql+psycopg")
        return sa.create_engine(named, connect_args={"options": options}, pool_pre_ping=True)
    engine = sa.create_engine(parsed)
    if parsed.get_backend_name() == "sqlite":

        @sa.event.listens_for(engine, "connect")
        def _query_only(connection: object, _record: object) -> None:
            connection.execute("PRAGMA query_only=ON")  # type: ignore[attr-defined] # sqlite3's

    return engine
