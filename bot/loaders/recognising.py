"""Text recognition (OCR) of pictures and of pages that are pictures, where Tesseract is installed.

A page is drawn by the confined child that parses files; Tesseract sees that picture alone, in
a process of its own that the same limits hold and that may start nothing, write nothing and
reach no network. What it makes of a page is marked as recognised wherever it is told.
"""

import asyncio
import logging
import re
from typing import Protocol

from bot.loaders.conversing import Order, conversed
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.registry import PICTURE
from bot.loaders.sniff import is_picture
from bot.loaders.unreadable import PICTURES, ParserWaited
from bot.loaders.weaving import woven
from rag.errors import LimitExceeded
from rag.values import Limits

log = logging.getLogger(__name__)

_NOTHING = "this file is pictures, and no text could be recognised in them"
_WAITED = "there was no time to recognise its text within {:g} seconds; it is tried again later"
_BLANK = re.compile(r"\n\s*\n")
_SHORT = 0.7  # of the longest line; a line that is shorter ends what it says
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN = re.compile(rf"(?<=[{_WIDE}]) (?=[{_WIDE}])")  # no spaces are written there


class Draws(Protocol):
    """Parses files, and draws those pages of a PDF that are pictures. Raises as `Parses`."""

    async def parse(self, data: bytes, *, name: str) -> Loaded: ...

    async def pictured(self, data: bytes) -> tuple[int, ...]: ...

    async def picture(self, data: bytes, *, page: int) -> bytes: ...


class Recognises(Protocol):
    """The text in a picture, page by page. Raises `FileUnreadable`, `LimitExceeded`."""

    async def recognise(self, picture: bytes) -> tuple[str, ...]: ...


class Tesseract:
    """`Recognises` by the program of that name, at the path ``program``."""

    def __init__(self, program: str, *, languages: str, limits: Limits) -> None:
        self._order = Order(
            program=(program, "stdin", "stdout", "-l", languages, "--dpi", "250"),
        )
        seconds = {
            "parse_seconds": limits.recognise_page_seconds,
            "parse_cpu_seconds": limits.recognise_page_cpu_seconds,
        }
        self._limits = limits.model_copy(update=seconds)

    async def recognise(self, picture: bytes) -> tuple[str, ...]:
        """The text of each page of a picture, its paragraphs by blank lines."""
        said, status = await conversed(self._order, picture, limits=self._limits)
        if status:
            log.warning("text recognition ended with %d", status)
            raise FileUnreadable(_NOTHING)
        pages = said.decode("utf-8", "replace").removesuffix("\f").split("\f")
        return tuple(map(_tidied, pages))


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
            loaded = Loaded(format="pdf", text="", cautions=(Caution.PICTURES_UNREAD,))
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
        pages = enumerate(await self._eyes.recognise(data), start=1)
        found = {page: text for page, text in pages if text}
        if not found:
            raise FileUnreadable(_NOTHING)
        bare = Loaded(format=PICTURE.name, text="", cautions=(Caution.TEXT_RECOGNISED,))
        return woven(bare, found)

    async def _read(self, data: bytes, loaded: Loaded) -> Loaded:
        pictured = await self._parser.pictured(data)
        within = pictured[: self._limits.recognise_pages]
        pages = {page: await self._page(data, page) for page in within}
        found = {page: text for page, text in pages.items() if text}
        if not found and not loaded.text:
            raise FileUnreadable(_NOTHING)
        whole = within == pictured and None not in pages.values()
        return woven(_said(loaded, recognised=bool(found), whole=whole), found)

    async def _page(self, data: bytes, page: int) -> str | None:
        """The text of a page; None where its picture is too much."""
        try:
            picture = await self._parser.picture(data, page=page)
            return "\n\n".join(filter(None, await self._eyes.recognise(picture)))
        except ParserWaited:
            raise
        except (FileUnreadable, LimitExceeded) as error:
            log.warning("page %d is not recognised: %s", page, error)
            return None


def _said(loaded: Loaded, *, recognised: bool, whole: bool) -> Loaded:
    """With the cautions that hold once its pictures are read, or some of them."""
    cautions = {*loaded.cautions, *({Caution.TEXT_RECOGNISED} if recognised else ())}
    if whole:
        cautions.discard(Caution.PICTURES_UNREAD)
    return loaded.model_copy(update={"cautions": tuple(sorted(cautions))})


def _tidied(text: str) -> str:
    """Paragraphs by blank lines, each as few lines as it says."""
    blocks = _BLANK.split(text)
    return "\n\n".join(filter(None, (_paragraph(block.splitlines()) for block in blocks)))


def _paragraph(lines: list[str]) -> str:
    """Lines that go on joined; one that is short ends what it says, as an item of a list does."""
    kept = [" ".join(line.split()) for line in lines if line.strip()]
    longest = max(map(len, kept), default=0)
    ends = (" " if len(line) >= _SHORT * longest else "\n" for line in kept)
    return _BETWEEN.sub("", "".join(map("".join, zip(kept, ends, strict=True))).strip())
