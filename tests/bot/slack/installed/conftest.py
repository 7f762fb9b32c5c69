"""Two workspaces of one app, alike but for the team's id, and a bot that speaks for both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography.fernet import Fernet
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot import app as bolt
from bot.background import Background
from bot.inbound import switchboard
from bot.inbound.receiving import Receiving
from bot.installations import Everyone
from bot.playground import Running, Settings, start
from bot.playground.settings import DEFAULT_DESCRIPTION
from bot.queue.engine import system_url
from bot.slack.installed import Installation
from bot.socket import connected
from bot.speaking import opened_all
from bot.spool import Spool
from bot.storage.installations import SqlInstallations
from bot.storage.sealing import Seal
from bot.watch.watchdog import watching
from bot.worker import working
from tests.bot.slack.conftest import Company, replies, setup_of
from tests.playground.conftest import Driver, Json

ATLAS, OTHER = "T0PLAYGROUND", "T0OTHER0001"
ASKED = "<@footnote> What does a loan need?"
HERE, THERE = "A loan needs the device number.", "A loan needs a blue canary."


class Neighbour(Driver):
    """The JSON API of the other workspace."""

    async def post(self, name: str, /, **body: Any) -> Json:
        url = f"{self.running.url}/team/{OTHER}/playground/{name}"
        async with self.session.post(url, json=body) as answer:
            return dict(await answer.json())

    async def get(self, name: str, /, **query: str) -> Json:
        url = f"{self.running.url}/team/{OTHER}/playground/{name}"
        async with self.session.get(url, params=query) as answer:
            return dict(await answer.json())


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    """Two workspaces that differ in nothing but the team's id."""
    described = tmp_path / "other.json"
    described.write_text(DEFAULT_DESCRIPTION.read_text("utf-8").replace(ATLAS, OTHER), "utf-8")
    playground = await start(Settings(data=tmp_path / "playground", neighbours=(described,)))
    yield playground
    await playground.close()


@pytest.fixture
async def there(running: Running) -> AsyncIterator[Driver]:
    async with aiohttp.ClientSession() as session:
        yield Neighbour(running, session)


@pytest.fixture
async def kept(company: Company) -> SqlInstallations:
    """Both installed; the other's tenant has a source of the same id and title."""
    await company.tenants.create("acme")
    await company.tenants.bind(tenant="acme", team=OTHER)
    text = f"Borrowing a device\n\n{THERE}\nIt ends after seven days.\n"
    await company.put("handbook", readers=("everyone",), text=text, tenant="acme")
    made = SqlInstallations(company.database, Seal([Fernet.generate_key().decode()]))
    await made.put(installation(ATLAS), bot_token="xoxb-playground")
    await made.put(installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
    return made


def installation(team: str) -> Installation:
    return Installation(team_id=team, bot_user_id="U0FOOTNOTE1", bot_id="B0FOOTNOTE1")


@asynccontextmanager
async def hearing(
    company: Company, running: Running, kept: SqlInstallations
) -> AsyncIterator[tuple[Everyone, AsyncApp]]:
    """A process that hears for all installations and works nothing yet."""
    setup, _ = setup_of(company, running.api_url)
    async with opened_all(setup, kept) as everyone:
        receiving = Receiving(everyone.queue, Spool(company.folder / "spool"))
        async with receiving.draining():
            background = Background()
            client = AsyncWebClient("of-nobody", base_url=running.api_url, retry_handlers=[])
            hear = switchboard.hearing(everyone, background, receiving)
            yield everyone, bolt.build(client=client, hear=hear)
            await background.drain(2.0)


@asynccontextmanager
async def everyones_bot(
    company: Company, running: Running, kept: SqlInstallations
) -> AsyncIterator[Everyone]:
    """A whole bot of all installations over one socket."""
    url = system_url(company.url, company.folder)
    async with (
        hearing(company, running, kept) as (everyone, app),
        working(everyone, url=url, slots=company.slots, concurrency=2),
        watching(everyone),
        connected(app, app_token="xapp-playground"),
    ):
        yield everyone


async def asked(driver: Driver, **said: str) -> Json:
    """A question's answer, once it is there."""
    saying = {"user": "alice", "channel": "general", "text": ASKED} | said
    put = await driver.post("say", **saying)
    return (await replies(driver, "general", "alice", put["ts"]))[0]
