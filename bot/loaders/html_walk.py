"""A page's elements in order, however deeply they are nested, without what nobody sees."""

import re
from collections.abc import Callable, Iterator

from lxml import etree

_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main nav ol option "
    "p pre search section summary table tbody td tfoot th thead tr ul"
)
BLOCKS = frozenset(_NAMES.split())
"""Tags that begin a line of their own."""

_NAMES = (
    "script style template noscript title iframe object embed applet svg canvas audio video map "
    "select datalist textarea input button"
)
UNREAD = frozenset(_NAMES.split())
"""Tags of which nothing is read."""

PICTURES = ("img", "picture", "svg", "canvas", "video", "object")

LINE = "\x00"
"""Stands for ``<br>`` until a paragraph is written; no page holds this character."""

_WIDE = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WRAPPED = re.compile(rf"(?<=[{_WIDE}])[ \t]*[\r\n]\s*(?=[{_WIDE}])")
_SPACES = re.compile(r"[ \t\r\n\f\xa0]+")

Event = tuple[str, etree._Element]
Skips = Callable[[etree._Element], bool]


def walk(root: etree._Element, *, skips: Skips) -> Iterator[Event]:
    """``start`` and ``end`` of each element below ``root``; ``skip`` alone of what ``skips``."""
    stack: list[tuple[etree._Element, Iterator[etree._Element]]] = [(root, iter(root))]
    while stack:
        element, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            if stack:
                yield "end", element
        elif not isinstance(child.tag, str) or skips(child):
            yield "skip", child
        else:
            yield "start", child
            stack.append((child, iter(child)))


def flat(root: etree._Element, *, skips: Skips) -> str:
    """All that is seen inside an element, on one line."""
    words = [root.text or ""]
    for event, element in walk(root, skips=skips):
        if element.tag == "br" or element.tag in BLOCKS:
            words.append(" ")
        words.append((element.text if event == "start" else element.tail) or "")
    return tidy("".join(words))


def tidy(text: str) -> str:
    """Spaces as a page shows them; where a wide script was wrapped, none."""
    return _SPACES.sub(" ", _WRAPPED.sub("", text)).strip(" ")
