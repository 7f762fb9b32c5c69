"""A disk with no room left, for this process's own files."""

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """No file of this process grows beyond ``room`` bytes for the length of the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def room_beside(path: Path, more: int) -> int:
    """The size of a SQLite database's largest file and ``more`` bytes."""
    return more + max(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with the file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
