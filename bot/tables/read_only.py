"""Other people's databases: opened so that nothing can be written, and no statement runs long."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from bot.database_urls import POSTGRES, postgres_url, with_session
from rag.errors import SourceUnreadable
from rag.values import Source

SECONDS = 5.0
"""For which one statement may run on SQLite and PostgreSQL."""

UrlOf = Callable[[str], str]
"""The SQLAlchemy URL of a tenant's external database, empty where it has none."""

_MYSQL = ("mysql", "mariadb")
_STEPS = 10_000  # of SQLite's machine between two looks at the clock
_READS = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
    }
)
_SLOW = ("QueryCanceled", "SQLITE_INTERRUPT")
_WRITES = ("ReadOnlySqlTransaction", "SQLITE_READONLY", "SQLITE_AUTH")
_WRONG = ("Undefined", "SyntaxError", "SQLITE_ERROR", "FeatureNotSupported", "Ambiguous")


class Databases:
    """The external databases of all tenants."""

    def __init__(self, url_of: UrlOf, *, seconds: float = SECONDS) -> None:
        self._url_of = url_of
        self._seconds = seconds
        self._engines: dict[str, sa.Engine] = {}

    def engine(self, source: Source) -> sa.Engine:
        """The database that a source is a part of. Raises `SourceUnreadable`."""
        url = self._url_of(source.tenant)
        if not url:
            raise unreadable(source, "no external database is configured")
        found = self._engines.get(url)
        if found is None:
            with translated(source):
                found = self._engines[url] = read_only_engine(url, seconds=self._seconds)
        return found

    def close(self) -> None:
        """Give the connections back."""
        for engine in self._engines.values():
            engine.dispose()


@contextmanager
def translated(source: Source) -> Iterator[None]:
    """What goes wrong with a database is raised as `SourceUnreadable`, in our own words.

    A driver's words may hold the address, or what stands in a row.
    """
    try:
        yield
    except ImportError as error:
        raise unreadable(source, "the driver of its database is not installed") from error
    except (SQLAlchemyError, OSError) as error:
        raise unreadable(source, _why(error)) from error


def unreadable(source: Source, why: str) -> SourceUnreadable:
    """That a source cannot be read, in words for its owner."""
    message = f"source {source.id}: {why}"
    return SourceUnreadable(message, source_id=source.id, title=source.title)


def _why(error: Exception) -> str:
    kind = _kind(error)
    if kind.startswith(_SLOW):
        return "its query takes too long"
    if kind.startswith(_WRITES):
        return "its query is not one that only reads"
    if kind.startswith(_WRONG):
        return f"the external database does not take its query ({kind})"
    return "the external database cannot be read"


def _kind(error: Exception) -> str:
    """What the driver calls it."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(cause, sqlite3.Error):
        return str(getattr(cause, "sqlite_errorname", ""))
    return type(cause).__name__


def read_only_engine(url: str, *, seconds: float = SECONDS) -> sa.Engine:
    """An engine whose connections cannot write and do not wait long for a silent server.

    Raises SQLAlchemy's own errors, and ImportError where the driver is not installed.
    """
    parsed = _parsed(url)
    family = parsed.get_backend_name()
    if family in POSTGRES:
        return _read_only_postgres(parsed, seconds)
    if family == "sqlite":
        return _read_only_sqlite(parsed, seconds)
    engine = sa.create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
    if family in _MYSQL:
        sa.event.listen(engine, "connect", _read_only_session)
    return engine


def _parsed(url: str) -> sa.URL:
    try:
        return sa.make_url(url)
    except (ArgumentError, ValueError):
        # What they say may hold a part of the password.
        raise ArgumentError("the external database's address is no URL") from None


def _read_only_postgres(url: sa.URL, seconds: float) -> sa.Engine:
    careful: dict[str, str | int] = {
        "default_transaction_read_only": "on",
        "statement_timeout": int(seconds * 1000),
    }
    return sa.create_engine(
        with_session(postgres_url(url), "external", careful),
        pool_pre_ping=True,
        hide_parameters=True,
        execution_options={"postgresql_readonly": True},
    )


def _read_only_session(connection: Any, _record: object) -> None:
    """As MySQL and MariaDB are told it."""
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION TRANSACTION READ ONLY")


def _read_only_sqlite(url: sa.URL, seconds: float) -> sa.Engine:
    """SQLite opened read-only, so that a file that is not there is not made either."""
    if url.database and url.database != ":memory:" and not url.database.startswith("file:"):
        file = quote(str(Path(url.database).absolute()))
        url = url.set(database=f"file:{file}", query={**url.query, "mode": "ro", "uri": "true"})
    engine = sa.create_engine(url, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def _query_only(connection: sqlite3.Connection, record: sa.pool.ConnectionPoolEntry) -> None:
        connection.execute("PRAGMA query_only=ON")
        connection.set_authorizer(_may)
        connection.set_progress_handler(
            lambda: time.monotonic() > record.info.get("until", float("inf")), _STEPS
        )

    @sa.event.listens_for(engine, "before_cursor_execute")
    def _begins(connection: sa.Connection, *_statement: object) -> None:
        connection.info["until"] = time.monotonic() + seconds

    return engine


def _may(action: int, name: str | None, value: str | None, *_where: str | None) -> int:
    """Reading, and settings that are asked for and not set."""
    asks = action == sqlite3.SQLITE_PRAGMA and value is None
    loads = action == sqlite3.SQLITE_FUNCTION and value == "load_extension"
    return sqlite3.SQLITE_OK if (action in _READS or asks) and not loads else sqlite3.SQLITE_DENY
