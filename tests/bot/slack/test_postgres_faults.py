"""PostgreSQL restarted, stopped and locked under a bot at work: one question, one reply."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import psycopg
import pytest

from bot.playground import Running
from bot.queue.engine import CONNECTIONS, QUEUE_CONNECTIONS
from bot.slots.session_slots import CONNECTIONS as SLOT_CONNECTIONS
from tests.bot.slack.conftest import Company, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_kills import bot_process
from tests.bot.slack.test_mentions import ours, settled
from tests.contract.stolen_slots import stolen
from tests.playground.conftest import Driver
from tests.postgres import OwnServer, libpq, own_server

ASKED = "<@footnote> What does a loan need? Be slow."
AWAY_SECONDS = 10.0
MOST = {
    "footnote record": CONNECTIONS,
    "footnote queue": QUEUE_CONNECTIONS,
    "footnote slot": SLOT_CONNECTIONS,
    "footnote worker": CONNECTIONS + 1,  # one of DBOS's own listens
}


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    with own_server(durable=True) as made:
        yield made


@pytest.fixture
def company_url(server: OwnServer) -> Iterator[str]:
    with server.database() as url:
        yield url


async def ask(driver: Driver, count: int) -> list[str]:
    """Ask as many slow questions, each in a thread of its own; the threads."""
    said = [
        await driver.post("say", user="alice", channel="general", text=f"{ASKED} {number}")
        for number in range(count)
    ]
    return [str(message["ts"]) for message in said]


async def each_answered_once(driver: Driver, threads: list[str]) -> None:
    for thread in threads:
        (answer, *more) = await replies(driver, "general", "alice", thread)
        assert QUOTE in shown(answer)
        assert more == []
    await settled(driver)
    for thread in threads:
        assert len(await ours(driver, "general", "alice", thread)) == 1


async def test_a_restart_under_load(
    company: Company, running: Running, driver: Driver, server: OwnServer
) -> None:
    async with bot_process(company, running) as process:
        threads = await ask(driver, 6)
        await asyncio.sleep(1.5)
        await asyncio.to_thread(server.stop, signal.SIGQUIT)
        server.start()
        await each_answered_once(driver, threads)
        assert process.returncode is None


async def test_ten_seconds_without_a_server(
    company: Company, running: Running, driver: Driver, server: OwnServer
) -> None:
    async with bot_process(company, running) as process:
        threads = await ask(driver, 2)
        await asyncio.sleep(1.5)
        await asyncio.to_thread(server.stop, signal.SIGQUIT)
        await asyncio.sleep(AWAY_SECONDS)
        server.start()
        await each_answered_once(driver, threads)
        assert process.returncode is None


async def test_tables_locked_for_some_seconds(
    company: Company, running: Running, driver: Driver
) -> None:
    async with bot_process(company, running):
        threads = await ask(driver, 2)
        await asyncio.sleep(1.0)
        async with locked(company.url, "tasks, dbos.workflow_status"):
            await asyncio.sleep(5.0)
        await each_answered_once(driver, threads)


@asynccontextmanager
async def locked(url: str, tables: str) -> AsyncIterator[None]:
    """Nobody else can read or write the tables for the length of the block."""
    connecting = psycopg.AsyncConnection.connect(libpq(url))
    async with await connecting as connection:
        await connection.execute(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE".encode())
        yield


async def test_a_worker_whose_name_was_taken_begins_again_under_another(
    company: Company, running: Running, driver: Driver
) -> None:
    async with bot_process(company, running) as process:
        threads = await ask(driver, 1)
        await asyncio.sleep(1.5)
        with stolen(company.url):  # and with it the question's job, which nobody does
            later = await ask(driver, 1)
            await each_answered_once(driver, later)
        await each_answered_once(driver, threads)
        assert process.returncode is None


async def test_a_process_opens_no_more_connections_than_is_said(
    company: Company, running: Running, driver: Driver
) -> None:
    seen: dict[str, int] = {}
    await company.database.close()
    async with bot_process(company, running):
        threads = await ask(driver, 8)
        watching = asyncio.create_task(watch(company.url, seen))
        await each_answered_once(driver, threads)
        watching.cancel()
    assert set(seen) == set(MOST)
    assert {name: count for name, count in seen.items() if count > MOST[name]} == {}


async def watch(url: str, seen: dict[str, int]) -> None:
    """Note the most sessions of each purpose that there are at once."""
    query = b"""SELECT application_name, count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'footnote %' GROUP BY 1"""
    async with await psycopg.AsyncConnection.connect(libpq(url), autocommit=True) as connection:
        while True:
            for name, count in await (await connection.execute(query)).fetchall():
                seen[name] = max(seen.get(name, 0), count)
            await asyncio.sleep(0.05)
