"""Pages fetched from hosts that are allowed, over the public internet and nothing else.

The address of each connection is looked at when it is made: a name is resolved once, and what
is connected to is what was looked at, whatever the name resolves to a moment later.
"""

import asyncio
import logging
import re
import socket
import ssl
import zlib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from bot.loaders.unreadable import FileUnreadable
from bot.sources.web_addresses import AddressRefused, Hosts, checked, is_public
from rag.errors import LimitExceeded
from rag.values import Limits, Value

log = logging.getLogger(__name__)

_SECONDS = 20.0  # for a page with all its redirects
_REDIRECTS = 3
_PIECE = 64 * 1024
_MOVED = (301, 302, 303, 307, 308)
_GONE = (404, 410)
_SUFFIXES: Mapping[str, str] = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/csv": ".csv",
}
_SAFE = re.compile(r"[ -~]{1,500}")


class PageGone(FileUnreadable):
    """Nothing is at the address any more."""


class Validators(Value):
    """What the server says by which a page can be told to be unchanged."""

    etag: str = ""
    modified: str = ""


class Page(Value):
    """A page's content; None where it is what it was. ``name`` ends as files of its kind do."""

    data: bytes | None
    name: str = ""
    charset: str = ""
    validators: Validators = Validators()


class WebPages:
    """Fetches pages. Without any host allowed it fetches none."""

    def __init__(
        self,
        *,
        hosts: Hosts,
        limits: Limits,
        permits: Callable[[str], bool] = is_public,
        resolver: AbstractResolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._hosts = hosts
        self._most = limits.document_bytes
        self._permits = permits
        self._resolver = resolver
        self._tls = tls

    async def fetch(self, url: str, *, unless: Validators | None = None) -> Page:
        """The page at ``url``, or that it is as ``unless`` says.

        Raises `AddressRefused`, `PageGone`, `FileUnreadable`, `LimitExceeded`.
        """
        checked(url, hosts=self._hosts)
        door = _Door(self._permits)
        try:
            async with asyncio.timeout(_SECONDS), self._session(door) as session:
                return await self._follow(session, url, unless)
        except (aiohttp.ClientError, OSError, ValueError, zlib.error) as error:
            if door.refused:
                raise AddressRefused("its host is not on the public internet") from error
            log.info("a page could not be fetched: %s", type(error).__name__)
            raise FileUnreadable("its host cannot be reached, or gave no whole answer") from error

    def _session(self, door: "_Door") -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            ssl=self._tls or True,
            resolver=self._resolver,
            use_dns_cache=False,
            socket_factory=door.open,
            force_close=True,
        )
        return aiohttp.ClientSession(
            connector=connector,
            trust_env=False,
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": "Footnote", "Accept-Encoding": "identity"},
        )

    async def _follow(
        self, session: aiohttp.ClientSession, url: str, unless: Validators | None
    ) -> Page:
        for hop in range(_REDIRECTS + 1):
            address = checked(url, hosts=self._hosts)
            headers = _conditions(unless) if hop == 0 else {}
            async with session.get(
                URL(address, encoded=True), allow_redirects=False, headers=headers
            ) as response:
                if response.status not in _MOVED:
                    return await self._page(response, address, first=hop == 0)
                url = urljoin(address, response.headers.get("Location", ""))
        raise AddressRefused(f"its address leads on more than {_REDIRECTS} times")

    async def _page(self, response: aiohttp.ClientResponse, url: str, *, first: bool) -> Page:
        if response.status == 304 and first:
            return Page(data=None)
        if response.status in _GONE:
            raise PageGone("nothing is at its address any more")
        if response.status != 200:
            raise FileUnreadable(f"its host answered {response.status}")
        return Page(
            data=await _body(response, most=self._most),
            name=_name(url, response.content_type),
            charset=response.charset or "",
            validators=_validators(response) if first else Validators(),
        )


class _Door:
    """Opens a socket for each connection to a public address, and for no other."""

    def __init__(self, permits: Callable[[str], bool]) -> None:
        self._permits = permits
        self.refused = False

    def open(self, where: Any) -> socket.socket:
        """The socket for one resolved address. Raises `OSError`."""
        family, kind, protocol, _, address = where
        if not self._permits(address[0]):
            self.refused = True
            raise OSError("not a public address")
        opened = socket.socket(family=family, type=kind, proto=protocol)
        opened.setblocking(False)
        return opened


def _conditions(unless: Validators | None) -> dict[str, str]:
    said = unless or Validators()
    named = {"If-None-Match": said.etag, "If-Modified-Since": said.modified}
    return {name: value for name, value in named.items() if value}


def _validators(response: aiohttp.ClientResponse) -> Validators:
    etag = response.headers.get("ETag", "")
    modified = response.headers.get("Last-Modified", "")
    return Validators(
        etag=etag if _SAFE.fullmatch(etag) else "",
        modified=modified if _SAFE.fullmatch(modified) else "",
    )


def _name(url: str, kind: str) -> str:
    """What a file with this content would be called."""
    name = PurePosixPath(urlsplit(url).path).name or "page"
    suffix = _SUFFIXES.get(kind, "")
    return name if name.lower().endswith(suffix) else f"{name}{suffix}"


async def _body(response: aiohttp.ClientResponse, *, most: int) -> bytes:
    """The content unpacked, never more than ``most`` bytes of it in memory."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "", "gzip", "deflate"):
        raise FileUnreadable(f"its host packs it as {encoding[:20]}, which was not asked for")
    unpacker = zlib.decompressobj(wbits=47) if encoding in ("gzip", "deflate") else None
    data = bytearray()
    async for piece in response.content.iter_chunked(_PIECE):
        data += unpacker.decompress(piece, most - len(data) + 1) if unpacker else piece
        if len(data) > most:
            raise LimitExceeded(f"larger than {most:,} bytes", limit="document_bytes")
    return bytes(data)
