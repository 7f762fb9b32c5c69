"""Documents that are pages of the web: fetched when it is time, and loaded when they changed."""

import codecs
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Protocol

from bot.loaders.characters import decoded
from bot.loaders.loaded import Loaded
from bot.sources.web_addresses import Hosts
from bot.sources.webpages import Page, PageGone, Validators, WebPages
from rag.values import Limits, Source, Value

_FRESH = 60.0  # seconds for which a page that was looked at is not looked at again


LoadPage = Callable[[Source], Awaitable[Loaded | None]]
"""A page of the web; None where the recorded version stands. Raises as `Files` does."""


class Fetches(Protocol):
    """Raises `FileUnreadable`, `PageGone`, `LimitExceeded`."""

    async def fetch(self, url: str, *, unless: Validators | None = None) -> Page: ...


class Files(Protocol):
    """Makes text of a source's content. Raises `FileUnreadable`, `LimitExceeded`."""

    async def load(self, data: bytes, *, name: str, tenant: str, source_id: str) -> Loaded: ...


def web_loader(files: Files, *, hosts: Hosts, limits: Limits) -> LoadPage:
    """What loads pages from these hosts, over the public internet."""
    return WebSources(WebPages(hosts=hosts, limits=limits), files, seconds=time.monotonic).load


class _Seen(Value):
    validators: Validators
    snapshot: str
    at: float


class WebSources:
    """Loads sources whose reference is an address. ``seconds`` is a clock that never goes back."""

    def __init__(self, pages: Fetches, files: Files, *, seconds: Callable[[], float]) -> None:
        self._pages = pages
        self._files = files
        self._seconds = seconds
        self._seen: dict[tuple[str, str, str], _Seen] = {}

    async def load(self, source: Source) -> Loaded | None:
        """The page as it is; None where the recorded version is it, or is all there still is.

        Raises `FileUnreadable`, `LimitExceeded`.
        """
        key = (source.tenant, source.id, source.ref)
        seen = self._seen.get(key)
        if seen is not None and seen.snapshot != source.snapshot:
            seen = None
        if seen is not None and self._seconds() - seen.at < _FRESH:
            return None
        try:
            page = await self._pages.fetch(source.ref, unless=seen.validators if seen else None)
        except PageGone:
            if source.snapshot is None:
                raise
            return None
        if page.data is None and seen is not None:
            self._seen[key] = seen.model_copy(update={"at": self._seconds()})
            return None
        loaded = await self._files.load(
            _plain(page), name=page.name, tenant=source.tenant, source_id=source.id
        )
        name = sha256(loaded.text.encode("utf-8", "surrogatepass")).hexdigest()
        self._seen[key] = _Seen(validators=page.validators, snapshot=name, at=self._seconds())
        return loaded


def _plain(page: Page) -> bytes:
    """The content; a text whose encoding the server alone has told is marked as what it is."""
    data = page.data or b""
    if page.charset.lower() in ("", "utf-8", "utf8"):
        return data
    return codecs.BOM_UTF8 + decoded(data, declared=page.charset).text.encode()
