"""Text that was recognised on pages put where these pages stand in a document's text."""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import pairwise
from typing import TypeVar

from bot.loaders.loaded import Heading, Loaded, Part
from rag.values import Locator

_APART = "\n\n"

Span = TypeVar("Span", Locator, Heading, Part)


class _Cuts:
    """Where pieces go in, in order, and how far each moves what stands after it."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self._moved = [0]

    def add(self, place: int, length: int) -> None:
        self.places.append(place)
        self._moved.append(self._moved[-1] + length)

    def moved(self, at: int, *, ends: bool = False) -> int:
        """An offset afterwards; what ends where a piece goes in ends before it."""
        reached = bisect_right(self.places, at - 1 if ends else at)
        return at + self._moved[reached]


def woven(loaded: Loaded, pages: Mapping[int, str]) -> Loaded:
    """The same with the text of these pages, each before the next page there is text of."""
    cuts, text, at = _Cuts(), "", 0
    locators: list[Locator] = []
    for page, said in sorted(pages.items()):
        place = max(at, _place(loaded, page))
        text += loaded.text[at:place]
        before, after = _gaps(text, loaded.text[place:])
        start = len(text) + len(before)
        locators.append(Locator(start=start, end=start + len(said), page=page, recognised=True))
        cuts.add(place, len(before) + len(said) + len(after))
        text += before + said + after
        at = place
    stand = [moved for one in loaded.locators for moved in _apart(one, cuts)]
    return loaded.model_copy(
        update={
            "text": text + loaded.text[at:],
            "locators": tuple(sorted([*stand, *locators], key=lambda one: one.start)),
            "headings": tuple(_moved(one, cuts) for one in loaded.headings),
            "parts": tuple(_moved(one, cuts) for one in loaded.parts),
        }
    )


def _gaps(before: str, after: str) -> tuple[str, str]:
    """What a blank line on both sides still lacks; nothing at the ends of a text."""
    ended = len(before) - len(before.rstrip("\n"))
    begun = len(after) - len(after.lstrip("\n"))
    return _APART[ended:] if before else "", _APART[begun:] if after else ""


def _place(loaded: Loaded, page: int) -> int:
    """Where the text of a page goes: before what later pages say, and inside no line."""
    later = (one.start for one in loaded.locators if (one.page or 0) > page)
    at = next(later, len(loaded.text))
    if at == 0 or loaded.text[at - 1] == "\n":
        return at
    end = loaded.text.find("\n", at)
    return len(loaded.text) if end < 0 else end


def _moved(one: Span, cuts: _Cuts) -> Span:
    start, end = cuts.moved(one.start), cuts.moved(one.end, ends=True)
    return one.model_copy(update={"start": start, "end": max(start, end)})


def _apart(one: Locator, cuts: _Cuts) -> list[Locator]:
    """A place without what went into it: one before and one after each piece."""
    inside = [place for place in cuts.places if one.start < place < one.end]
    edges = [one.start, *inside, one.end]
    return [
        _moved(one.model_copy(update={"start": start, "end": end}), cuts)
        for start, end in pairwise(edges)
    ]
