"""Words that nobody would write by chance, and where they stand in a text, hidden or not."""

import base64
import binascii
import codecs
import random
import re
import string
import sys
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote_plus

_HEAD, _TAIL, _LENGTH = "zq", "kx", 12
_SHAPE = re.compile(rf"{_HEAD}[a-z]{{{_LENGTH}}}{_TAIL}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{21,}")  # sixteen bytes need that many
_HEX = re.compile(r"[0-9a-fA-F]{32,}")
_STANDARD = str.maketrans("-_", "+/")
_INVISIBLE = {n: None for n in range(sys.maxunicode) if unicodedata.category(chr(n)) == "Cf"}


def coined(chance: random.Random) -> str:
    """A new canary: letters alone, so that it is one word to every tokeniser."""
    middle = "".join(chance.choices(string.ascii_lowercase, k=_LENGTH))
    return f"{_HEAD}{middle}{_TAIL}"


def canaries_in(text: str) -> frozenset[str]:
    """Every canary in ``text``, as it stands or encoded in one of the ways of `_forms`."""
    return frozenset(found for form in _forms(text) for found in _SHAPE.findall(form))


def plain_canaries_in(text: str) -> frozenset[str]:
    """Those that stand in ``text`` as they are."""
    return frozenset(_SHAPE.findall(text))


def _forms(text: str) -> Iterator[str]:
    """Plain, reversed, rot13, URL-encoded, base64 at each offset, and hex.

    Each without invisible characters and with compatibility forms folded.
    """
    for whole in {text, unquote_plus(text)} if {"%", "+"} & set(text) else {text}:
        clear = _clear(whole)
        folded = clear.casefold()
        yield folded
        yield folded[::-1]
        yield codecs.decode(folded, "rot13")
        yield from _decoded(clear)


def _clear(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_INVISIBLE)


def _decoded(text: str) -> Iterator[str]:
    for match in _BASE64.finditer(text):
        for first in range(4):
            run = match[0][first:].translate(_STANDARD)
            run += "A" * (-len(run) % 4)
            yield base64.b64decode(run).decode("latin-1").casefold()
    for match in _HEX.finditer(text):
        for first in range(2):
            run = match[0][first:]
            yield binascii.unhexlify(run[: len(run) // 2 * 2]).decode("latin-1").casefold()
