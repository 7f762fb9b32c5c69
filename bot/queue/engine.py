"""Where the jobs live, and the two ways of waiting for their database."""

import sqlite3
from pathlib import Path

import sqlalchemy as sa

from bot.database_urls import parse_url, with_session
from bot.lifeline import ping_after_rest
from bot.wal import log_ahead

CONNECTIONS = 4
"""How many a pool has unless a setting says otherwise."""

QUEUE_CONNECTIONS = 3  # inserts share one; the others look after the queue
_BUSY_MILLISECONDS = 2_000  # Slack waits 3 s for the acknowledgement
_PATIENT_MILLISECONDS = 30_000
_IDLE_MILLISECONDS = 60_000  # a process that stands still keeps no locks
_HURRY = {"connect_timeout": "2", "tcp_user_timeout": "3000"}


def system_url(record_url: str, folder: Path) -> str:
    """Where the jobs live: beside our SQLite file, or in the same PostgreSQL, in DBOS's schema."""
    parsed = parse_url(record_url)
    if parsed.get_backend_name() == "sqlite":
        return f"sqlite:///{folder / 'queue.db'}"
    return parsed.set(drivername="postgresql").render_as_string(hide_password=False)


def inserting_engine(url: str, *, connections: int = QUEUE_CONNECTIONS) -> sa.Engine:
    """An engine that rather fails than keeps Slack waiting."""
    if url.startswith("sqlite"):
        return _sqlite_engine(url, _BUSY_MILLISECONDS)
    limits = {
        "lock_timeout": _BUSY_MILLISECONDS,
        "statement_timeout": _BUSY_MILLISECONDS,
        "idle_in_transaction_session_timeout": _IDLE_MILLISECONDS,
    }
    bounded = with_session(parse_url(url), "queue", limits).update_query_dict(_HURRY)
    return _postgres_engine(bounded, connections, pool_seconds=2.0)


def working_engine(url: str, *, connections: int) -> sa.Engine:
    """An engine for DBOS at work, which waits rather than fails.

    DBOS does again what a lost connection undid, but nothing that the server refused for
    being late: a job's end would then never be recorded. So no statement has a bound;
    the connections themselves have.
    """
    if url.startswith("sqlite"):
        return _sqlite_engine(url, _PATIENT_MILLISECONDS)
    limits = {"idle_in_transaction_session_timeout": _IDLE_MILLISECONDS}
    patient = with_session(parse_url(url), "worker", limits)
    return _postgres_engine(patient, connections, pool_seconds=30.0)


def _postgres_engine(url: sa.URL, connections: int, *, pool_seconds: float) -> sa.Engine:
    engine = sa.create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=pool_seconds,
        hide_parameters=True,
    )
    ping_after_rest(engine)
    return engine


def _sqlite_engine(url: str, busy_milliseconds: int) -> sa.Engine:
    """With WAL, which DBOS does not set."""
    engine = sa.create_engine(
        url,
        pool_size=8,
        max_overflow=0,
        connect_args={"check_same_thread": False},
        hide_parameters=True,
    )

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            f"busy_timeout={busy_milliseconds}",
            "foreign_keys=ON",
            "synchronous=FULL",
        ):
            connection.execute(f"PRAGMA {pragma}")
        log_ahead(connection)

    return engine
