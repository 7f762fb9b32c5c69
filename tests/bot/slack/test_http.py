"""Signed HTTP in a playground: mentions, commands and buttons on their whole way."""

import json
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import pytest

from bot.playground import Running
from tests.bot.slack.conftest import Bot, Company, http_bot, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.signing import FORM, send
from tests.bot.slack.test_private import whispered
from tests.playground.conftest import Driver


@pytest.fixture
async def door(company: Company, running: Running) -> AsyncIterator[tuple[Bot, str]]:
    async with http_bot(company, running) as made:
        yield made


async def test_a_mention_over_http_is_answered(
    door: tuple[Bot, str], running: Running, driver: Driver
) -> None:
    await driver.post("delivery", events_url=door[1])
    said = await driver.post(
        "say", user="alice", channel="general", text="<@footnote> What does a loan need?"
    )
    await driver.post("redeliver", ts=said["ts"], times=3)
    answers = await replies(driver, "general", "alice", said["ts"])
    assert QUOTE in shown(answers[0])
    assert len(door[0].pipeline.runs) == 1
    assert running.team_id == door[0].parts.installation.team_id


async def test_a_command_may_hold_the_word_payload(door: tuple[Bot, str], driver: Driver) -> None:
    await driver.post("delivery", commands_url=door[1])
    await driver.post(
        "command", user="alice", channel="general", command="sources", text="payload=x payload"
    )
    listed = await whispered(driver, "general", "alice")
    assert "payload=x payload" in shown(listed[0])


async def test_a_forged_button_opens_nothing(door: tuple[Bot, str], driver: Driver) -> None:
    said = await driver.post(
        "say", user="alice", channel="dm", text="hello there, what does a loan need?"
    )
    payload = {
        "type": "block_actions",
        "team": {"id": "T0PLAYGROUND"},
        "user": {"id": "U0ALICE0001", "team_id": "T0PLAYGROUND"},
        "container": {"type": "message", "message_ts": said["ts"], "channel_id": said["channel"]},
        "channel": {"id": said["channel"]},
        "actions": [{"type": "button", "action_id": "open_context", "value": "made-up"}],
        "trigger_id": "none",
    }
    body = urlencode({"payload": json.dumps(payload)}).encode()
    # Slack knows no such trigger, so no window opens, and there is nobody to tell.
    assert await send(door[1], body, kind=FORM) == 200
    view = (await driver.get("modal", **{"as": "alice"}))["view"]
    assert view is None
