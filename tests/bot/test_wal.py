import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from bot.wal import log_ahead

CONNECTIONS = 4


def _open(path: Path, together: Barrier) -> str:
    together.wait()
    connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    log_ahead(connection)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE IF NOT EXISTS made (once)")
    connection.execute("COMMIT")
    [(mode,)] = connection.execute("PRAGMA journal_mode").fetchall()
    connection.close()
    return str(mode)


def test_a_new_file_is_opened_by_many_at_once(tmp_path: Path) -> None:
    """SQLite alone fails about every twentieth of these connections."""
    together = Barrier(CONNECTIONS)
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for number in range(60):
            path = tmp_path / f"{number}.db"
            modes = pool.map(_open, [path] * CONNECTIONS, [together] * CONNECTIONS)
            assert list(modes) == ["wal"] * CONNECTIONS


def test_a_lock_that_cannot_be_made_is_the_databases_fault(tmp_path: Path) -> None:
    """Whoever uses a database knows what to do when it fails."""
    (tmp_path / "a.db.wal-lock").mkdir()
    connection = sqlite3.connect(tmp_path / "a.db")
    with pytest.raises(sqlite3.OperationalError):
        log_ahead(connection)
    connection.close()


def test_a_database_in_memory_is_left_as_it_is() -> None:
    log_ahead(sqlite3.connect(":memory:"))
