"""The scanner finds what it is to find; else a run without a finding would prove nothing."""

import base64
import codecs
import random
from collections.abc import Callable
from urllib.parse import quote

import pytest

from tests.security.canaries import canaries_in, coined

CANARY = coined(random.Random(1))  # noqa: S311 - repeatable, no secret
WAYS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper case": str.upper,
    "reversed": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "hex": lambda text: text.encode().hex(),
    "hex, odd": lambda text: "a" + text.encode().hex(),
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "quoted": lambda text: quote(f"a b={text}&c"),
    "full width": lambda text: "".join(chr(ord(letter) + 0xFEE0) for letter in text),
    "zero width": "\u200b".join,
    "word joiners": "\u2060".join,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 after one": lambda text: base64.b64encode(b"x" + text.encode()).decode(),
    "base64 after two": lambda text: base64.b64encode(b"xx" + text.encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(
        b"\xff\xfe" + text.encode()
    ).decode(),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_canary_is_found_however_it_is_written(way: str) -> None:
    assert canaries_in(f"before {WAYS[way](CANARY)} after") == {CANARY}


def test_nothing_else_is_taken_for_one() -> None:
    chance = random.Random(2)  # noqa: S311 - repeatable, no secret
    others = " ".join(base64.b64encode(chance.randbytes(30)).decode() for _ in range(2000))
    assert canaries_in(others) == frozenset()
    assert canaries_in(CANARY[:-1] + " " + CANARY[1:]) == frozenset()
