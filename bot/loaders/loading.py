"""From a file's bytes to its text: plain text as it stands, all else by a parser in a child."""

from collections import OrderedDict
from hashlib import sha256
from pathlib import PurePath
from typing import Protocol

from bot.loaders.files import FileUnreadable, characters_of
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.registry import MARKDOWN, TEXT
from bot.loaders.sniff import is_plain
from rag.values import Limits

_KEPT = 32 * 1024 * 1024  # bytes, about, of what was parsed a moment ago
_SPAN = 600  # bytes that one locator, heading or part takes


class Parses(Protocol):
    """Parses what is not plain text. Raises `FileUnreadable`, `LimitExceeded`."""

    async def parse(self, data: bytes, *, name: str) -> Loaded: ...


class NoParser:
    """`Parses` where plain text alone is taken."""

    async def parse(self, data: bytes, *, name: str) -> Loaded:
        """Raise `FileUnreadable`."""
        raise FileUnreadable("only plain text is read here")


class Loading:
    """Loads files. What was parsed a moment ago is not parsed again for the next step of adding."""

    def __init__(self, parser: Parses, *, limits: Limits) -> None:
        self._parser = parser
        self._limits = limits
        self._recent: OrderedDict[tuple[str, str], Loaded] = OrderedDict()

    async def load(self, data: bytes, *, name: str) -> Loaded:
        """The text of the file called ``name``. Raises `FileUnreadable`, `LimitExceeded`."""
        if is_plain(data, name):
            found = characters_of(data, limits=self._limits)
            loaded = self.plain(found.text, name=name)
            cautions = (Caution.ENCODING_GUESSED,) if found.guessed else ()
            return loaded.model_copy(update={"cautions": cautions})
        key = (sha256(data).hexdigest(), PurePath(name).suffix.lower())
        kept = self._recent.get(key)
        if kept is None:
            kept = await self._parser.parse(data, name=name)
            self._keep(key, kept)
        return kept

    @staticmethod
    def plain(text: str, *, name: str) -> Loaded:
        """A text that nothing has to parse."""
        form = MARKDOWN if name.lower().endswith(MARKDOWN.suffixes) else TEXT
        return Loaded(format=form.name, text=text)

    def _keep(self, key: tuple[str, str], loaded: Loaded) -> None:
        self._recent[key] = loaded
        while sum(map(_size, self._recent.values())) > _KEPT:
            self._recent.popitem(last=False)


def _size(loaded: Loaded) -> int:
    spans = len(loaded.locators) + len(loaded.headings) + len(loaded.parts)
    return 2 * len(loaded.text) + _SPAN * spans


PLAIN_ONLY = Loading(NoParser(), limits=Limits())
"""Reads plain text alone."""
