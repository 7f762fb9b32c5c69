"""The record while its database is locked, slow, restarting, silent or full."""

import asyncio
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import Connection, text

from bot.storage.database import Database
from rag.errors import StoreUnavailable
from tests.bot.storage.increments import create, increment, repeatedly, value
from tests.postgres import OwnServer, libpq, own_server

LONG = 60.0  # what would be waited without any limit; far more than each test's own


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    with own_server(durable=True) as made:
        yield made


@pytest.fixture
def url(server: OwnServer) -> Iterator[str]:
    with server.database() as made:
        yield made


@pytest.fixture
async def counter(url: str) -> AsyncIterator[Database]:
    opened = Database(url, busy_seconds=2.0, statement_seconds=3.0)
    await opened.write(create)
    yield opened
    await opened.close()


@contextmanager
def locked(url: str, seconds: float) -> Iterator[None]:
    """Another session keeps the table to itself, for so long or for the block."""
    with psycopg.connect(libpq(url)) as other:
        other.execute("LOCK TABLE counter IN ACCESS EXCLUSIVE MODE")
        release = threading.Timer(seconds, other.rollback)
        release.start()
        yield
        release.join() if seconds < LONG else release.cancel()


async def test_a_short_lock_is_waited_out(counter: Database, url: str) -> None:
    with locked(url, 0.7):
        await counter.write(increment)
    assert await counter.read(value) == 1


async def test_a_long_lock_is_an_outage_in_time(counter: Database, url: str) -> None:
    began = time.monotonic()
    with locked(url, LONG):
        for call in (counter.write(increment), counter.read(value)):
            with pytest.raises(StoreUnavailable):
                await call
    assert time.monotonic() - began < LONG / 2
    assert await counter.read(value) == 0


async def test_a_statement_that_takes_too_long_is_an_outage_in_time(counter: Database) -> None:
    def slow(connection: Connection) -> None:
        increment(connection)
        connection.execute(text("SELECT pg_sleep(:seconds)"), {"seconds": LONG})

    with pytest.raises(StoreUnavailable):
        await counter.write(slow)
    assert await counter.read(value) == 0


async def test_a_restart_fails_what_is_under_way_and_nothing_later(
    counter: Database, server: OwnServer
) -> None:
    def slow(connection: Connection) -> None:
        increment(connection)
        connection.execute(text("SELECT pg_sleep(2)"))

    under_way = [asyncio.create_task(counter.write(slow)) for _ in range(2)]
    await asyncio.sleep(0.5)
    server.restart()
    outcomes = await asyncio.gather(*under_way, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 2
    await asyncio.gather(*(repeatedly(counter, 5) for _ in range(4)))
    assert await counter.read(value) == 20


async def test_a_server_that_is_away_is_an_outage_until_it_is_back(
    counter: Database, server: OwnServer
) -> None:
    server.stop(signal.SIGQUIT)
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            await counter.write(increment)
    server.start()
    await counter.write(increment)
    assert await counter.read(value) == 1


async def test_a_server_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        database = Database(f"postgres://u@127.0.0.1:{port}/d?connect_timeout=2")
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(database.read(value), LONG)
        await database.close()
