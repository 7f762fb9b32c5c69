"""Text recognition (OCR) of pictures and of pages that are pictures, where Tesseract is installed.

A page is drawn by the confined child that parses files; Tesseract sees that picture alone, in
a process of its own that the same limits hold and that may start nothing, write nothing and
reach no network. What it makes of a page is marked as recognised wherever it is told.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Protocol

from bot.loaders.conversing import Order, conversed
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.recognised import Seen, pages_of
from bot.loaders.registry import PICTURE
from bot.loaders.sniff import is_picture
from bot.loaders.unreadable import PICTURES, ParserWaited
from bot.loaders.weaving import woven
from rag.errors import LimitExceeded
from rag.values import Limits

log = logging.getLogger(__name__)

_NOTHING = "this file is pictures, and no text could be recognised in them"
_WAITED = "there was no time to recognise its text within {:g} seconds; it is tried again later"
_UNREAD = (Caution.PICTURES_UNREAD,)
_SURE = 65.0  # of 100; what is seen less surely is as good as noise


class Draws(Protocol):
    """Parses files, and draws those pages of a PDF that are pictures. Raises as `Parses`."""

    async def parse(self, data: bytes, *, name: str) -> Loaded: ...

    async def pictured(self, data: bytes) -> tuple[int, ...]: ...

    async def picture(self, data: bytes, *, page: int) -> bytes: ...


class Recognises(Protocol):
    """What is seen on each page of a picture. Raises `FileUnreadable`, `LimitExceeded`."""

    async def recognise(self, picture: bytes) -> tuple[Seen, ...]: ...


class Tesseract:
    """`Recognises` by the program of that name, at the path ``program``."""

    def __init__(self, program: str, *, languages: str, limits: Limits) -> None:
        self._order = Order(
            program=(program, "stdin", "stdout", "-l", languages, "--dpi", "250", "tsv"),
        )
        seconds = {
            "parse_seconds": limits.recognise_page_seconds,
            "parse_cpu_seconds": limits.recognise_page_cpu_seconds,
        }
        self._limits = limits.model_copy(update=seconds)

    async def recognise(self, picture: bytes) -> tuple[Seen, ...]:
        """What is seen on each page of a picture; a TIFF may hold several."""
        said, status = await conversed(self._order, picture, limits=self._limits)
        if status:
            log.warning("text recognition ended with %d", status)
            raise FileUnreadable(_NOTHING)
        return pages_of(said.decode("utf-8", "replace"))


class Recognising:
    """`Parses` that reads pictures, and those that are pages of a PDF."""

    def __init__(self, parser: Draws, eyes: Recognises, *, limits: Limits) -> None:
        self._parser = parser
        self._eyes = eyes
        self._limits = limits

    async def parse(self, data: bytes, *, name: str) -> Loaded:
        """The text of a file and where it stands. Raises `FileUnreadable`, `LimitExceeded`."""
        if is_picture(data):
            return await self._alone(data)
        try:
            loaded = await self._parser.parse(data, name=name)
        except FileUnreadable as error:
            if str(error) != PICTURES:
                raise
            loaded = Loaded(format="pdf", text="", cautions=_UNREAD)
        if loaded.format != "pdf" or Caution.PICTURES_UNREAD not in loaded.cautions:
            return loaded
        try:
            async with asyncio.timeout(self._limits.recognise_seconds):
                return await self._read(data, loaded)
        except TimeoutError as error:
            words = _WAITED.format(self._limits.recognise_seconds)
            raise ParserWaited(words, limit="recognise_seconds") from error

    async def _alone(self, data: bytes) -> Loaded:
        """A file that is a picture, or several."""
        seen = await self._eyes.recognise(data)
        pages = {page: _read(one) for page, one in enumerate(seen, start=1)}
        return _told(Loaded(format=PICTURE.name, text="", cautions=_UNREAD), pages)

    async def _read(self, data: bytes, loaded: Loaded) -> Loaded:
        pictured = await self._parser.pictured(data)
        within = pictured[: self._limits.recognise_pages]
        pages = {page: await self._page(data, page) for page in within}
        left = dict.fromkeys(pictured[len(within) :])
        return _told(loaded, pages | left)

    async def _upright(self, picture: bytes) -> Seen:
        """What is seen on a page, which may have been scanned upside down."""
        seen = _whole(await self._eyes.recognise(picture))
        if seen.sure >= _SURE:
            return seen
        turned = _whole(await self._eyes.recognise(_turned(picture)))
        return max(seen, turned, key=lambda one: one.sure)

    async def _page(self, data: bytes, page: int) -> str | None:
        """The text of a page; None where its picture is too much."""
        try:
            picture = await self._parser.picture(data, page=page)
            return _read(await self._upright(picture))
        except ParserWaited:
            raise
        except (FileUnreadable, LimitExceeded) as error:
            log.warning("page %d is not recognised: %s", page, error)
            return None


def _told(loaded: Loaded, pages: Mapping[int, str | None]) -> Loaded:
    """With the text of these pages, and the cautions that hold once they, or some, are read."""
    found = {page: text for page, text in pages.items() if text}
    if not found and not loaded.text:
        raise FileUnreadable(_NOTHING)
    cautions = {*loaded.cautions, *({Caution.TEXT_RECOGNISED} if found else ())}
    if None not in pages.values():
        cautions.discard(Caution.PICTURES_UNREAD)
    changes = {"cautions": tuple(sorted(cautions))}
    return woven(loaded.model_copy(update=changes), found)


def _whole(pages: Sequence[Seen]) -> Seen:
    """A page that was drawn is one."""
    return pages[0] if pages else Seen("", 100.0)


def _read(seen: Seen) -> str | None:
    """The text where it is sure enough to be quoted."""
    return seen.text if seen.sure >= _SURE else None


def _turned(graymap: bytes) -> bytes:
    """A portable graymap upside down."""
    head, pixels = graymap.split(b"\n", 1)
    return head + b"\n" + pixels[::-1]
