"""What may be asked from outside: is it alive, is it ready, what does it count.

`/healthz` says no more than that the event loop turns. The other two tell parts'
names and numbers, so they are for this machine, or for whoever has the token.
"""

import asyncio
import hmac
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from bot.watch.lookout import Readiness

HEALTH, READY, METRICS = "/healthz", "/readyz", "/metrics"
_TEXT = "text/plain; version=0.0.4; charset=utf-8"
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")

Exposition = Callable[[dict[str, bool]], Awaitable[bytes]]
"""The metrics as text, given which parts are ready."""


@dataclass(frozen=True, kw_only=True)
class Outside:
    """What those who ask from outside are shown. ``token`` empty: this machine alone may."""

    readiness: Readiness
    exposition: Exposition
    token: str = ""


def add_routes(application: web.Application, outside: Outside) -> None:
    """Let ``application`` answer `/readyz` and `/metrics` to whoever may ask."""

    async def ready(request: web.Request) -> web.Response:
        if not _may_ask(request, outside.token):
            return web.Response(status=403)
        lacking = [name for name, well in (await outside.readiness.parts()).items() if not well]
        if lacking:
            return web.Response(status=503, text=f"not ready: {', '.join(lacking)}\n")
        return web.Response(text="ready\n")

    async def metrics(request: web.Request) -> web.Response:
        if not _may_ask(request, outside.token):
            return web.Response(status=403)
        body = await outside.exposition(await outside.readiness.parts())
        return web.Response(body=body, headers={"Content-Type": _TEXT})

    application.router.add_get(READY, ready)
    application.router.add_get(METRICS, metrics)


def _may_ask(request: web.Request, token: str) -> bool:
    """With a token, whoever has it. Without, this machine, and nobody through a proxy on it."""
    if token:
        given = request.headers.get("Authorization", "").encode("utf-8", "replace")
        return hmac.compare_digest(given, f"Bearer {token}".encode())
    if any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.remote or "").is_loopback
    except ValueError:
        return False


async def alive(_request: web.Request) -> web.Response:
    """Answered by the event loop, and so proof that it turns."""
    return web.Response(text="ok")


@asynccontextmanager
async def listening(outside: Outside, *, host: str, port: int) -> AsyncIterator[int]:
    """Answer on a port of its own for the length of the block; the port, for which 0 takes any.

    Raises OSError when the port is taken.
    """
    application = web.Application(client_max_size=0)
    application.router.add_get(HEALTH, alive)
    add_routes(application, outside)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        yield int(runner.addresses[0][1])
    finally:
        await asyncio.shield(runner.cleanup())
