"""Copies of SQLite databases, made while they are used and checked before they are trusted."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from rag.errors import StoreUnavailable

_BUSY_SECONDS = 30.0


def copy(source: Path, target: Path) -> None:
    """Copy ``source`` as it stands at one instant into the one new file ``target``. Blocks.

    Writers of ``source`` go on meanwhile. Raises `StoreUnavailable`.
    """
    if not source.is_file():
        raise StoreUnavailable(f"there is no database at {source}")
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with closing(_opened(source)) as old, closing(_opened(target)) as new:
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE").fetchall()  # nothing lies beside it
            _check(new, target)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"{source} could not be copied ({type(error).__name__})") from error
    sync(target)


def check(path: Path) -> None:
    """Raise `StoreUnavailable` unless ``path`` is a whole database. Blocks."""
    try:
        with closing(_opened(path)) as connection:
            _check(connection, path)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"{path} is no database ({type(error).__name__})") from error


def settle(path: Path) -> None:
    """Bring all that was written into the one file, as before it is moved. Blocks."""
    try:
        with closing(_opened(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except sqlite3.Error as error:
        raise StoreUnavailable(f"{path} cannot be closed ({type(error).__name__})") from error
    sync(path)


def sync(path: Path) -> None:
    """Return once a file, or the names in a folder, are on the disk. Blocks."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != ("ok",):
        raise StoreUnavailable(f"{path} is damaged")
