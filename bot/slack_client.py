"""Calls to Slack's Web API: one session, no hidden retries, errors in our own words."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.errors import SlackRefused, SlackUnavailable
from handlers.blocks.rendered import Rendered
from rag.values import Value

log = logging.getLogger(__name__)

_CALL_SECONDS = 10.0
_PATIENCE_SECONDS = 30.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")

RATE_LIMITED = "ratelimited"

TOO_RICH = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})
"""Slack's refusals of how a message is built."""


_UNSURE = frozenset(
    {"fatal_error", "internal_error", "request_timeout", "service_unavailable", "team_added_to_org"}
)
"""Slack's words for "something went wrong here": perhaps it was done, perhaps not."""


class Installation(Value):
    """The workspace a bot token belongs to, as `auth.test` states it."""

    team_id: str
    enterprise_id: str = ""
    bot_user_id: str
    bot_id: str = ""
    team_name: str = ""

    @property
    def homes(self) -> frozenset[str]:
        """The ids that name this installation's own people."""
        return frozenset({self.team_id, self.enterprise_id} - {""})


@asynccontextmanager
async def open_client(*, token: str, base_url: str) -> AsyncIterator[AsyncWebClient]:
    """A client on one shared session, closed at the end.

    The SDK's retries are off: after a lost answer it would post a message twice.
    """
    timeout = aiohttp.ClientTimeout(total=_CALL_SECONDS)
    local = urlsplit(base_url).hostname in _LOOPBACK
    async with aiohttp.ClientSession(timeout=timeout, trust_env=not local) as session:
        client = AsyncWebClient(
            token=token, base_url=base_url, session=session, retry_handlers=[], timeout=10
        )
        # The SDK takes a proxy from the environment even for this machine's own addresses.
        client.proxy = None
        yield client


async def read(client: AsyncWebClient, method: str, **arguments: object) -> dict[str, Any]:
    """Call a method that only looks. Raises `SlackUnavailable`, `SlackRefused`."""
    given = {key: value for key, value in arguments.items() if value not in (None, "")}
    return await _call(client, method, {"params": given})


async def write(client: AsyncWebClient, method: str, **arguments: object) -> dict[str, Any]:
    """Call a method that changes something.

    Raises `SlackRefused` when Slack said no, `SlackUnavailable` when nobody knows
    whether it happened.
    """
    given = {key: value for key, value in arguments.items() if value is not None}
    return await _call(client, method, {"json": given})


async def _call(client: AsyncWebClient, method: str, body: dict[str, Any]) -> dict[str, Any]:
    waited = 0.0
    while True:
        try:
            return await _once(client, method, body)
        except _Limited as limited:
            waited += limited.seconds
            if waited > _PATIENCE_SECONDS:
                raise SlackRefused(method, RATE_LIMITED) from limited
            log.info("Slack asked to wait %.0f s before %s", limited.seconds, method)
            await asyncio.sleep(limited.seconds)


class _Limited(Exception):
    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


async def _once(client: AsyncWebClient, method: str, body: dict[str, Any]) -> dict[str, Any]:
    try:
        response = await client.api_call(method, **body)
    except SlackApiError as error:
        # The SDK's message holds the whole answer, so it is not chained into ours.
        raise _translated(method, error) from None
    except (aiohttp.ClientError, TimeoutError, SlackClientError, OSError) as error:
        raise SlackUnavailable(f"{method}: {type(error).__name__}") from error
    return response.data if isinstance(response.data, dict) else {}


def _translated(method: str, error: SlackApiError) -> Exception:
    response = error.response
    status = getattr(response, "status_code", getattr(response, "status", 0))
    data = getattr(response, "data", None)
    code = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == 429 or code == RATE_LIMITED:
        return _Limited(_seconds(getattr(response, "headers", {}).get("Retry-After")))
    if status != 200 or not code or code in _UNSURE:
        return SlackUnavailable(f"{method}: HTTP {status}")
    return SlackRefused(method, code)


def _seconds(header: str | None) -> float:
    """What Slack asks to wait; a missing or senseless header counts as one second."""
    try:
        seconds = float(header or 1)
    except ValueError:
        return 1.0
    return seconds if 0 < seconds < 86_400 else 1.0


async def whoami(client: AsyncWebClient) -> Installation:
    """The installation of the client's token. Raises `SlackUnavailable`, `SlackRefused`."""
    answer = await read(client, "auth.test")
    return Installation(
        team_id=answer["team_id"],
        enterprise_id=answer.get("enterprise_id") or "",
        bot_user_id=answer["user_id"],
        bot_id=answer.get("bot_id") or "",
        team_name=answer.get("team") or "",
    )


async def pages(
    client: AsyncWebClient, method: str, *, key: str, limit: int, most: int, **arguments: object
) -> list[Any] | None:
    """Every row under ``key``, page by page; None when there are more than ``most``."""
    rows: list[Any] = []
    cursor = ""
    while True:
        answer = await read(client, method, limit=limit, cursor=cursor, **arguments)
        rows += answer.get(key) or []
        cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
        if len(rows) > most or (cursor and len(rows) >= most):
            return None
        if not cursor:
            return rows


async def respond(
    client: AsyncWebClient, response_url: str, rendered: Rendered, *, replace: bool = False
) -> None:
    """Answer where a command was typed or a button pressed. Raises `SlackUnavailable`."""
    # The address comes in a signed payload; it needs no token and no channel membership.
    address = AsyncWebhookClient(response_url, session=client.session, retry_handlers=[])
    try:
        answer = await address.send(
            text=rendered.text,
            blocks=list(rendered.blocks),
            response_type="ephemeral",
            replace_original=replace,
            unfurl_links=False,
            unfurl_media=False,
        )
    except (aiohttp.ClientError, SlackClientError, OSError, TimeoutError) as error:
        raise SlackUnavailable(f"response_url: {type(error).__name__}") from error
    if answer.status_code != 200:
        raise SlackUnavailable(f"response_url: HTTP {answer.status_code}")
