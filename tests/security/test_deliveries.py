"""Payloads of Slack's that are not quite what one expects, at a running bot."""

from pathlib import Path
from typing import Any

import pytest

from tests.security.deliveries import (
    ASKED,
    Delivery,
    answers,
    note,
    private,
    scene,
    silence,
)

INSTALLED = {"team_id": "T1", "enterprise_id": None, "user_id": "UBOT", "is_bot": True}


def delivery(*, event: dict[str, Any] | None = None, **changes: Any) -> Delivery:
    said = {"type": "app_mention", "user": "U1", "channel": "C1", "ts": ASKED}
    said |= {"text": "<@UBOT> What does a loan need?"} | (event or {})
    made = {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": said}
    return made | {"authorizations": [INSTALLED]} | changes


BOTS: tuple[dict[str, Any], ...] = (
    {"bot_id": "B2"},
    {"bot_profile": {"id": "B2"}},
    {"subtype": "bot_message", "user": None},
)
FOREIGN: tuple[dict[str, Any], ...] = (
    {"authorizations": []},
    {"authorizations": None},
    {"authorizations": [{"team_id": None, "enterprise_id": None}]},
    {"authorizations": [INSTALLED | {"team_id": "T9"}]},
    {"authorizations": [INSTALLED | {"enterprise_id": "E9"}], "event": {"user_team": "E8"}},
    {"event": {"user_team": "T9"}},
    {"event": {"source_team": "T9", "team": "T1"}},
    {"event": {"user": "U9"}},
    {"event": {"user": None}},
    {"event": {"channel": None}},
    *({"event": bot} for bot in BOTS),
)


async def test_nobody_is_answered_whom_the_payload_does_not_prove(tmp_path: Path) -> None:
    async with scene(tmp_path) as stage:
        assert await silence(stage, [delivery(**changes) for changes in FOREIGN]) == []
        assert stage.statuses == [200] * len(FOREIGN)


async def test_one_message_is_answered_once_however_it_is_told(tmp_path: Path) -> None:
    as_message = {"type": "message", "channel_type": "channel"}
    unfurled = {"text": "<@UBOT> What does a loan need?", "user": "U1", "ts": ASKED}
    changed = as_message | {
        "subtype": "message_changed",
        "message": unfurled | {"attachments": [{}]},
    }
    told = [
        delivery(),
        delivery(event_id="Ev1"),
        delivery(event=as_message, event_id="Ev2", team_id="T_CONNECTED"),
        delivery(event=changed | {"previous_message": unfurled}, event_id="Ev3"),
    ]
    async with scene(tmp_path) as stage:
        assert await answers(stage, told) == []


async def test_a_message_said_to_be_shared_is_answered_in_private(tmp_path: Path) -> None:
    async with scene(tmp_path) as stage:
        assert await private(stage, [delivery(is_ext_shared_channel=True)]) == []


@pytest.mark.parametrize(
    "event",
    [{"text": None}, {"text": "", "files": [{"id": "F1"}]}, {"text": "<@UBOT> " + "x" * 40_000}],
)
async def test_what_is_no_question_is_told_so_once(tmp_path: Path, event: dict[str, Any]) -> None:
    async with scene(tmp_path) as stage:
        assert await note(stage, [delivery(event=event)]) == []
