"""A SQLite file's write-ahead log, switched on by one process at a time.

SQLite does not wait for a lock when two connections switch a new file to WAL at once: one of
them fails with "database is locked", whatever its timeout.
"""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Keep every other thread and process out meanwhile. Blocks."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def log_ahead(connection: sqlite3.Connection) -> None:
    """Switch the connection's file to WAL, if it is not yet. Raises sqlite3.Error. Blocks."""
    [(_, _, file)] = connection.execute("PRAGMA database_list").fetchall()
    if not file or _mode(connection) == "wal":
        return
    path = Path(file)
    try:
        with alone(path.with_name(f"{path.name}.wal-lock")):
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
    except OSError as error:
        raise sqlite3.OperationalError("the lock beside the file cannot be made") from error


def _mode(connection: sqlite3.Connection) -> str:
    [(mode,)] = connection.execute("PRAGMA journal_mode").fetchall()
    return str(mode)
