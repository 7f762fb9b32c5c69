"""One SQL database, used from coroutines through threads of its own."""

import asyncio
import random
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Literal, TypeVar

import psycopg
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from bot.database_urls import parse_url
from bot.lifeline import Lifeline
from bot.storage.deletions import Deletions
from bot.storage.engine import READ_ONLY, open_engine
from bot.storage.errors import RecordConflict
from rag.errors import StoreUnavailable

T = TypeVar("T")
Work = Callable[[Connection], T]
IsolationLevel = Literal["SERIALIZABLE", "READ COMMITTED"]

SERIALIZATION_RETRIES = 40
RETRIED_STATES = frozenset({"40001", "40P01"})
"""PostgreSQL's "serialization failure" and "deadlock detected": the same work may pass later."""


class Database:
    """Runs functions of a connection in transactions, off the event loop.

    SQLite has one thread and so one connection a process; any number of
    processes may share the file. PostgreSQL has ``threads`` of each, and its
    writing transactions are serializable: one that loses is run again, so that
    a read-modify-write never loses an update; `amend` does without, where nothing can
    be lost. ``busy_seconds`` is how long to wait for another's lock or for a free
    connection. ``executor`` stands in for the threads. ``deletions`` is told of all that
    is deleted through it.

    Every failure of the database raises `StoreUnavailable`, a refused row its
    subclass `RecordConflict`. A cancelled caller is held until its transaction
    has ended, so that nothing of it happens later.
    """

    def __init__(
        self,
        url: str,
        *,
        threads: int = 4,
        busy_seconds: float = 10.0,
        statement_seconds: float = 30.0,
        executor: Executor | None = None,
        deletions: Deletions | None = None,
    ) -> None:
        self.deletions = deletions or Deletions()
        self.dialect = parse_url(url).get_backend_name()
        size = 1 if self.dialect == "sqlite" else threads
        self._engine = open_engine(
            url,
            connections=size,
            busy_seconds=busy_seconds,
            statement_seconds=statement_seconds,
        )
        self._lifeline = Lifeline(self._engine)
        self._hanging_seconds = busy_seconds + statement_seconds  # the server's own bounds
        self._executor = executor or ThreadPoolExecutor(
            max_workers=size, thread_name_prefix="record"
        )

    async def write(self, work: Work[T]) -> T:
        """Run ``work(connection)`` and commit. It may be run again, so it must be repeatable."""
        return await self._settled(lambda: self._writing(work, "SERIALIZABLE"))

    async def amend(self, work: Work[T]) -> T:
        """As `write`, for work in which each statement decides for itself, or by a locked row.

        Such work of many at once does not have to be run again on PostgreSQL, where
        serializable transactions on small tables fail one another.
        """
        return await self._settled(lambda: self._writing(work, "READ COMMITTED"))

    async def surely(self, work: Work[T]) -> T:
        """As `amend`, and done even where the caller is cancelled before it has begun."""
        writing = asyncio.ensure_future(self.amend(work))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            await _ended(writing)
            raise

    async def read(self, work: Work[T]) -> T:
        """Run ``work(connection)`` in a transaction that sees one state and changes nothing."""
        return await self._settled(lambda: self._surely_reading(work))

    async def scrub(self) -> None:
        """Empty SQLite's write-ahead log, so that deleted text leaves the disk now."""
        if self.dialect == "sqlite":
            await self._settled(self._truncate)

    async def close(self) -> None:
        """Close every connection once the work under way has ended."""
        await asyncio.to_thread(self._executor.shutdown)
        self._engine.dispose()

    def _writing(self, work: Work[T], isolation: IsolationLevel) -> T:
        for attempt in range(SERIALIZATION_RETRIES):
            try:
                return self._transaction(work, isolation)
            except DBAPIError as error:
                if not _passes_later(error) or attempt == SERIALIZATION_RETRIES - 1:
                    raise
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 5)))  # noqa: S311  spreads rivals, keeps no secret
        raise AssertionError("the last attempt returns or raises")

    def _transaction(self, work: Work[T], isolation: IsolationLevel) -> T:
        with self._engine.connect() as connection:
            if self.dialect == "postgresql":
                connection.execution_options(isolation_level=isolation)
            with connection.begin():
                return work(connection)

    def _surely_reading(self, work: Work[T]) -> T:
        try:
            return self._reading(work)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
        return self._reading(work)  # the server was away; by another connection it may be back

    def _reading(self, work: Work[T]) -> T:
        with self._engine.connect() as connection:
            connection.execution_options(**{READ_ONLY: True})
            if self.dialect == "postgresql":
                connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            with connection.begin():
                return work(connection)

    def _truncate(self) -> None:
        with self._engine.connect() as connection:
            raw = connection.connection.driver_connection
            if isinstance(raw, sqlite3.Connection):
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    async def _settled(self, work: Callable[[], T]) -> T:
        try:
            future = self._executor.submit(_translated, lambda: self._bounded(work))
        except RuntimeError as error:
            raise StoreUnavailable("the record is closed") from error
        return await _outcome(future)

    def _bounded(self, work: Callable[[], T]) -> T:
        with self._lifeline.within(self._hanging_seconds):
            return work()


def _translated(work: Callable[[], T]) -> T:
    try:
        return work()
    except IntegrityError as error:
        raise RecordConflict("the record refused a row") from error
    except (SQLAlchemyError, sqlite3.Error, psycopg.Error) as error:
        raise StoreUnavailable(f"the record did not answer ({type(error).__name__})") from error


def _passes_later(error: DBAPIError) -> bool:
    return getattr(error.orig, "sqlstate", None) in RETRIED_STATES


async def _outcome(future: Future[T]) -> T:
    """The result of ``future``; a cancelled caller waits until it is known.

    Work that has not begun is dropped instead.
    """
    waiting = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        if not future.cancel():
            await _ended(waiting)
        raise


async def _ended(waiting: asyncio.Future[T]) -> None:
    while not waiting.done():
        try:
            await asyncio.wait({waiting})
        except asyncio.CancelledError:
            # A second cancellation cannot undo the transaction either.
            continue
    if not waiting.cancelled():
        waiting.exception()
