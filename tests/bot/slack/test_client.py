"""Calls to Slack: refusals by name, doubts as doubts, waiting as told, and nothing in the log."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from bot.background import Background
from bot.errors import NotBound, SlackRefused, SlackUnavailable
from bot.playground import Running
from bot.serve import bound_tenant
from bot.slack.client import Slack, open_client, pages, read, whoami, write
from bot.socket import connected
from tests.bot.slack.conftest import Bot, Company, app_of, parts_of, received, replies
from tests.playground.conftest import Driver, until


@pytest.fixture
async def client(running: Running) -> AsyncIterator[Slack]:
    async with open_client(token="xoxb-playground", base_url=running.api_url) as made:
        yield made


async def test_whoami(client: Slack, running: Running) -> None:
    installation = await whoami(client)
    assert installation.team_id == running.team_id
    assert installation.bot_user_id == "U0FOOTNOTE1"
    assert installation.homes == {running.team_id}


async def test_a_refusal_has_slacks_word_and_no_content(client: Slack) -> None:
    with pytest.raises(SlackRefused) as caught:
        await write(client, "chat.postMessage", channel="C0NOWHERE", text="private words")
    assert caught.value.code == "channel_not_found"
    assert "private words" not in str(caught.value)


@pytest.mark.parametrize("kind", ["status", "cut", "cut_before"])
async def test_no_usable_answer_is_a_doubt(client: Slack, driver: Driver, kind: str) -> None:
    await driver.post("faults", method="auth.test", kind=kind)
    with pytest.raises(SlackUnavailable) as caught:
        await read(client, "auth.test")
    assert not isinstance(caught.value, SlackRefused)
    assert len((await driver.get("calls", method="auth.test"))["calls"]) == 1


async def test_waiting_has_an_end(client: Slack, driver: Driver) -> None:
    await driver.post("faults", method="auth.test", kind="status", status=429, seconds=60)
    with pytest.raises(SlackRefused) as caught:
        await read(client, "auth.test")
    assert caught.value.code == "ratelimited"


async def test_pages_are_followed_to_the_end(client: Slack) -> None:
    people = await pages(client, "users.list", key="members", limit=2, most=100)
    assert people is not None
    assert {"U0ALICE0001", "U0DANA00001"} <= {person["id"] for person in people}
    assert await pages(client, "users.list", key="members", limit=2, most=2) is None


async def test_an_unbound_workspace_says_what_to_type(client: Slack, company: Company) -> None:
    installation = (await whoami(client)).model_copy(update={"team_id": "T0OTHER"})
    with pytest.raises(NotBound, match="footnote tenants bind TENANT T0OTHER"):
        await bound_tenant(company.tenants, installation, wanted="")
    assert await bound_tenant(company.tenants, installation, wanted="demo") == "demo"
    assert await company.tenants.of(team="T0OTHER") == "demo"


async def test_a_wrong_app_token_ends_the_start(company: Company, running: Running) -> None:
    async with parts_of(company, running) as bot, received(bot, company) as receiving:
        app = app_of(bot, receiving, Background())
        with pytest.raises(SlackRefused, match="invalid_auth"):
            async with asyncio.timeout(5), connected(app, app_token="xapp-wrong"):
                pytest.fail("it says that it is connected")


async def test_the_log_holds_no_words_of_anybody(
    bot: Bot, driver: Driver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    said = await driver.post(
        "say", user="alice", channel="general", text="<@footnote> What does a zanzibar need?"
    )
    await driver.post("say", user="alice", channel="general", text="zanzibar to the others")
    await replies(driver, "general", "alice", said["ts"])
    assert bot.pipeline.runs

    async def ended() -> bool:
        return any("ended: answered" in record.getMessage() for record in caplog.records)

    assert await until(ended)
    assert all("zanzibar" not in record.getMessage() for record in caplog.records)
