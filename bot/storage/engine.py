"""SQLAlchemy engines whose transactions are sound on SQLite and PostgreSQL alike."""

import sqlite3
from collections.abc import Callable
from typing import Any

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from bot.database_urls import parse_url, with_session
from bot.lifeline import ping_after_rest
from bot.wal import log_ahead

READ_ONLY = "footnote_read_only"
"""Execution option: the transaction only reads, so it need not take SQLite's write lock."""

IDLE_MILLISECONDS = 60_000
"""How long a process that stands still may keep a transaction, and with it locks, open."""


def open_engine(
    url: str, *, connections: int, busy_seconds: float, statement_seconds: float = 30.0
) -> Engine:
    """An engine with at most ``connections`` connections; nothing is connected yet.

    ``busy_seconds`` bounds the wait for another's lock and for a free connection,
    ``statement_seconds`` what PostgreSQL may work on one statement (0: without bound).
    """
    parsed = parse_url(url)
    sqlite = parsed.get_backend_name() == "sqlite"
    engine = create_engine(
        parsed if sqlite else _limited(parsed, busy_seconds, statement_seconds),
        poolclass=QueuePool,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=busy_seconds,
        # A failed statement's message must never carry a question or a document.
        hide_parameters=True,
        connect_args=_sqlite_arguments(busy_seconds) if sqlite else {},
    )
    if sqlite:
        event.listen(engine, "connect", _prepare_sqlite(busy_seconds))
        event.listen(engine, "begin", _begin_sqlite)
    else:
        ping_after_rest(engine)
    return engine


def _limited(url: URL, busy_seconds: float, statement_seconds: float) -> URL:
    """``url`` with the server's own limits of a session, in milliseconds."""
    limits = {
        "lock_timeout": int(busy_seconds * 1000),
        "statement_timeout": int(statement_seconds * 1000),
        "idle_in_transaction_session_timeout": IDLE_MILLISECONDS,
    }
    return with_session(url, "record", limits)


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
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",
            "mmap_size = 0",
        ):
            connection.execute(f"PRAGMA {pragma}")
        log_ahead(connection)

    return prepare


def _begin_sqlite(connection: Connection) -> None:
    """Take the write lock at once: a lock asked for midway fails without waiting."""
    reading = connection.get_execution_options().get(READ_ONLY, False)
    connection.exec_driver_sql("BEGIN DEFERRED" if reading else "BEGIN IMMEDIATE")
