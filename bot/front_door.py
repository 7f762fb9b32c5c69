"""Signed HTTP: size, then signature on the raw bytes, and only then anything that parses."""

import asyncio
import hashlib
import hmac
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

log = logging.getLogger(__name__)

PATH = "/slack/events"
HEALTH = "/healthz"
MAX_BYTES = 1024 * 1024
TOLERANCE_SECONDS = 300
_SKEW_SECONDS = 60.0
BODY_SECONDS = 3.0  # Slack itself gives up by then
IDLE_SECONDS = 75.0  # also for a request whose headers never end
_STOPPING_SECONDS = 10.0
_TIMESTAMP = "X-Slack-Request-Timestamp"
_SIGNATURE = "X-Slack-Signature"
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"

UNREADABLE = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What Bolt and our values raise over a payload whose parts are not what their names promise."""


def age_of(timestamp: str, *, now: float) -> float | None:
    """Seconds since ``timestamp``, negative before it; None when it is no plain number."""
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return None
    return now - int(timestamp)


def signed(body: bytes, *, timestamp: str, signature: str, secrets: Sequence[str]) -> bool:
    """Whether Slack signed ``body`` at ``timestamp`` with one of ``secrets``.

    The signature is Slack's scheme v0: HMAC-SHA256 over ``v0:timestamp:body``. Every
    secret is tried whatever the first one said, and compared in constant time. An empty
    secret signs nothing.
    """
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
    whose text may well contain that word, which Bolt's own parser stumbles over. A name
    given twice is refused: two readers might each believe another one.
    """
    text = body.decode("utf-8")
    if content_type == _JSON:
        return _object(text)
    if content_type != _FORM:
        raise ValueError("neither JSON nor a form")
    fields = parse_qsl(text, keep_blank_values=True, max_num_fields=200, errors="strict")
    form = _unrepeated(fields)
    return _object(form["payload"]) if "payload" in form else form


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_unrepeated, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(found, dict):
        raise ValueError("not an object")  # noqa: TRY004 - callers ask one question: readable or not?
    return found


def _unrepeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def build(
    app: AsyncApp,
    *,
    signing_secrets: Sequence[str],
    clock: Callable[[], float] = time.time,
    body_seconds: float = BODY_SECONDS,
) -> web.Application:
    """The web application that Slack calls, with a health check that says nothing else."""

    skew = _Skew()

    async def receive(request: web.Request) -> web.StreamResponse:
        timestamp, signature = _single(request, _TIMESTAMP), _single(request, _SIGNATURE)
        age = age_of(timestamp, now=clock())
        if age is None or not signature:
            return _refused(401, "no signature")
        if "Content-Encoding" in request.headers:
            return _refused(415, "packed")  # what is signed are the bytes before unpacking
        try:
            async with asyncio.timeout(body_seconds):
                body = await request.read()  # aiohttp answers 413 beyond client_max_size
        except TimeoutError:
            return _refused(408, "its body does not come")
        if not signed(body, timestamp=timestamp, signature=signature, secrets=signing_secrets):
            return _refused(401, "a wrong signature")
        skew.note(age)
        if abs(age) > TOLERANCE_SECONDS:
            return _refused(401, "an old signature")
        return await _dispatch(app, request, body)

    application = web.Application(client_max_size=MAX_BYTES)
    application.router.add_post(PATH, receive)
    application.router.add_get(HEALTH, _health)
    return application


class _Skew:
    """Says, at most once a minute, that this machine's clock and Slack's differ.

    Beyond the tolerance every request is refused, which is otherwise hard to tell from
    somebody who replays old ones.
    """

    def __init__(self) -> None:
        self._quiet_until = 0.0

    def note(self, age: float) -> None:
        """A signed request is so many seconds old."""
        if abs(age) > _SKEW_SECONDS and time.monotonic() >= self._quiet_until:
            self._quiet_until = time.monotonic() + _SKEW_SECONDS
            log.error("a signed request is %d seconds old: is this machine's clock right?", age)


@asynccontextmanager
async def listening(
    application: web.Application, *, host: str, port: int, idle_seconds: float = IDLE_SECONDS
) -> AsyncIterator[int]:
    """Answer requests for the length of the block, and finish those begun; the port.

    Raises OSError when the port is taken.
    """
    runner = web.AppRunner(
        application,
        access_log=None,
        keepalive_timeout=idle_seconds,
        shutdown_timeout=_STOPPING_SECONDS,
        auto_decompress=False,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


async def _health(_request: web.Request) -> web.Response:
    return web.Response(text="ok")


def _refused(status: int, why: str) -> web.Response:
    """Closes the connection too: what is left of the request is of no interest."""
    log.warning("a request was refused: %s", why)
    response = web.Response(status=status)
    response.force_close()
    return response


def _single(request: web.Request, name: str) -> str:
    """A header that may occur once only: with two, which one was checked?"""
    values = request.headers.getall(name, [])
    return values[0] if len(values) == 1 else ""


async def _dispatch(app: AsyncApp, request: web.Request, body: bytes) -> web.StreamResponse:
    try:
        payload = parse(body, request.content_type)
    except ValueError:
        return _refused(400, "it is signed, but cannot be read")
    if payload.get("type") == "url_verification":
        return web.json_response({"challenge": str(payload.get("challenge", ""))})
    if payload.get("type") == "app_rate_limited":
        log.error("Slack holds events back: the workspace sends too many")
        return web.Response()
    if "ssl_check" in payload:
        return web.Response()
    return await to_aiohttp_response(await _heard(app, request, payload))


async def _heard(app: AsyncApp, request: web.Request, payload: dict[str, Any]) -> BoltResponse:
    """What the listener answers. Bolt reads parts of the payload before any listener does."""
    headers = {key: value for key, value in request.headers.items() if key != "Content-Type"}
    try:
        # Parsed already, as Socket Mode hands requests over.
        parsed = AsyncBoltRequest(body=payload, mode="socket_mode", headers=dict(headers))
        return await app.async_dispatch(parsed)
    except UNREADABLE as error:
        log.warning("a signed payload is no event: %s", type(error).__name__)
        return BoltResponse(status=400, body="")
