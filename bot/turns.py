"""Work that one process at a time does, on every host that shares the record.

The lock goes with the process that holds it, however it ends, so that a kill leaves no turn
that nobody can take.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.database_urls import parse_url, with_session
from rag.errors import StoreUnavailable

_KIND = 0x466F6F75  # beside the workers' slots
_TRY = sa.text(f"SELECT pg_try_advisory_lock({_KIND}, :number)")
_KEEPALIVE = {"tcp_keepalives_idle": 4, "tcp_keepalives_interval": 2, "tcp_keepalives_count": 3}


class Turns(Protocol):
    """Turns by name. Blocks."""

    def taken(self, name: str) -> AbstractContextManager[bool]:
        """Ours for the length of the block; False where another process has it.

        Raises `StoreUnavailable`.
        """
        ...


class FileTurns:
    """Turns on one machine: locks on files in ``folder``, which is made when needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def taken(self, name: str) -> Iterator[bool]:
        """As `Turns` says."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{sha256(name.encode()).hexdigest()[:32]}.lock"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield _locked(descriptor)
        finally:
            os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class SessionTurns:
    """Turns of all hosts that share the PostgreSQL at ``url``."""

    def __init__(self, url: str) -> None:
        self._url = with_session(parse_url(url), "turn", _KEEPALIVE)

    @contextmanager
    def taken(self, name: str) -> Iterator[bool]:
        """As `Turns` says; the session ends with the block, and the lock with it."""
        engine = sa.create_engine(self._url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")
        number = int.from_bytes(sha256(name.encode()).digest()[:4], "big", signed=True)
        try:
            connection = engine.connect()
        except SQLAlchemyError as error:
            raise StoreUnavailable("no turn can be taken") from error
        try:
            yield _granted(connection, number)
        finally:
            connection.invalidate()
            connection.close()


def _granted(connection: sa.Connection, number: int) -> bool:
    try:
        return bool(connection.execute(_TRY, {"number": number}).scalar_one())
    except SQLAlchemyError as error:
        raise StoreUnavailable("no turn can be taken") from error
