"""Signed HTTP: size, then signature on the raw bytes, and only then anything that parses."""

import hashlib
import hmac
import json
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

log = logging.getLogger(__name__)

PATH = "/slack/events"
HEALTH = "/healthz"
MAX_BYTES = 1024 * 1024
TOLERANCE_SECONDS = 300
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"


def signed(
    body: bytes, *, timestamp: str, signature: str, secrets: Sequence[str], now: float
) -> bool:
    """Whether Slack signed ``body`` with one of ``secrets`` within five minutes of ``now``.

    The signature is Slack's scheme v0: HMAC-SHA256 over ``v0:timestamp:body``. Every
    secret is tried whatever the first one said, and compared in constant time.
    """
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    given = signature.encode("utf-8", "replace")
    base = b"v0:" + timestamp.encode() + b":" + body
    matches = [
        hmac.compare_digest(
            b"v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest().encode(), given
        )
        for secret in secrets
        if secret
    ]
    return any(matches)


def parse(body: bytes, content_type: str) -> dict[str, Any]:
    """The payload of a request of Slack's. Raises ValueError when it is not one.

    Interactivity comes as a form with a ``payload`` field; a slash command is a form
    whose text may well contain that word, which Bolt's own parser stumbles over.
    """
    text = body.decode("utf-8")
    if content_type == _JSON:
        return _object(text)
    if content_type != _FORM:
        raise ValueError("neither JSON nor a form")
    fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=200))
    return _object(fields["payload"]) if "payload" in fields else fields


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(found, dict):
        raise ValueError("not an object")  # noqa: TRY004 - callers ask one question: readable or not?
    return found


def build(
    app: AsyncApp, *, signing_secrets: Sequence[str], clock: Callable[[], float] = time.time
) -> web.Application:
    """The web application that Slack calls, with a health check that says nothing else."""

    async def receive(request: web.Request) -> web.StreamResponse:
        body = await request.read()  # aiohttp answers 413 beyond client_max_size
        if not signed(
            body,
            timestamp=_single(request, "X-Slack-Request-Timestamp"),
            signature=_single(request, "X-Slack-Signature"),
            secrets=signing_secrets,
            now=clock(),
        ):
            log.warning("a request without a valid signature was refused")
            return web.Response(status=401)
        return await _dispatch(app, request, body)

    application = web.Application(client_max_size=MAX_BYTES)
    application.router.add_post(PATH, receive)
    application.router.add_get(HEALTH, _health)
    return application


async def _health(_request: web.Request) -> web.Response:
    return web.Response(text="ok")


def _single(request: web.Request, name: str) -> str:
    """A header that may occur once only: with two, which one was checked?"""
    values = request.headers.getall(name, [])
    return values[0] if len(values) == 1 else ""


async def _dispatch(app: AsyncApp, request: web.Request, body: bytes) -> web.StreamResponse:
    try:
        payload = parse(body, request.content_type)
    except ValueError:
        log.warning("a signed request could not be read")
        return web.Response(status=400)
    if payload.get("type") == "url_verification":
        return web.json_response({"challenge": str(payload.get("challenge", ""))})
    if "ssl_check" in payload:
        return web.Response()
    response = await app.async_dispatch(_bolt_request(request, payload))
    return await to_aiohttp_response(response)


def _bolt_request(request: web.Request, payload: dict[str, Any]) -> AsyncBoltRequest:
    """A request for Bolt that is parsed already, as Socket Mode hands them over."""
    headers = {key: value for key, value in request.headers.items() if key != "Content-Type"}
    return AsyncBoltRequest(body=payload, mode="socket_mode", headers=dict(headers))
