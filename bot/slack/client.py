"""Calls to Slack's Web API: one session, no hidden retries, errors in our own words."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.errors import SlackRefused, SlackUnavailable, TenantPaused
from bot.metering import UNMETERED, SlackMeter
from bot.slack.installed import Installation as Installation  # noqa: PLC0414 - known from here
from bot.slack.pacing import POST_GAP_SECONDS, RATE_LIMITED, Pace, seconds_to_wait
from bot.slack.token_watch import TokenWatch, is_dead
from handlers.blocks.rendered import Rendered

log = logging.getLogger(__name__)

_CALL_SECONDS = 10.0
_PATIENCE_SECONDS = 30.0
LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Hosts that are this machine: a local workspace."""


TOO_RICH = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "msg_too_large",
        "msg_too_long",
    }
)
"""Slack's refusals of how a message is built."""

CLOSED = frozenset(
    {
        "cannot_reply_to_message",
        "cant_update_message",
        "channel_is_archived",
        "channel_not_found",
        "edit_window_closed",
        "ekm_access_denied",
        "is_archived",
        "message_not_found",
        "messages_tab_disabled",
        "no_permission",
        "not_in_channel",
        "restricted_action",
        "restricted_action_non_threadable_channel",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "restricted_action_thread_only_channel",
        "thread_not_found",
        "user_disabled",
        "user_not_found",
    }
)
"""Slack's refusals that no further try will change: the place is closed to us."""

_UNSURE = frozenset(
    {"fatal_error", "internal_error", "request_timeout", "service_unavailable", "team_added_to_org"}
)
"""Slack's words for "something went wrong here": perhaps it was done, perhaps not."""


Hold = Callable[[], Awaitable[None]]
"""Asked right before something is sent; raises where it is not ours to send any more."""


async def anyway() -> None:
    """`Hold` for what may always be sent."""


@dataclass(frozen=True, kw_only=True)
class Slack:
    """The way to one workspace: the SDK's client, our pace, and whether the token is taken.

    Without a ``watch`` a refused token is a refusal like any other.
    """

    web: AsyncWebClient
    pace: Pace = field(default_factory=Pace)
    watch: TokenWatch | None = None
    meter: SlackMeter = UNMETERED

    @property
    def paused(self) -> str:
        """Slack's word for why our token is refused; empty while it is taken."""
        return self.watch.reason if self.watch else ""

    @contextmanager
    def watched(self) -> Iterator["Slack"]:
        """The same, with everything paused while Slack refuses the token."""

        async def ask() -> None:
            await whoami(self)

        watch = TokenWatch(ask)
        try:
            yield replace(self, watch=watch)
        finally:
            watch.close()

    def take(self, token: str) -> None:
        """Speak with this token from now on; whoever waits for one goes on."""
        self.web.token = token
        if self.watch:
            self.watch.release()

    def hold(self, reason: str) -> None:
        """Send nothing until there is another token. For one with a ``watch``."""
        if self.watch:
            self.watch.hold(reason)

    async def restored(self) -> None:
        """Return once the token is taken, at once where it is."""
        if self.watch:
            await self.watch.restored()


@asynccontextmanager
async def open_client(
    *,
    token: str,
    base_url: str,
    post_gap: float = POST_GAP_SECONDS,
    meter: SlackMeter = UNMETERED,
) -> AsyncIterator[Slack]:
    """A client on one shared session, closed at the end.

    The SDK's retries are off: after a lost answer it would post a message twice.
    ``post_gap`` are the seconds between two posts in one channel.
    """
    timeout = aiohttp.ClientTimeout(total=_CALL_SECONDS)
    local = urlsplit(base_url).hostname in LOOPBACK
    async with aiohttp.ClientSession(timeout=timeout, trust_env=not local) as session:
        client = AsyncWebClient(
            token=token, base_url=base_url, session=session, retry_handlers=[], timeout=10
        )
        # The SDK takes a proxy from the environment even for this machine's own addresses.
        client.proxy = None
        yield Slack(web=client, pace=Pace(post_gap=post_gap), meter=meter)


