"""Socket Mode: one connection that comes back by itself, and someone who checks that it does.

An envelope is acknowledged only when the app answered 200, which it does after the
durable insert; whatever was not acknowledged Slack sends again.

The library's client pings every three seconds and reconnects by itself. The watchdog is
for what it does not get over: an address that is no longer good, a reconnect that hangs,
a reader that has died. It then throws the whole client away and begins with a new one.
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
_STARTING_SECONDS = 60.0  # Slack may ask for half a minute before the first one
_RENEWING_SECONDS = 15.0


class Connection:
    """The connection to Slack, made anew from nothing when it is found dead."""

    def __init__(
        self, app: AsyncApp, *, app_token: str, watch_seconds: float = _WATCH_SECONDS
    ) -> None:
        self._app = app
        self._watch_seconds = watch_seconds
        self._app_token = app_token
        self._handler: AsyncSocketModeHandler | None = None

    async def is_connected(self) -> bool:
        """Whether it stands and is being read."""
        if self._handler is None or not await self._handler.client.is_connected():
            return False
        client = self._handler.client
        return not any(
            task is None or task.done()
            for task in (client.message_receiver, client.message_processor)
        )

    async def open(self, seconds: float = _STARTING_SECONDS) -> None:
        """Return once it stands, within ``seconds``. Raises `SlackRefused`, `SlackUnavailable`."""
        logger = logging.getLogger("slack_bolt.socket")
        self._handler = AsyncSocketModeHandler(
            self._app, app_token=self._app_token, logger=logger, ping_interval=_PING_SECONDS
        )
        try:
            async with asyncio.timeout(seconds):
                # Asked for here because the client itself would ask for ever, even with a
                # wrong token.
                self._handler.client.wss_uri = await _address(self._handler)
                await self._handler.connect_async()  # type: ignore[no-untyped-call] # untyped in slack_bolt
        except TimeoutError as error:
            raise SlackUnavailable("the socket cannot be opened in time") from error
        log.info("connected to Slack")

    async def close(self) -> None:
        """Say goodbye."""
        if self._handler is not None:
            await self._handler.close_async()  # type: ignore[no-untyped-call] # untyped in slack_bolt

    async def watch(self) -> None:
        """Look for ever, and make it anew when it stays dead."""
        misses = 0
        while True:
            await asyncio.sleep(self._watch_seconds)
            misses = 0 if await self.is_connected() else misses + 1
            if misses >= _PATIENCE:
                log.warning("the connection to Slack is gone; connecting anew")
                await self._renew()

    async def _renew(self) -> None:
        if self._handler is not None:
            await _drop(self._handler)
        try:
            await self.open(_RENEWING_SECONDS)
        except SlackUnavailable as error:
            log.warning("connecting failed: %s", error)


@asynccontextmanager
async def connected(
    app: AsyncApp, *, app_token: str, watch_seconds: float = _WATCH_SECONDS
) -> AsyncIterator[Connection]:
    """Hold the connection for the length of the block; entered once it stands.

    ``watch_seconds`` is the watchdog's step; it acts after three in vain. Raises
    `SlackRefused`, `SlackUnavailable` when the connection cannot be made at all.
    """
    connection = Connection(app, app_token=app_token, watch_seconds=watch_seconds)
    watchdog: asyncio.Task[None] | None = None
    try:
        await connection.open()
        watchdog = asyncio.create_task(connection.watch())
        yield connection
    finally:
        if watchdog:
            watchdog.cancel()
        await connection.close()


async def _address(handler: AsyncSocketModeHandler) -> str:
    """Where to connect to. Raises `SlackRefused`, `SlackUnavailable`."""
    method = "apps.connections.open"
    try:
        return str(await handler.client.issue_new_wss_url())
    except SlackApiError as error:
        # The SDK's message holds the whole answer, so it is not chained into ours.
        raise SlackRefused(method, str(error.response.get("error", ""))) from None
    except (aiohttp.ClientError, SlackClientError, TimeoutError, OSError) as error:
        raise SlackUnavailable(f"{method}: {type(error).__name__}") from error


async def _drop(handler: AsyncSocketModeHandler) -> None:
    """End a client without a word to the other side, which may no longer be there."""
    client = handler.client
    client.closed = True
    client.auto_reconnect_enabled = False
    for task in (client.message_processor, client.current_session_monitor, client.message_receiver):
        if task is not None:
            task.cancel()
    await client.aiohttp_client_session.close()
