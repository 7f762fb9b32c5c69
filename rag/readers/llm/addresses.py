"""Addresses in a text: links, mail addresses, names of hosts."""

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\s，。；、（）()<>]+")
_PLAIN = re.compile(r"[!-'*-;=?-~]+")
_HOST = re.compile(r"[a-z0-9.-]+\.[a-z]{2,}")
_AROUND = ".,;:!?'\"[]“”‘’*_`"


def addresses(folded: str) -> Iterator[str]:
    """Every address in ``folded``, a text in lower case; ``node.js`` reads as a host too."""
    for word in _WORD.findall(folded):
        if "://" in word or "@" in word:
            yield word.strip(_AROUND)
    for word in _PLAIN.findall(folded):
        name = word.strip(_AROUND)
        if _HOST.fullmatch(name.split("/")[0]) or name.startswith("www."):
            yield name
