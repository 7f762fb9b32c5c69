"""Whatever is signed and sent: it is stored, ignored or refused, and nothing ever breaks."""

import copy
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.playground import Running
from tests.bot.slack.conftest import Company, http_door
from tests.bot.slack.signing import FORM, mention, send

FEW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
ACCEPTED = {200, 400, 404}

odd_text = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["\ud800", "\x00", "D\x00", "1e999", "-1", "nan", "U" * 5000, "<@U0FOOTNOTE1>"]
    ),
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(2**63) - 1, 1e308]),
    st.floats(allow_nan=False, allow_infinity=False),
    odd_text,
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_text, inner, max_size=3),
    max_leaves=8,
)

EVENT = json.loads(mention("What does a loan need?", thread_ts="1796000000.000001"))
DIRECT = json.loads(mention("What?", type="message", channel_type="im", channel="D0ALICE"))
CHANGED = json.loads(
    mention(
        "",
        type="message",
        subtype="message_changed",
        message={"user": "U0ALICE0001", "text": "new", "ts": "1.2", "blocks": []},
        previous_message={"text": "old", "ts": "1.2"},
    )
)
DELETED = json.loads(mention("", type="message", subtype="message_deleted", deleted_ts="1.2"))
COMMAND = {
    "command": "/ask",
    "text": "payload",
    "user_id": "U0ALICE0001",
    "team_id": "T0PLAYGROUND",
    "channel_id": "C0GENERAL01",
    "trigger_id": "1.2",
}
BUTTON = {
    "type": "block_actions",
    "team": {"id": "T0PLAYGROUND"},
    "user": {"id": "U0ALICE0001", "team_id": "T0PLAYGROUND"},
    "container": {"type": "message", "message_ts": "1.2", "channel_id": "C0GENERAL01"},
    "channel": {"id": "C0GENERAL01"},
    "actions": [{"type": "button", "action_id": "option_1", "value": "made-up"}],
    "trigger_id": "none",
}


def paths(value: Any) -> list[tuple[Any, ...]]:
    """Every place in a payload."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for key, part in inner:
        found.append((key,))
        if isinstance(part, dict | list):
            found.extend((key, *rest) for rest in paths(part))
    return found


@st.composite
def disturbed(draw: st.DrawFn, payload: dict[str, Any]) -> dict[str, Any]:
    """The payload with one or two places replaced by something else."""
    made = copy.deepcopy(payload)
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(paths(made)))
        place = made
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = draw(values)
    return made


@pytest.fixture
async def door(company: Company, running: Running) -> AsyncIterator[str]:
    async with http_door(company, running) as (_, url):
        yield url


@FEW
@given(st.one_of(*(disturbed(payload) for payload in (EVENT, DIRECT, CHANGED, DELETED))))
async def test_no_event_breaks_anything(door: str, payload: dict[str, Any]) -> None:
    assert await send(door, json.dumps(payload).encode()) in ACCEPTED


@FEW
@given(disturbed(BUTTON))
async def test_no_button_breaks_anything(door: str, payload: dict[str, Any]) -> None:
    body = urlencode({"payload": json.dumps(payload)}).encode()
    assert await send(door, body, kind=FORM) in ACCEPTED


@FEW
@given(st.dictionaries(st.sampled_from([*COMMAND, "payload", "ssl_check"]), odd_text))
async def test_no_command_breaks_anything(door: str, changes: dict[str, str]) -> None:
    body = urlencode(COMMAND | changes, errors="surrogatepass").encode()
    assert await send(door, body, kind=FORM) in ACCEPTED | {503}  # an answer nobody takes


@FEW
@given(st.binary(max_size=200), st.sampled_from([FORM, "application/json", "text/plain"]))
async def test_no_bytes_break_anything(door: str, body: bytes, kind: str) -> None:
    assert await send(door, body, kind=kind) in ACCEPTED
