"""Takes a worker's slot in PostgreSQL away, as a broken line and a quicker rival would."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from tests.postgres import Server, libpq

_KIND = 0x466F6F74
_HERE = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
_HELD = f"FROM pg_locks WHERE locktype = 'advisory' AND granted AND {_HERE}"
_AWAITED = f"FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND {_HERE}"


def end_sessions(url: str) -> None:
    """Break every session that holds a slot, and wait until it is gone."""
    Server(url).execute(f"SELECT pg_terminate_backend(pid, 10000) {_HELD}")


@contextmanager
def stolen(url: str, number: int = 1) -> Iterator[psycopg.Connection]:
    """The slot is another's for the length of the block, from the instant its session broke."""
    with psycopg.connect(libpq(url), autocommit=True) as rival:
        lock = f"SELECT pg_advisory_lock({_KIND}, {number})".encode()
        waiting = threading.Thread(target=rival.execute, args=(lock,))
        waiting.start()
        while not _somebody_waits(url):
            time.sleep(0.02)
        end_sessions(url)
        waiting.join()
        yield rival


def _somebody_waits(url: str) -> bool:
    query = f"SELECT count(*) {_AWAITED}".encode()
    with psycopg.connect(libpq(url), autocommit=True) as connection:
        (row,) = connection.execute(query).fetchall()
    return bool(row[0])
