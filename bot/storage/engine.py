"""SQLAlchemy engines whose transactions are sound on SQLite and PostgreSQL alike."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from rag.errors import StoreUnavailable

READ_ONLY = "footnote_read_only"
"""Execution option: the transaction only reads, so it need not take SQLite's write lock."""


def sqlite_url(path: Path) -> str:
    """The URL of the SQLite file at ``path``."""
    return URL.create("sqlite", database=str(path.absolute())).render_as_string()


def parse_url(url: str) -> URL:
    """``url`` with the driver Footnote uses; Heroku's ``postgres://`` is understood.

    Raises StoreUnavailable when it is no database URL or neither SQLite nor PostgreSQL.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreUnavailable("the database setting is not a database URL") from error
    family = parsed.get_backend_name()
    if family in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    if family != "sqlite":
        raise StoreUnavailable(f"unknown kind of database {family!r}: use SQLite or PostgreSQL")
    return parsed.set(drivername="sqlite+pysqlite")


def open_engine(url: str, *, connections: int, busy_seconds: float) -> Engine:
    """An engine with at most ``connections`` connections; nothing is connected yet."""
    parsed = parse_url(url)
    sqlite = parsed.get_backend_name() == "sqlite"
    engine = create_engine(
        parsed,
        poolclass=QueuePool,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=busy_seconds,
        pool_pre_ping=not sqlite,
        # A failed statement's message must never carry a question or a document.
        hide_parameters=True,
        connect_args=_sqlite_arguments(busy_seconds) if sqlite else {"connect_timeout": 5},
    )
    if sqlite:
        event.listen(engine, "connect", _prepare_sqlite(busy_seconds))
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _sqlite_arguments(busy_seconds: float) -> dict[str, Any]:
    return {"timeout": busy_seconds, "check_same_thread": False}


def _prepare_sqlite(
    busy_seconds: float,
) -> Callable[[sqlite3.Connection, ConnectionPoolEntry], None]:
    """A listener that sets a fresh SQLite connection up.

    The driver's own transactions begin late and lose updates, so they are
    switched off (``isolation_level = None``); `_begin_sqlite` begins instead.
    """

    def prepare(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout = {int(busy_seconds * 1000)}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",
            "mmap_size = 0",
        ):
            connection.execute(f"PRAGMA {pragma}")

    return prepare


def _begin_sqlite(connection: Connection) -> None:
    """Take the write lock at once: a lock asked for midway fails without waiting."""
    reading = connection.get_execution_options().get(READ_ONLY, False)
    connection.exec_driver_sql("BEGIN DEFERRED" if reading else "BEGIN IMMEDIATE")
