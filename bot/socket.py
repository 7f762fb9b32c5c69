"""Socket Mode: one connection that comes back by itself, and someone who checks that it does.

An envelope is acknowledged only when the app answered 200, which it does after the
durable insert; whatever was not acknowledged Slack sends again.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.errors import SlackRefused, SlackUnavailable

log = logging.getLogger(__name__)

_PING_SECONDS = 3.0
_WATCH_SECONDS = 5.0
_PATIENCE = 3  # looks in a row without a connection before it is made anew


@asynccontextmanager
async def connected(app: AsyncApp, *, app_token: str) -> AsyncIterator[AsyncSocketModeHandler]:
    """Hold the connection for the length of the block; entered once it stands.

    Raises `SlackRefused`, `SlackUnavailable` when it cannot be made at all.
    """
    logger = logging.getLogger("slack_bolt.socket")
    handler = AsyncSocketModeHandler(
        app, app_token=app_token, logger=logger, ping_interval=_PING_SECONDS
    )
    watchdog: asyncio.Task[None] | None = None
    try:
        # Asked for here because the client itself would ask for ever, even with a wrong token.
        handler.client.wss_uri = await _address(handler)
        await handler.connect_async()  # type: ignore[no-untyped-call] # untyped in slack_bolt
        log.info("connected to Slack")
        watchdog = asyncio.create_task(_watch(handler))
        yield handler
    finally:
        if watchdog:
            watchdog.cancel()
        await handler.close_async()  # type: ignore[no-untyped-call] # untyped in slack_bolt


async def _address(handler: AsyncSocketModeHandler) -> str:
    """Where to connect to. Raises `SlackRefused`, `SlackUnavailable`."""
    method = "apps.connections.open"
    try:
        return str(await handler.client.issue_new_wss_url())
    except SlackApiError as error:
        # The SDK's message holds the whole answer, so it is not chained into ours.
        raise SlackRefused(method, str(error.response.get("error", ""))) from None
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise SlackUnavailable(f"{method}: {type(error).__name__}") from error


async def _watch(handler: AsyncSocketModeHandler) -> None:
    """Reconnect with a fresh address when the client's own monitor has not managed to."""
    misses = 0
    while True:
        await asyncio.sleep(_WATCH_SECONDS)
        misses = 0 if await handler.client.is_connected() else misses + 1
        if misses < _PATIENCE:
            continue
        log.warning("the connection to Slack is gone; connecting anew")
        try:
            await handler.client.connect_to_new_endpoint(force=True)
        except (aiohttp.ClientError, SlackClientError, OSError, TimeoutError) as error:
            log.warning("connecting failed: %s", type(error).__name__)
