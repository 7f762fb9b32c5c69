"""Commands and buttons have ids of their own: a repeat falls on the first, another does not."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from bot.inbound.amending import deleted_task, task_of
from bot.playground import Running
from bot.queue.engine import system_url
from handlers import payloads
from handlers.blocks import actions
from handlers.payloads import Payload
from tests.bot.slack.conftest import Company, http_door
from tests.bot.slack.queue_rows import rows
from tests.bot.slack.signing import FORM, send

ALICE, BOB = "U0ALICE0001", "U0BOB000001"


def command(*, trigger: str, user: str = ALICE, text: str = "What does a payload need?") -> bytes:
    form = {
        "command": "/ask",
        "text": text,
        "user_id": user,
        "team_id": "T0PLAYGROUND",
        "channel_id": "C0GENERAL01",
        "channel_name": "general",
        "trigger_id": trigger,
    }
    return urlencode(form).encode()


def press(action: str, *, value: str, user: str = ALICE, ts: str = "1796000000.000200") -> bytes:
    payload = {
        "type": "block_actions",
        "team": {"id": "T0PLAYGROUND"},
        "user": {"id": user, "team_id": "T0PLAYGROUND"},
        "container": {"type": "message", "message_ts": ts, "channel_id": "C0GENERAL01"},
        "channel": {"id": "C0GENERAL01"},
        "actions": [{"type": "button", "action_id": action, "value": value, "action_ts": "1.5"}],
        "trigger_id": "1.2",
    }
    return urlencode({"payload": json.dumps(payload)}).encode()


async def stored(company: Company, running: Running, *bodies: bytes) -> int:
    """How many jobs are stored once Slack has sent these, each of them twice."""
    async with http_door(company, running) as (_, url):
        for body in (*bodies, *bodies):
            assert await send(url, body, kind=FORM) == 200
    return len({ident for ident, _, _ in rows(system_url(company.url, company.folder))})


async def test_a_command_is_one_question_however_often_it_comes(
    company: Company, running: Running
) -> None:
    first = command(trigger="1.1")
    same_words = command(trigger="1.2")
    another = command(trigger="1.1", user=BOB)
    assert await stored(company, running, first, same_words, another) == 3


@pytest.mark.parametrize("action", [actions.OPTIONS[0], actions.ASK_PRIVATELY])
async def test_a_button_is_pressed_once_by_each(
    company: Company, running: Running, action: str
) -> None:
    bodies = (
        press(action, value="v1"),
        press(action, value="v2"),
        press(action, value="v1", user=BOB),
    )
    assert await stored(company, running, *bodies) == 3


@pytest.mark.parametrize("team", ["T0PLAYGROUND", None])
def test_a_deleted_message_is_the_task_that_it_asked(team: str | None) -> None:
    """Also where a whole Grid has installed us, and Slack names no team."""
    message = {"type": "message", "user": ALICE, "text": "Which?", "ts": "1796000000.000200"}
    gone = {
        "type": "message",
        "subtype": "message_deleted",
        "previous_message": message,
        "deleted_ts": message["ts"],
    }
    asked = payloads.asked(_heard(team, message), message)
    taken_back = payloads.deleted(_heard(team, gone))
    assert asked is not None and taken_back is not None  # noqa: PT018 - for the types
    assert deleted_task(taken_back) == task_of(asked)


def _heard(team: str | None, event: dict[str, Any]) -> Payload:
    grant = {"enterprise_id": "E0GRID", "team_id": team, "is_enterprise_install": team is None}
    event = {"channel": "D0ALICE", "channel_type": "im", **event}
    return Payload(body={"authorizations": [grant], "event": event})
