"""`footnote demo` and its parts as processes of their own, driven through the playground's API."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

Json = dict[str, Any]

_STARTED_SECONDS = 90.0
_STOPPED_SECONDS = 30.0


class Workspace:
    """The local workspace, as its people use it."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self.session = session

    async def post(self, name: str, body: Json) -> Json:
        async with self.session.post(f"{self.url}/playground/{name}", json=body) as answer:
            found: Json = await answer.json()
        assert found["ok"], found
        return found

    async def say(self, user: str, channel: str, text: str, *, thread: str = "") -> str:
        body = {"user": user, "channel": channel, "text": text}
        said = await self.post("say", body | ({"thread_ts": thread} if thread else {}))
        return str(said["ts"])

    async def seen(self, person: str, channel: str, *, thread: str = "") -> list[Json]:
        query = {"channel": channel, "as": person} | ({"thread_ts": thread} if thread else {})
        async with self.session.get(f"{self.url}/playground/messages", params=query) as answer:
            found = await answer.json()
        return list(found["messages"])

    async def answers(
        self, person: str, channel: str, *, thread: str = "", count: int = 1, seconds: float = 60.0
    ) -> list[Json]:
        """The bot's messages there, once there are ``count`` and each is finished."""
        async with asyncio.timeout(seconds):
            while True:
                seen = await self.seen(person, channel, thread=thread)
                ours = [message for message in seen if message.get("bot_id")]
                if len(ours) >= count and not any(map(unfinished, ours)):
                    return ours
                await asyncio.sleep(0.05)


def unfinished(message: Json) -> bool:
    return any(block.get("block_id") == "progress" for block in message.get("blocks", []))


def shown(value: object) -> str:
    """Every text in a message's or a view's blocks."""
    if isinstance(value, dict):
        own = [value["text"]] if isinstance(value.get("text"), str) else []
        return "\n".join([*own, *(shown(inner) for inner in value.values())])
    if isinstance(value, list):
        return "\n".join(shown(inner) for inner in value)
    return ""


def buttons(value: object) -> list[Json]:
    if isinstance(value, dict):
        own = [value] if value.get("type") == "button" else []
        return own + [found for inner in value.values() for found in buttons(inner)]
    if isinstance(value, list):
        return [found for inner in value for found in buttons(inner)]
    return []


def environment(data: Path, **more: str) -> dict[str, str]:
    plain = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("FOOTNOTE_", "SLACK_", "DATABASE_", "REDIS_"))
    }
    return plain | {"FOOTNOTE_DATA": str(data)} | more


@asynccontextmanager
async def footnote(*args: str, env: dict[str, str]) -> AsyncIterator[tuple[Process, str]]:
    """A `footnote` process and the line in which it says that it is ready."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *args), stdout=PIPE, env=env
    )
    try:
        yield process, await _ready_line(process)
    finally:
        await _stop(process)


async def _ready_line(process: Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(_STARTED_SECONDS):
        async for raw in process.stdout:
            line = raw.decode().strip()
            if line.startswith("ready"):
                return line
    raise AssertionError("the process ended before it was ready")


async def _stop(process: Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(process.wait(), _STOPPED_SECONDS)