async def read(client: Slack, method: str, **arguments: object) -> dict[str, Any]:
    """Call a method that only looks. Raises `SlackUnavailable`, `SlackRefused`, `TenantPaused`."""
    given = {key: value for key, value in arguments.items() if value not in (None, "")}
    return await _call(client, method, {"params": given}, patience=_PATIENCE_SECONDS)


async def write(
    client: Slack, method: str, *, hold: Hold = anyway, **arguments: object
) -> dict[str, Any]:
    """Call a method that changes something; its turn may come late, and ``hold`` is asked then.

    Raises `SlackRefused` when Slack said no, `SlackUnavailable` when nobody knows
    whether it happened, `TenantPaused` while the token is refused, and what ``hold`` raises.
    """
    given = {key: value for key, value in arguments.items() if value is not None}
    return await _call(client, method, {"json": given}, patience=_PATIENCE_SECONDS, hold=hold)


async def write_now(
    client: Slack, method: str, *, hold: Hold = anyway, **arguments: object
) -> dict[str, Any]:
    """As `write`, but never waits for its turn: what cannot be sent now is refused."""
    given = {key: value for key, value in arguments.items() if value is not None}
    return await _call(client, method, {"json": given}, patience=0.0, hold=hold)


async def _call(
    client: Slack, method: str, body: dict[str, Any], *, patience: float, hold: Hold = anyway
) -> dict[str, Any]:
    """One call at its turn, again after each wait Slack asks for, within ``patience`` seconds."""
    channel = str(body.get("json", {}).get("channel", ""))
    while True:
        if client.paused:
            raise TenantPaused(method, client.paused)
        await client.pace.turn(method, channel, patience=patience)
        await hold()
        try:
            return await _once(client.web, method, body)
        except _Limited as limited:
            log.info("Slack asked to wait %.0f s before %s", limited.seconds, method)
            client.pace.limited(method, limited.seconds)
            client.meter.limited(method, limited.seconds)
        except SlackRefused as refused:
            if client.watch and is_dead(method, refused.code):
                client.watch.refused(refused.code)
                raise TenantPaused(method, refused.code) from refused
            raise


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
        return _Limited(seconds_to_wait(getattr(response, "headers", {}).get("Retry-After")))
    if status != 200 or not code or code in _UNSURE:
        return SlackUnavailable(f"{method}: HTTP {status}")
    return SlackRefused(method, code)


async def whoami(client: Slack) -> Installation:
    """The installation of the client's token. Raises `SlackUnavailable`, `SlackRefused`."""
    answer = await read(client, "auth.test")
    return Installation(
        team_id="" if answer.get("is_enterprise_install") else answer["team_id"],
        enterprise_id=answer.get("enterprise_id") or "",
        bot_user_id=answer["user_id"],
        bot_id=answer.get("bot_id") or "",
        team_name=answer.get("team") or "",
        url=answer.get("url") or "",
    )


async def exchange(
    client: Slack, *, code: str, redirect_uri: str, client_id: str, client_secret: str
) -> dict[str, Any]:
    """What `oauth.v2.access` gives for a code, which is then used up.

    Raises `SlackUnavailable`, `SlackRefused`.
    """
    body = {
        "data": {"code": code, "redirect_uri": redirect_uri},
        "auth": {"client_id": client_id, "client_secret": client_secret},
    }
    return await _call(client, "oauth.v2.access", body, patience=_PATIENCE_SECONDS)


async def pages(
    client: Slack, method: str, *, key: str, limit: int, most: int, **arguments: object
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
    client: Slack, response_url: str, rendered: Rendered, *, replace: bool = False
) -> None:
    """Answer where a command was typed or a button pressed. Raises `SlackUnavailable`."""
    # The address comes in a signed payload; it needs no token and no channel membership.
    address = AsyncWebhookClient(response_url, session=client.web.session, retry_handlers=[])
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
