"""A playground on a free port, and ways to talk to it."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Running, Settings, start

Json = dict[str, Any]
BOT = "U0FOOTNOTE1"
ALICE = "U0ALICE0001"
GENERAL = "C0GENERAL01"


class Driver:
    """The JSON API, as a script uses it."""

    def __init__(self, running: Running, session: aiohttp.ClientSession) -> None:
        self.running = running
        self.session = session

    async def post(self, name: str, /, **body: Any) -> Json:
        async with self.session.post(f"{self.running.url}/playground/{name}", json=body) as answer:
            return dict(await answer.json())

    async def get(self, name: str, /, **query: str) -> Json:
        url = f"{self.running.url}/playground/{name}"
        async with self.session.get(url, params=query) as answer:
            return dict(await answer.json())

    async def messages(self, channel: str, person: str, thread_ts: str = "") -> list[Json]:
        query = {"channel": channel, "as": person}
        answer = await self.get(
            "messages", **query, **({"thread_ts": thread_ts} if thread_ts else {})
        )
        assert answer["ok"], answer
        return list(answer["messages"])


async def until(check: Callable[[], Awaitable[Any]], seconds: float = 30.0) -> Any:
    """Waits until ``check`` returns something true, and returns it."""
    end = time.monotonic() + seconds
    while True:
        value = await check()
        if value:
            return value
        assert time.monotonic() < end, "did not happen in time"
        await asyncio.sleep(0.02)


def client_of(running: Running) -> AsyncWebClient:
    return AsyncWebClient("xoxb-playground", base_url=running.api_url, retry_handlers=[])


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", ack_seconds=0.6, retry_scale=0.01)


@pytest.fixture
async def running(settings: Settings) -> AsyncIterator[Running]:
    playground = await start(settings)
    yield playground
    await playground.close()


@pytest.fixture
async def driver(running: Running) -> AsyncIterator[Driver]:
    async with aiohttp.ClientSession() as session:
        yield Driver(running, session)


@pytest.fixture
def client(running: Running) -> AsyncWebClient:
    return client_of(running)


@asynccontextmanager
async def driving(settings: Settings) -> AsyncIterator[Driver]:
    """A playground for the length of a block, and its driver."""
    playground = await start(settings)
    async with aiohttp.ClientSession() as session:
        yield Driver(playground, session)
    await playground.close()


async def refusal(call: Awaitable[Any]) -> str:
    """The error code with which the Web API refuses a call."""
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


class EchoBot:
    """A small Bolt app that records what reaches it, over Socket Mode."""

    def __init__(self, running: Running) -> None:
        self.events: list[Json] = []
        self.bodies: list[Json] = []
        self.app = AsyncApp(token="xoxb-playground", client=client_of(running))
        self.running = running
        self._handler: AsyncSocketModeHandler | None = None
        self.app.event("message")(self._message)
        self.app.event("app_mention")(self._mention)
        self.app.command("/sources")(self._command)

    async def _message(self, body: Json, event: Json) -> None:
        self.events.append(event)
        self.bodies.append(body)

    async def _mention(self, body: Json, event: Json, client: AsyncWebClient) -> None:
        self.events.append(event)
        self.bodies.append(body)
        await client.chat_postMessage(
            channel=event["channel"], thread_ts=event["ts"], text=f"echo: {event['text']}"
        )

    async def _command(self, ack: Any, body: Json, respond: Any) -> None:
        await ack()
        self.bodies.append(body)
        await respond(f"for you: {body['text']}")

    async def connect(self) -> None:
        self._handler = AsyncSocketModeHandler(
            self.app, "xapp-playground", web_client=client_of(self.running), ping_interval=1
        )
        await self._handler.connect_async()  # type: ignore[no-untyped-call] # untyped in slack_bolt

    async def close(self) -> None:
        if self._handler is not None:
            await self._handler.close_async()  # type: ignore[no-untyped-call] # untyped in slack_bolt
            self._handler = None


@pytest.fixture
async def bot(running: Running) -> AsyncIterator[EchoBot]:
    echo = EchoBot(running)
    await echo.connect()
    yield echo
    await echo.close()
