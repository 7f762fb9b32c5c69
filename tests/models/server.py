"""The server: `POST /v1/chat/completions`, step by step; everything it was asked is kept.

python -m tests.models SCENARIO.yaml NAME     serves one scenario and prints its address
"""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.models.steps import Step

Body = dict[str, Any]
Answer = Callable[[Body], Step]
"""What to do with a request's body."""

Sent = Callable[[Body, float], None]
"""Told of each reply that was sent whole, with when its end left, in seconds of `Asked.at`."""


def _unheard(_body: Body, _at: float) -> None:
    """Nobody listens."""


def in_turn(*steps: Step) -> Answer:
    """One step a request; the last one goes on."""
    left = list(steps)

    def answer(_body: Body) -> Step:
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


@dataclass(frozen=True)
class Asked:
    """One request as it came in; ``at`` in seconds of a clock that never steps back."""

    body: Body
    headers: dict[str, str]
    at: float

    @property
    def form(self) -> str:
        """In which form JSON was asked for."""
        return str(self.body.get("response_format", {}).get("type", "none"))


@dataclass
class ModelServer:
    """A running server. ``asked`` counts every request, ``finished`` what was sent whole."""

    answer: Answer
    sent: Sent = _unheard
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    finished: int = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body: Body = await request.json()
        asked = Asked(body, dict(request.headers), time.monotonic())
        self.asked.append(asked)
        step = self.answer(body)
        await asyncio.sleep(step.stall)
        if asked.form not in step.forms:
            refused = {"error": {"message": "response_format is not supported", "type": "x"}}
            return web.json_response(refused, status=400)
        response, at = await self._send(request, step, _bytes(step, body))
        if at is not None:
            self.finished += 1
            self.sent(body, at)
        return response

    async def _send(
        self, request: web.Request, step: Step, whole: bytes
    ) -> tuple[web.StreamResponse, float | None]:
        """The response, and when it was whole if it was."""
        if step.cut == "before":
            return _gone(request), None
        response = web.StreamResponse(status=step.status, headers=_headers(step, whole))
        await response.prepare(request)
        half = len(whole) // 2
        if step.cut == "headers":
            return _gone(request, response), None
        with suppress(ConnectionError):  # whoever asked has gone
            await self._write(response, whole[:half], drip=step.drip)
            if step.cut in {"middle", "short"}:
                return _gone(request, response), None
            await asyncio.sleep(step.rest)
            await self._write(response, whole[half:], drip=step.drip)
            at = time.monotonic()
            await response.write_eof()
            return response, at
        return response, None

    async def _write(self, response: web.StreamResponse, part: bytes, *, drip: bool) -> None:
        if not drip:
            await response.write(part)
            return
        for byte in part:
            await response.write(bytes([byte]))
            await asyncio.sleep(0.1)

    async def counts(self, _request: web.Request) -> web.Response:
        return web.json_response({"asked": len(self.asked), "finished": self.finished})


def _gone(request: web.Request, response: web.StreamResponse | None = None) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort() if response is None else request.transport.close()
    return response or web.Response()


def _headers(step: Step, whole: bytes) -> dict[str, str]:
    headers = {"Content-Type": "application/json", **step.headers}
    if step.cut == "short":
        headers["Content-Length"] = str(len(whole) + 100)
    return headers


def _bytes(step: Step, body: Body) -> bytes:
    if step.body is not None:
        return step.body.encode()
    message = {"role": "assistant", "content": step.text, **step.message}
    choice = {"index": 0, "message": message, "finish_reason": step.finish}
    told = json.dumps(body)
    spent = {"prompt_tokens": len(told) // 4, "completion_tokens": len(step.text or "") // 4}
    spent["total_tokens"] = sum(spent.values())
    whole = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": body.get("model", ""),
        "choices": [choice],
        "usage": spent,
        **step.envelope,
    }
    return json.dumps(whole).encode()


@asynccontextmanager
async def model_server(
    answer: Answer, *, port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[ModelServer]:
    """A server on this machine; ``url`` is what FOOTNOTE_READER_URL would hold."""
    server = ModelServer(answer)
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/chat/completions", server.handle)
    app.router.add_get("/counts", server.counts)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port, ssl_context=tls)
        await site.start()
        host, bound = runner.addresses[0][:2]
        server.url = f"https://localhost:{bound}/v1" if tls else f"http://{host}:{bound}/v1"
        yield server
    finally:
        await runner.cleanup()
