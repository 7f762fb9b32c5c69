"""A web server on this machine whose address counts as public, and what resolves names to it."""

import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.sources.web_addresses import is_public
from bot.sources.webpages import WebPages
from rag.values import Limits
from tests.models.certificates import certificate

PUBLIC = "127.0.0.2"
"""Stands for an address of the public internet."""

PRIVATE = "127.0.0.1"

NAMES = ("good.test", "rebind.test", "redirect.test", "inside.test", "both.test")

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Names(AbstractResolver):
    """Resolves names; of several answers each is given once, the last for ever."""

    answers: dict[str, list[list[str]]] = field(default_factory=dict)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """What the name leads to now."""
        waiting = self.answers.get(host, [[PUBLIC]])
        now = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return [_result(host, port, address) for address in now]

    async def close(self) -> None:
        """Nothing is held."""


def _result(host: str, port: int, address: str) -> ResolveResult:
    family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
    return ResolveResult(
        hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST
    )


@dataclass
class Site:
    """A server at `PUBLIC` and one at `PRIVATE`, on the same port. ``asked`` is what both heard."""

    port: int
    names: Names
    client: ssl.SSLContext
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    pages: dict[str, Answer] = field(default_factory=dict)

    def url(self, path: str = "/", *, host: str = "good.test") -> str:
        """An address of this server."""
        return f"https://{host}:{self.port}{path}"

    def fetcher(self, *, limits: Limits | None = None) -> WebPages:
        """What fetches from it."""
        return WebPages(
            hosts=frozenset((name, self.port) for name in NAMES),
            limits=limits or Limits(),
            permits=lambda address: address == PUBLIC or is_public(address),
            resolver=self.names,
            tls=self.client,
        )

    def heard(self, address: str) -> list[str]:
        """The paths asked for at that address."""
        return [path for where, path, _ in self.asked if where == address]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answers a request with the page that is at its path."""
        where = request.transport.get_extra_info("sockname")[0] if request.transport else ""
        self.asked.append((where, request.path, dict(request.headers)))
        page = self.pages.get(request.path)
        return web.Response(status=404) if page is None else await page(request)


@asynccontextmanager
async def site(folder: Path) -> AsyncIterator[Site]:
    """Both servers, with a certificate for `NAMES` that the site's client trusts."""
    known, server = certificate(folder, *NAMES), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(known)
    made = Site(
        port=_free_port(),
        names=Names(),
        client=ssl.create_default_context(cafile=str(known)),
    )
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        for address in (PUBLIC, PRIVATE):
            await web.TCPSite(runner, address, made.port, ssl_context=server).start()
        yield made
    finally:
        await runner.cleanup()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((PRIVATE, 0))
        return int(one.getsockname()[1])
