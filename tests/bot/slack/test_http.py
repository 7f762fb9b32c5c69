"""Signed HTTP: what is not signed, too old, too big or unreadable goes no further."""

import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest

from bot.playground import Running
from tests.bot.slack.conftest import Bot, Company, http_bot, replies, shown
from tests.bot.slack.locking import locked
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_private import whispered
from tests.playground.conftest import Driver

SECRET = "playground-secret"
FORM = "application/x-www-form-urlencoded"


def headers(body: bytes, *, secret: str = SECRET, age: int = 0) -> dict[str, str]:
    timestamp = str(int(time.time()) - age)
    base = b"v0:" + timestamp.encode() + b":" + body
    made = hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={made}"}


@pytest.fixture
async def door(company: Company, running: Running) -> AsyncIterator[tuple[Bot, str]]:
    async with http_bot(company, running) as made:
        yield made


async def send(url: str, body: bytes, *, kind: str = "application/json", **signed: Any) -> int:
    return (await sent(url, body, {"Content-Type": kind, **headers(body, **signed)}))[0]


async def sent(url: str, body: bytes, given: dict[str, str]) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=body, headers=given) as answer,
    ):
        return answer.status, await answer.text()


CHALLENGE = json.dumps({"type": "url_verification", "challenge": "abc"}).encode()


async def test_a_signed_request_is_let_in(door: tuple[Bot, str]) -> None:
    status, text = await sent(
        door[1], CHALLENGE, {"Content-Type": "application/json", **headers(CHALLENGE)}
    )
    assert (status, json.loads(text)) == (200, {"challenge": "abc"})


@pytest.mark.parametrize("age", [-310, 310, 86_400])
async def test_an_old_or_early_signature_is_refused(door: tuple[Bot, str], age: int) -> None:
    assert await send(door[1], CHALLENGE, age=age) == 401


async def test_wrong_missing_and_odd_signatures_are_refused(door: tuple[Bot, str]) -> None:
    good = headers(CHALLENGE)
    stamp, made = good["X-Slack-Request-Timestamp"], good["X-Slack-Signature"]
    wrong: list[dict[str, str]] = [
        {},
        headers(CHALLENGE, secret="another"),
        headers(CHALLENGE, secret=""),
        {"X-Slack-Signature": made},
        {"X-Slack-Request-Timestamp": stamp},
        {"X-Slack-Request-Timestamp": "soon", "X-Slack-Signature": made},
        {"X-Slack-Request-Timestamp": f"{stamp}.0", "X-Slack-Signature": made},
        {"X-Slack-Request-Timestamp": "1" * 400, "X-Slack-Signature": made},
        {**good, "X-Slack-Signature": made.upper()},
        {**good, "X-Slack-Signature": made.removeprefix("v0=")},
        {**good, "X-Slack-Signature": "v0=\u00e9"},
    ]
    for given in wrong:
        status, text = await sent(door[1], CHALLENGE, given)
        assert (status, text) == (401, ""), given
    assert await sent(door[1], CHALLENGE + b" ", good) == (401, "")


async def test_what_is_signed_but_unreadable_is_a_400(door: tuple[Bot, str]) -> None:
    for body in (b"", b"null", b"[]", b'"x"', b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":NaN'):
        assert await send(door[1], body) == 400, body[:20]
    assert await send(door[1], b"payload=%7B", kind=FORM) == 400
    assert await send(door[1], b"a=1", kind="text/plain") == 400


async def test_more_than_a_megabyte_is_refused(door: tuple[Bot, str]) -> None:
    assert await send(door[1], b"x" * (1024 * 1024 + 1)) == 413


async def test_what_nobody_listens_to_is_received(door: tuple[Bot, str]) -> None:
    for event in ({"type": "team_join"}, {"type": "message"}):
        body = json.dumps({"type": "event_callback", "event": event}).encode()
        assert await send(door[1], body) == 200


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
    # Slack knows no such trigger, so not even the window opens; nothing crashes.
    assert await send(door[1], body, kind=FORM) == 503
    view = (await driver.get("modal", **{"as": "alice"}))["view"]
    assert view is None


async def test_the_queue_being_locked_makes_slack_try_again(
    door: tuple[Bot, str], company: Company
) -> None:
    event = {
        "type": "app_mention",
        "user": "U0ALICE0001",
        "text": "<@U0FOOTNOTE1> What does a loan need?",
        "ts": "1796000000.000100",
        "channel": "C0GENERAL01",
    }
    body = json.dumps(
        {
            "type": "event_callback",
            "event": event,
            "authorizations": [
                {"team_id": "T0PLAYGROUND", "user_id": "U0FOOTNOTE1", "is_bot": True}
            ],
        }
    ).encode()
    with locked(company.folder / "queue.db"):
        began = time.monotonic()
        assert await send(door[1], body) == 503
        assert time.monotonic() - began < 10.0  # the bound itself is Slack's 3 s; machines vary
    assert await send(door[1], body) == 200
