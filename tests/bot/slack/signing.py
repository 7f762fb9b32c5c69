"""Sends signed requests as Slack does."""

import hashlib
import hmac
import json
import time
from typing import Any

import aiohttp

SECRET = "playground-secret"
FORM = "application/x-www-form-urlencoded"


def headers(body: bytes, *, secret: str = SECRET, age: int = 0) -> dict[str, str]:
    timestamp = str(int(time.time()) - age)
    base = b"v0:" + timestamp.encode() + b":" + body
    made = hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={made}"}


async def send(url: str, body: bytes, *, kind: str = "application/json", **signed: Any) -> int:
    return (await sent(url, body, {"Content-Type": kind, **headers(body, **signed)}))[0]


async def sent(url: str, body: bytes, given: dict[str, str]) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=body, headers=given) as answer,
    ):
        return answer.status, await answer.text()


def mention(text: str, /, *, ts: str = "1796000000.000100", **event: Any) -> bytes:
    """The body of a mention of alice's in `general`."""
    said = {
        "type": "app_mention",
        "user": "U0ALICE0001",
        "text": f"<@U0FOOTNOTE1> {text}",
        "ts": ts,
        "channel": "C0GENERAL01",
    }
    installed = {"team_id": "T0PLAYGROUND", "user_id": "U0FOOTNOTE1", "is_bot": True}
    return json.dumps(
        {"type": "event_callback", "event": said | event, "authorizations": [installed]}
    ).encode()
