"""Transactions are sound, whoever else writes and whoever is cancelled."""

import asyncio
import sqlite3
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from bot.database_urls import sqlite_url
from bot.storage.database import Database
from bot.storage.errors import RecordConflict
from rag.errors import StoreUnavailable
from tests.bot.storage.increments import create, increment, repeatedly, value


@pytest.fixture
async def counter(url: str) -> AsyncIterator[Database]:
    opened = Database(url)
    await opened.write(create)
    yield opened
    await opened.close()


async def test_eight_tasks_lose_no_update(counter: Database) -> None:
    await asyncio.gather(*(repeatedly(counter, 40) for _ in range(8)))
    assert await counter.read(value) == 320


async def test_several_databases_over_one_url_lose_no_update(url: str, counter: Database) -> None:
    others = [Database(url) for _ in range(3)]
    await asyncio.gather(*(repeatedly(other, 40) for other in (*others, counter)))
    for other in others:
        await other.close()
    assert await counter.read(value) == 160


async def test_two_processes_lose_no_update(url: str, counter: Database) -> None:
    command = [sys.executable, "-m", "tests.bot.storage.increments", url, "100"]
    processes = [await asyncio.create_subprocess_exec(*command) for _ in range(2)]
    await repeatedly(counter, 50)
    assert [await process.wait() for process in processes] == [0, 0]
    assert await counter.read(value) == 250


async def test_a_failed_transaction_leaves_nothing(counter: Database) -> None:
    def fail(connection: Connection) -> None:
        increment(connection)
        raise KeyError("halfway")

    with pytest.raises(KeyError):
        await counter.write(fail)
    assert await counter.read(value) == 0


async def test_a_cancelled_write_has_ended_when_its_caller_hears_of_it(counter: Database) -> None:
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(connection: Connection) -> None:
        loop.call_soon_threadsafe(begun.set)
        time.sleep(0.1)
        increment(connection)

    task = asyncio.create_task(counter.write(slow))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await counter.read(value) == 1


async def test_a_write_cancelled_before_it_begins_never_happens(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "one-thread.db"))
    await database.write(create)
    busy = asyncio.create_task(database.write(lambda connection: time.sleep(0.1)))
    await asyncio.sleep(0.02)
    behind = asyncio.create_task(database.write(increment))
    await asyncio.sleep(0)
    behind.cancel()
    with pytest.raises(asyncio.CancelledError):
        await behind
    await busy
    assert await database.read(value) == 0
    await database.close()


async def test_two_hundred_cancellations_leave_a_working_pool(counter: Database) -> None:
    tasks = [asyncio.create_task(counter.write(increment)) for _ in range(200)]
    await asyncio.sleep(0.05)
    for task in tasks:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    settled = await counter.read(value)
    await asyncio.sleep(0.05)
    assert await counter.read(value) == settled
    assert settled >= sum(outcome is None for outcome in outcomes)


async def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "shared.db")
    writing, reading = Database(url), Database(url, busy_seconds=0.2)
    await writing.write(create)

    def slow(connection: Connection) -> None:
        increment(connection)
        time.sleep(0.6)

    writer = asyncio.create_task(writing.write(slow))
    await asyncio.sleep(0.1)
    assert await reading.read(value) == 0
    with pytest.raises(StoreUnavailable):
        await reading.write(increment)
    await writer
    assert await reading.read(value) == 1
    await asyncio.gather(writing.close(), reading.close())


async def test_a_reading_transaction_cannot_write_on_postgresql(postgres_url: str) -> None:
    database = Database(postgres_url)
    await database.write(create)
    with pytest.raises(StoreUnavailable):
        await database.read(increment)
    await database.close()


async def test_sqlite_is_set_up_for_safety(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "safe.db"))

    def settings(connection: Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout")
        return [connection.execute(text(f"PRAGMA {name}")).scalar_one() for name in names]

    found = await database.read(settings)
    assert found == ["wal", 2, 1, 1, 10_000]
    await database.close()


async def test_a_refused_row_is_a_conflict(counter: Database) -> None:
    def refuse(connection: Connection) -> None:
        connection.execute(text("INSERT INTO counter VALUES (NULL)"))

    with pytest.raises(RecordConflict):
        await counter.write(refuse)


async def test_a_foreign_error_is_translated_without_the_parameters(counter: Database) -> None:
    def ask(connection: Connection) -> None:
        connection.execute(text("SELECT * FROM nowhere WHERE q = :q"), {"q": "secret question"})

    with pytest.raises(StoreUnavailable) as caught:
        await counter.read(ask)
    assert isinstance(caught.value.__cause__, SQLAlchemyError)
    assert "secret question" not in str(caught.value) + str(caught.value.__cause__)


async def test_a_file_that_is_no_database_is_an_outage(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database" * 100)
    database = Database(sqlite_url(broken))
    with pytest.raises(StoreUnavailable):
        await database.read(value)
    await database.close()


async def test_a_server_that_is_down_is_an_outage() -> None:
    database = Database("postgresql://nobody@127.0.0.1:1/none", busy_seconds=1)
    with pytest.raises(StoreUnavailable):
        await database.read(value)
    await database.close()


async def test_a_closed_database_is_an_outage(counter: Database, url: str) -> None:
    database = Database(url)
    await database.read(value)
    await database.close()
    with pytest.raises(StoreUnavailable):
        await database.read(value)


async def test_scrub_takes_deleted_text_off_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "footnote.db"
    database = Database(sqlite_url(path))

    def fill(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE notes (body TEXT)"))
        connection.execute(text("INSERT INTO notes VALUES (:body)"), {"body": "canary-4711"})

    await database.write(fill)
    await database.write(lambda connection: connection.execute(text("DELETE FROM notes")).rowcount)
    await database.scrub()
    assert b"canary-4711" not in _on_disk(tmp_path)
    assert sqlite3.connect(path).execute("SELECT count(*) FROM notes").fetchone() == (0,)
    await database.close()


def _on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())
