"""Socket Mode when the wire goes bad: everything is heard in the end, and answered once."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from slack_bolt.async_app import AsyncApp

from bot.background import Background
from bot.playground import Running
from bot.queue.engine import system_url
from bot.socket import Connection, connected
from tests.bot.slack.conftest import Company, app_of, parts_of, received
from tests.bot.slack.locking import locked
from tests.bot.slack.queue_rows import rows
from tests.bot.slack.wire import Wire, wired
from tests.playground.conftest import Driver, until

ASKED = "<@footnote> What does a loan need?"


@pytest.fixture
async def wire(running: Running) -> AsyncIterator[Wire]:
    """The sockets to the playground go over it; its Web API does not."""
    async with wired(running.port) as made:
        running.workspace.base = f"http://127.0.0.1:{made.port}"
        yield made


@asynccontextmanager
async def ears(
    company: Company, running: Running, *, count: int = 1
) -> AsyncIterator[list[Connection]]:
    """A bot that only listens, over ``count`` sockets at once."""
    async with parts_of(company, running) as bot, received(bot, company) as receiving:
        app = app_of(bot, receiving, Background())
        async with contexts(app, count) as made:
            yield made


@asynccontextmanager
async def contexts(app: AsyncApp, count: int) -> AsyncIterator[list[Connection]]:
    if not count:
        yield []
        return
    async with (
        connected(app, app_token="xapp-playground", watch_seconds=1.0) as one,
        contexts(app, count - 1) as others,
    ):
        yield [one, *others]


async def say(driver: Driver) -> None:
    await driver.post("say", user="alice", channel="general", text=ASKED)


async def heard(company: Company, count: int, *, seconds: float = 60.0) -> float:
    """Seconds until exactly so many questions are stored."""
    began = time.monotonic()
    url = system_url(company.url, company.folder)

    async def stored() -> bool:
        return len(rows(url)) >= count

    await until(stored, seconds=seconds)
    assert len(rows(url)) == count
    return time.monotonic() - began


async def test_a_connection_that_carries_nothing_is_given_up(
    company: Company, running: Running, driver: Driver, wire: Wire
) -> None:
    async with ears(company, running) as (connection,):
        await say(driver)
        await heard(company, 1)
        wire.swallow()
        await say(driver)
        assert await heard(company, 2) < 60.0
        assert wire.made == 2
        assert await connection.is_connected()


async def test_a_reconnect_that_hangs_is_begun_anew(
    company: Company, running: Running, driver: Driver, wire: Wire
) -> None:
    async with ears(company, running) as (connection,):
        wire.swallow()
        wire.swallows_new = True

        async def trying() -> bool:
            return wire.made >= 2

        await until(trying)  # the library connects again, and waits for an answer
        wire.swallows_new = False
        await say(driver)
        assert await heard(company, 1) < 60.0
        assert await connection.is_connected()


async def test_an_address_that_is_used_up_is_asked_for_again(
    company: Company, running: Running, driver: Driver, wire: Wire
) -> None:
    async with ears(company, running) as (connection,):
        wire.cuts_answers = 1
        wire.swallow()
        await say(driver)
        assert await heard(company, 1) < 60.0
        assert await connection.is_connected()


async def test_an_acknowledgement_that_is_lost_doubles_nothing(
    company: Company, running: Running, driver: Driver, wire: Wire
) -> None:
    async with ears(company, running):
        with locked(company.folder / "queue.db"):
            await say(driver)
            await asyncio.sleep(0.3)  # the envelope is here, its insert waits
            wire.swallow()
        await heard(company, 1)

        async def acknowledged() -> bool:
            return not (await driver.get("deliveries"))["deliveries"]

        await until(acknowledged)
        await heard(company, 1)


async def test_two_sockets_hear_everything_once(
    company: Company, running: Running, driver: Driver
) -> None:
    async with ears(company, running, count=2):
        for number in range(1, 5):
            await say(driver)
            await heard(company, number)
            await driver.post("disconnect", reason="refresh_requested" if number % 2 else "cut")


async def test_a_refused_insert_is_not_acknowledged(
    company: Company, running: Running, driver: Driver
) -> None:
    async with ears(company, running):
        with locked(company.folder / "queue.db"):
            await say(driver)
            await asyncio.sleep(2.5)
            assert (await driver.get("deliveries"))["deliveries"]
        await heard(company, 1)
