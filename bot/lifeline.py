"""Cuts the connections of a database that took a question and never answers.

Every bound of PostgreSQL's own is the server's: a frozen server, or something between
that swallows what it is sent, keeps a reader waiting for ever. TCP sees nothing wrong.
"""

import logging
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Any
from weakref import WeakSet

import psycopg
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.5
_FRESH_SECONDS = 1.0
_RESTS_SINCE = "footnote_rests_since"


@dataclass(eq=False)
class _Bounded:
    """Something that reads, and when it is late."""

    seconds: float
    end: float


class Lifeline:
    """Knows the connections that an engine opens from now on. Does nothing on SQLite.

    One thread of its own watches them until the engine is disposed of.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._open: WeakSet[psycopg.Connection[Any]] = WeakSet()
        self._going: set[_Bounded] = set()
        self._changing = Lock()
        self._stop: Event | None = None
        sa.event.listen(engine, "connect", self._opened)
        sa.event.listen(engine, "engine_disposed", self._disposed)

    def _opened(self, connection: object, _record: object) -> None:
        if not isinstance(connection, psycopg.Connection):
            return
        with self._changing:
            self._open.add(connection)
            if self._stop is None:
                self._stop = Event()
                Thread(target=self._watch, args=(self._stop,), name="lifeline", daemon=True).start()

    def _disposed(self, _engine: sa.Engine) -> None:
        with self._changing:
            if self._stop is not None:
                self._stop.set()
                self._stop = None

    def _watch(self, stop: Event) -> None:
        while not stop.wait(_LOOK_SECONDS):
            now = time.monotonic()
            late = [block for block in self._going.copy() if block.end < now]
            for block in late:
                block.end = now + block.seconds  # it may go on with another connection
            if late:
                self.cut()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Let whatever reads on these connections fail when the block takes longer."""
        block = _Bounded(seconds=seconds, end=time.monotonic() + seconds)
        self._going.add(block)
        try:
            yield
        finally:
            self._going.discard(block)

    def cut(self) -> None:
        """End every connection, whoever waits on it."""
        log.error("the database does not answer; its connections are cut")
        with self._changing:
            known = list(self._open)
        for connection in known:
            try:
                with socket.socket(fileno=os.dup(connection.fileno())) as line:
                    line.shutdown(socket.SHUT_RDWR)
            except (psycopg.Error, OSError):
                continue  # it is closed already


def ping_after_rest(engine: sa.Engine) -> None:
    """Let the engine ask whether a connection still answers, unless it has just done so.

    As SQLAlchemy's own "pre-ping", which asks each time and so costs as much as most queries.
    """

    def check(connection: DBAPIConnection, entry: ConnectionPoolEntry, _proxy: object) -> None:
        since = entry.info.get(_RESTS_SINCE)
        if since is None or time.monotonic() - since < _FRESH_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except psycopg.Error as error:
            raise sa.exc.InvalidatePoolError from error

    sa.event.listen(engine, "checkin", _note_rest)
    sa.event.listen(engine, "checkout", check)


def _note_rest(_connection: object, entry: ConnectionPoolEntry) -> None:
    entry.info[_RESTS_SINCE] = time.monotonic()
