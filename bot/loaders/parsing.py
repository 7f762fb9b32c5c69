"""Files parsed in processes of their own, each within limits, so that a hostile one harms nobody.

Not a pool: a process that has read one document is never given another, because what is left
in it - memory that was not given back, a library in a broken state, time that was used up - would
be charged to the next, and a death would take those in line with it. What starting one costs is
printed by ``script/bench loading``.
"""

import asyncio
import logging
from base64 import b64decode
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.loaders.conversing import Order, conversed
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.registry import LOADERS
from rag.errors import LimitExceeded
from rag.values import Limits

log = logging.getLogger(__name__)

_DAMAGED = "it could not be read; it may be damaged"
_KILLED = "reading it takes too much memory or breaks what reads it, so it is not read"
_PARSE = "bot.loaders.parse:parse"
_PAGES, _PICTURE = "bot.loaders.pdf_pictures:pages", "bot.loaders.pdf_pictures:picture"


class _Said(BaseModel):
    """What a child answers: exactly one of these."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    loaded: Loaded | None = None
    pages: tuple[int, ...] = ()
    picture: str = ""
    unreadable: str = ""
    over: tuple[str, str] | None = None
    died: str = ""


class Parser:
    """Parses what is not plain text; ``at_once`` files at a time, the others wait their turn."""

    def __init__(self, loaders: Mapping[str, str], *, limits: Limits, at_once: int = 2) -> None:
        self._loaders = dict(loaders)
        self._limits = limits
        self._turn = asyncio.Semaphore(at_once)

    async def parse(self, data: bytes, *, name: str) -> Loaded:
        """The text of a file and where it stands.

        Raises `FileUnreadable`, `LimitExceeded`, and of these `ParserWaited` where the parser
        was kept from its work.
        """
        given = self._loaders, self._limits.model_dump(mode="json")
        said = await self._asked(Order(_PARSE, given, name), data)
        if said.loaded is None or not await asyncio.to_thread(_is_sound, said.loaded):
            log.warning("a parser failed: %s", said.died or "it gave what cannot be")
            raise FileUnreadable(_DAMAGED)
        return said.loaded

    async def pictured(self, data: bytes) -> tuple[int, ...]:
        """The pages of a PDF, from 1, that are pictures. Raises as `parse`."""
        return (
            await self._asked(Order(_PAGES, [self._limits.model_dump(mode="json")]), data)
        ).pages

    async def picture(self, data: bytes, *, page: int) -> bytes:
        """A page of a PDF as a portable graymap. Raises as `parse`."""
        said = await self._asked(Order(_PICTURE, [page]), data)
        return await asyncio.to_thread(b64decode, said.picture)

    async def _asked(self, order: Order, data: bytes) -> _Said:
        async with self._turn:
            said, status = await conversed(order, data, limits=self._limits)
        return await asyncio.to_thread(_understood, said, status)


def _understood(said: bytes, status: int) -> _Said:
    if status < 0:
        log.warning("a parser was ended by signal %d", -status)
        raise FileUnreadable(_KILLED)
    try:
        answer = _Said.model_validate_json(said)
    except ValidationError as error:
        log.warning("a parser ended with %d and said nothing that makes sense", status)
        raise FileUnreadable(_DAMAGED) from error
    if answer.over is not None:
        raise LimitExceeded(answer.over[1], limit=answer.over[0])
    if answer.unreadable:
        raise FileUnreadable(answer.unreadable)
    return answer


def _is_sound(loaded: Loaded) -> bool:
    """Whether every offset lies inside the text and all are in order."""
    length, last = len(loaded.text), 0
    for locator in loaded.locators:
        if not last <= locator.start <= locator.end <= length:
            return False
        last = locator.end
    for spans in (loaded.headings, loaded.parts):
        last = 0
        for span in spans:
            if not last <= span.start <= span.end <= length:
                return False
            last = span.start
    return True


def every_format(limits: Limits) -> Parser:
    """What parses every format that is registered."""
    return Parser(LOADERS, limits=limits)
