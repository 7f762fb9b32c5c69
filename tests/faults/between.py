"""Stands between a bot and Slack, and kills the bot at an exact point of what they say.

Each process of the bot has an address of its own, so that the right one dies. ``before``
kills it with nothing passed on, ``inside`` once the other side has taken the request but
before the answer comes back, ``after`` once the answer was handed over.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Protocol

import aiohttp
from aiohttp import web

from tests.faults.plan import Plan

Json = dict[str, Any]


class Mortal(Protocol):
    """A process of the bot."""

    def up(self) -> bool:
        """Whether it takes what Slack sends."""
        ...

    async def kill(self) -> None:
        """End it, and return once it is gone."""
        ...


_LOOKS, _LOOK_SECONDS = 80, 0.1  # less than the lane's patience with an acknowledgement
_EVENTS = ("event:", "ack:")
_NAMES = {
    "chat.delete": "delete",
    "chat.postEphemeral": "ephemeral",
    "conversations.open": "dm",
    "views.open": "window",
}
_KINDS = {"answer": "placeholder", "room": "neutral", "note": "note"}
_GIVEN_ON = {"Content-Type", "Authorization", "X-Slack-Signature", "X-Slack-Request-Timestamp"}
_GIVEN_ON |= {"X-Slack-Retry-Num", "X-Slack-Retry-Reason"}


def name_of(method: str, body: bytes) -> str:
    """What a call of the Web API does for the asker; empty when it writes nothing of ours."""
    if method == "chat.postMessage":
        payload = (json.loads(body).get("metadata") or {}).get("event_payload") or {}
        return _KINDS.get(payload.get("kind", ""), "post")
    if method == "chat.update":
        blocks = json.loads(body).get("blocks") or []
        under_way = any(block.get("block_id") == "progress" for block in blocks)
        return "progress" if under_way else "final"
    return _NAMES.get(method, "")


class Cut(Exception):
    """The process at the other end is dead; its connection ends with it."""


class Between:
    """The proxy. ``slack`` is the workspace's address, ``bot`` where the bot takes events."""

    def __init__(self, plan: Plan, parts: Mapping[str, Mortal], *, slack: str, bot: str) -> None:
        self._plan = plan
        self._parts = parts
        self._slack = slack
        self._bot = bot
        self.url = ""

    async def start(self, stack: Any) -> None:
        """Answer until ``stack`` closes."""
        self._session = await stack.enter_async_context(aiohttp.ClientSession())
        application = web.Application(client_max_size=8 * 1024 * 1024)
        application.router.add_route("*", "/{part}/api/{method}", self._call)
        application.router.add_get("/{part}/link/", self._link)
        application.router.add_post("/{part}/events", self._event)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"

    async def _dead(self, part: str, point: str) -> None:
        """Kill that process if it is to die here, then break the connection off."""
        if await self._killed(part, point):
            raise Cut

    async def _killed(self, part: str, point: str) -> bool:
        mortal = self._parts[part]
        # An event that comes while nobody listens kills nobody.
        if point.startswith(_EVENTS) and not mortal.up():
            return False
        if not self._plan.meets(point):
            return False
        await mortal.kill()
        return True

    # What the bot asks of Slack.

    async def _call(self, request: web.Request) -> web.StreamResponse:
        part, method = request.match_info["part"], request.match_info["method"]
        body = await request.read()
        name = name_of(method, body)
        try:
            if name:
                await self._dead(part, f"{name}:before")
            status, text = await self._passed_on(request, f"{self._slack}/api/{method}", body)
            if name:
                await self._dead(part, f"{name}:inside")
        except Cut:
            return _broken_off(request)
        answer = await _handed_over(request, status, self._led_here(part, method, text))
        if name:
            await self._killed(part, f"{name}:after")
        return answer

    async def _passed_on(self, request: web.Request, url: str, body: bytes) -> tuple[int, bytes]:
        headers = {key: value for key, value in request.headers.items() if key in _GIVEN_ON}
        query = request.query_string
        url = f"{url}?{query}" if query else url
        async with self._session.request(
            request.method, url, data=body or None, headers=headers
        ) as answer:
            return answer.status, await answer.read()

    def _led_here(self, part: str, method: str, text: bytes) -> bytes:
        if method != "apps.connections.open":
            return text
        ours = self.url.replace("http", "ws", 1)
        theirs = self._slack.replace("http", "ws", 1)
        return text.replace(theirs.encode(), f"{ours}/{part}".encode())

    # What Slack tells the bot, over HTTP.

    async def _event(self, request: web.Request) -> web.StreamResponse:
        part, body = request.match_info["part"], await request.read()
        if int(request.headers.get("X-Slack-Retry-Num", "0")) > 1:
            await self._minutes_later(part)
        try:
            await self._dead(part, "event:before")
            if self._plan.left()[:1] == ("event:inside",):
                writer = await self._half(request, body)
                await self._killed(part, "event:inside")
                writer.close()
                return _broken_off(request)
            asked = asyncio.ensure_future(self._passed_on(request, self._bot, body))
            await asyncio.sleep(0)
            await self._killed(part, "event:after")
            status, text = await asked
            if status == 200:
                await self._dead(part, "ack:inside")
        except (Cut, aiohttp.ClientError, OSError):
            return _broken_off(request)
        answer = await _handed_over(request, status, text)
        if status == 200:
            await self._killed(part, "ack:after")
        return answer

    async def _minutes_later(self, part: str) -> None:
        """By Slack's second retry, a minute later, whoever died has long been started again."""
        for _ in range(_LOOKS):
            if self._parts[part].up():
                return
            await asyncio.sleep(_LOOK_SECONDS)

    async def _half(self, request: web.Request, body: bytes) -> asyncio.StreamWriter:
        """Let half a request reach the bot."""
        host, _, port = self._bot.split("/")[2].partition(":")
        _reader, writer = await asyncio.open_connection(host, int(port))
        head = "".join(f"{k}: {v}\r\n" for k, v in request.headers.items() if k in _GIVEN_ON)
        start = f"POST /slack/events HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{start}{head}\r\n".encode() + body[: len(body) // 2])
        await writer.drain()
        await asyncio.sleep(0.02)
        return writer

    # Both, over Socket Mode.

    async def _link(self, request: web.Request) -> web.StreamResponse:
        part = request.match_info["part"]
        near = web.WebSocketResponse()
        await near.prepare(request)
        url = self._slack.replace("http", "ws", 1) + f"/link/?{request.query_string}"
        async with self._session.ws_connect(url) as far:
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._down(part, far, near))
                    group.create_task(self._up(part, near, far))
            except* (Cut, ConnectionError):
                _broken_off(request)
        return near

    async def _down(
        self, part: str, far: aiohttp.ClientWebSocketResponse, near: web.WebSocketResponse
    ) -> None:
        """Envelopes, from Slack to the bot."""
        async for message in far:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            event = "envelope_id" in json.loads(message.data)
            if event:
                await self._dead(part, "event:before")
            await near.send_str(message.data)
            for where in ("inside", "after") if event else ():
                await self._dead(part, f"event:{where}")
        raise Cut

    async def _up(
        self, part: str, near: web.WebSocketResponse, far: aiohttp.ClientWebSocketResponse
    ) -> None:
        """Acknowledgements, from the bot to Slack."""
        async for message in near:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            await self._dead(part, "ack:inside")
            await far.send_str(message.data)
            await self._dead(part, "ack:after")
        raise Cut


def _broken_off(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=502)


async def _handed_over(request: web.Request, status: int, text: bytes) -> web.StreamResponse:
    """The answer, already sent."""
    answer = web.Response(status=status, body=text, content_type="application/json")
    await answer.prepare(request)
    await answer.write_eof()
    return answer
