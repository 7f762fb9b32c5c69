"""An address that wants to lead inside, given to what fetches pages as if its host were allowed."""

import gzip
import re
import socket
from urllib.parse import urlsplit

from aiohttp import web

from bot.loaders.unreadable import FileUnreadable
from bot.sources.web_addresses import is_public
from bot.sources.webpages import WebPages
from rag.errors import LimitExceeded
from rag.values import Limits
from tests.bot.web_server import NAMES, PRIVATE, PUBLIC, Answer, Site

_PORTLESS = re.compile(rf"(//(?:{'|'.join(map(re.escape, NAMES))}))(?=/|$)")
_LIMITS = Limits(document_bytes=1_000_000)


def furnished(here: Site) -> Site:
    """The server with what the addresses ask for: pages that move inside, and one that swells."""
    here.pages |= {
        "/": _page,
        "/302-to-127.0.0.1": _inside(here),
        "/gzip-bomb": _bomb,
    }
    return here


async def wrong_with_url(here: Site, told: str) -> list[str]:
    """Whether any byte went elsewhere than to the public server; as written, and by https."""
    url = told.split(" ", 1)[0]
    ways = {url, re.sub(r"^[a-z]*:?//", "https://", url, flags=re.IGNORECASE)}
    ways |= {_PORTLESS.sub(rf"\1:{here.port}", way) for way in ways}
    wrong: list[str] = []
    for way in sorted(ways):
        wrong += await _wrong_with(here, way)
    return wrong


async def _wrong_with(here: Site, url: str) -> list[str]:
    here.asked.clear()
    here.names.answers |= {"rebind.test": [[PUBLIC], [PRIVATE]], **_resolved(url)}
    let_in: list[str] = []

    def permits(address: str) -> bool:
        if is_public(address):
            let_in.append(address)
        return address == PUBLIC  # nothing leaves this machine

    pages = WebPages(
        hosts=frozenset((name, here.port) for name in NAMES) | _allowed(url),
        limits=_LIMITS,
        permits=permits,
        resolver=here.names,
        tls=here.client,
    )
    for _ in range(2):  # a second time a name may lead elsewhere
        try:
            await pages.fetch(url)
        except (FileUnreadable, LimitExceeded):
            continue
    return [f"let in {address}" for address in let_in if not _is_plain_public(address)] + [
        f"{url[:80]} reached {PRIVATE}{path}" for path in here.heard(PRIVATE)
    ]


def _allowed(url: str) -> frozenset[tuple[str, int]]:
    """The address's own host, as if whoever runs the bot had been talked into allowing it."""
    try:
        parts = urlsplit(url)
        return frozenset({(parts.hostname or "", parts.port or 443)})
    except ValueError:
        return frozenset()


def _resolved(url: str) -> dict[str, list[list[str]]]:
    """What a careless resolver makes of the host: any way of writing a number, else inside."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return {}
    if host in NAMES:
        return {}
    try:
        return {host: [[socket.inet_ntoa(socket.inet_aton(host))]]}
    except OSError:
        return {host: [[PRIVATE]]}


def _is_plain_public(address: str) -> bool:
    """By hand, and not by what is tested: the only public numbers that the rows name."""
    return address in ("1.1.1.1", "2.2.2.2", "3.3.3.3")


async def _page(_: web.Request) -> web.StreamResponse:
    return web.Response(text="seven days")


async def _bomb(_: web.Request) -> web.StreamResponse:
    packed = gzip.compress(b"\0" * 30_000_000)
    return web.Response(body=packed, headers={"Content-Encoding": "gzip"})


def _inside(here: Site) -> Answer:
    async def answer(_: web.Request) -> web.StreamResponse:
        where = f"https://{PRIVATE}:{here.port}/"
        return web.Response(status=302, headers={"Location": where})

    return answer
