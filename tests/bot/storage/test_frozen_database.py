"""A PostgreSQL that took a question and never answers."""

import asyncio
import sys
import time
from collections.abc import Iterator
from threading import Event, Thread

import psycopg
import pytest
import sqlalchemy as sa

from bot.database_urls import parse_url
from bot.lifeline import Lifeline
from bot.storage.database import Database
from rag.errors import StoreUnavailable
from tests.bot.slack.wire import wired


def one(connection: sa.Connection) -> int:
    return int(connection.execute(sa.text("SELECT 1")).scalar_one())


async def test_nobody_waits_for_it_for_ever(postgres_url: str) -> None:
    direct = parse_url(postgres_url)
    async with wired(direct.port or 5432) as wire:
        through = direct.set(port=wire.port).render_as_string(hide_password=False)
        database = Database(through, busy_seconds=0.5, statement_seconds=0.5)
        assert await database.read(one) == 1
        wire.swallow()
        began = time.monotonic()
        assert await database.read(one) == 1  # on a connection of its own, once that one is cut
        assert time.monotonic() - began < 20.0  # the bound itself is a second; machines vary
        await database.close()


@pytest.mark.parametrize("silences", [1, 2])
async def test_nobody_waits_for_ever_on_a_connection_just_made(
    postgres_url: str, silences: int
) -> None:
    direct = parse_url(postgres_url)
    async with wired(direct.port or 5432) as wire:
        through = direct.set(port=wire.port).render_as_string(hide_password=False)
        database = Database(through, busy_seconds=0.5, statement_seconds=0.5)
        tries = 0

        def swallowed(connection: sa.Connection) -> int:
            nonlocal tries
            tries += 1
            if tries <= silences:
                wire.swallow()
            return one(connection)

        reading = asyncio.create_task(database.read(swallowed))
        await asyncio.wait({reading}, timeout=20.0)
        assert reading.done()
        assert isinstance(reading.exception(), StoreUnavailable) is (silences == 2)
        assert tries == 2
        await database.close()


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns after every few steps."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
def test_connections_open_while_others_are_cut() -> None:
    engine = sa.create_engine("postgresql+psycopg://")
    lifeline = Lifeline(engine)
    ended = Event()

    def open_more() -> None:
        opened = []
        while not ended.is_set():
            begun = psycopg.pq.PGconn.connect_start(b"host=/nowhere")
            opened.append(psycopg.Connection(begun))
            lifeline._opened(opened[-1], None)
            if len(opened) > 50:
                opened.clear()

    opening = Thread(target=open_more)
    opening.start()
    try:
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            lifeline.cut()
    finally:
        ended.set()
        opening.join()
        engine.dispose()
