"""Cuts the connections of a database that took a question and never answers.

Every bound of PostgreSQL's own is the server's: a frozen server, or something between
that swallows what it is sent, keeps a reader waiting for ever. TCP sees nothing wrong.
"""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any
from weakref import WeakSet

import psycopg
import sqlalchemy as sa

log = logging.getLogger(__name__)


class Lifeline:
    """Knows the connections that an engine opens from now on. Does nothing on SQLite."""

    def __init__(self, engine: sa.Engine) -> None:
        self._open: WeakSet[psycopg.Connection[Any]] = WeakSet()
        sa.event.listen(engine, "connect", self._opened)

    def _opened(self, connection: object, _record: object) -> None:
        if isinstance(connection, psycopg.Connection):
            self._open.add(connection)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Let whatever reads on these connections fail when the block takes longer."""
        if not self._open:
            yield
            return
        timer = Timer(seconds, self.cut)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def cut(self) -> None:
        """End every connection, whoever waits on it."""
        log.error("the database does not answer; its connections are cut")
        for connection in list(self._open):
            try:
                with socket.socket(fileno=os.dup(connection.fileno())) as line:
                    line.shutdown(socket.SHUT_RDWR)
            except (psycopg.Error, OSError):
                continue  # it is closed already
