"""Signed HTTP delivery: events, commands and interactions sent to addresses."""

import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp

from .errors import SlackError
from .events import COMMANDS, EVENTS, INTERACTIVE
from .state import Json
from .workspace import Workspace

URL_SETTINGS = {
    EVENTS: "events_url",
    COMMANDS: "commands_url",
    INTERACTIVE: "interactivity_url",
}


@dataclass(frozen=True)
class Outcome:
    """What became of one attempt: ``body`` on success, else ``reason``."""

    body: Json | None = None
    reason: str = ""
    retry: bool = True


def url_for(workspace: Workspace, kind: str) -> str | None:
    """The address a kind of delivery goes to; None means Socket Mode."""
    name = URL_SETTINGS[kind]
    changed = workspace.state.get("setting", name)
    if changed is not None:
        return changed["value"] or None
    return getattr(workspace.settings, name) or None


def sign(secret: str, stamp: str, body: str) -> str:
    base = f"v0:{stamp}:{body}".encode()
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def _encoded(row: Json) -> tuple[str, str]:
    """Body and content type."""
    if row["kind"] == EVENTS:
        return json.dumps(row["payload"], ensure_ascii=False), "application/json"
    form = {"payload": json.dumps(row["payload"], ensure_ascii=False)}
    fields = row["payload"] if row["kind"] == COMMANDS else form
    return urlencode(fields), "application/x-www-form-urlencoded"


def _headers(workspace: Workspace, row: Json, body: str, content_type: str) -> dict[str, str]:
    stamp = str(int(time.time()))
    headers = {
        "Content-Type": content_type,
        "User-Agent": "Slackbot 1.0 (playground)",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": sign(workspace.settings.signing_secret, stamp, body),
    }
    if row["attempts"]:
        headers["X-Slack-Retry-Num"] = str(row["attempts"])
        headers["X-Slack-Retry-Reason"] = row["reason"]
    return headers


async def send_http(
    workspace: Workspace, session: aiohttp.ClientSession, url: str, row: Json
) -> Outcome:
    """One attempt. A failure is an outcome, not an exception."""
    body, content_type = _encoded(row)
    headers = _headers(workspace, row, body, content_type)
    limit = aiohttp.ClientTimeout(total=workspace.settings.ack_seconds)
    data = body.encode()
    try:
        async with session.post(url, data=data, headers=headers, timeout=limit) as response:
            text = await response.text()
            if 200 <= response.status < 300:
                return Outcome(body=_answer(text))
            retry = response.headers.get("X-Slack-No-Retry") != "1"
            return Outcome(reason="http_error", retry=retry)
    except TimeoutError:
        return Outcome(reason="http_timeout")
    except aiohttp.TooManyRedirects:
        return Outcome(reason="too_many_redirects")
    except aiohttp.ClientError:
        return Outcome(reason="connection_failed")


def _answer(text: str) -> Json:
    if not text.strip():
        return {}
    try:
        body = json.loads(text)
    except ValueError:
        return {"text": text}
    return body if isinstance(body, dict) else {}


async def verify_url(workspace: Workspace, session: aiohttp.ClientSession, url: str) -> None:
    """Slack's challenge to a new events address. Raises url_verification_failed."""
    payload = {"type": "url_verification", "token": "playground", "challenge": f"c{time.time_ns()}"}
    row = {"kind": EVENTS, "payload": payload, "attempts": 0, "reason": ""}
    outcome = await send_http(workspace, session, url, row)
    answer = outcome.body or {}
    if payload["challenge"] not in (answer.get("challenge"), answer.get("text")):
        raise SlackError("url_verification_failed")
