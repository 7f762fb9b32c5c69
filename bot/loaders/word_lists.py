"""The numbers and bullets of a Word document's lists, counted as Word counts them."""

import re
from typing import NamedTuple

from bot.loaders.numerals import written
from bot.loaders.ooxml import Element, whole
from bot.loaders.word_styles import Numbering, W, switched, value_of

_PLACE = re.compile(r"%([1-9])")
_APART = {"nothing": ""}
BULLET = "•"


class _Level(NamedTuple):
    start: int
    style: str
    text: str
    apart: str
    restart: int | None
    legal: bool


class Lists:
    """Counts the paragraphs of each list in the order they are asked for."""

    def __init__(self, root: Element | None) -> None:
        self._abstract = _by_id(root, "abstractNum", "abstractNumId")
        self._numbers = _by_id(root, "num", "numId")
        self._levels: dict[tuple[str, int], _Level | None] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def label(self, numbering: Numbering | None, style: str) -> str:
        """What stands before the next paragraph of a list, with what parts it from the text.

        Empty for a paragraph of no list, and where the number is of a kind not known here.
        """
        abstract = self._list(numbering.number) if numbering else None
        if numbering is None or abstract is None:
            return ""
        level = numbering.level
        at = self._level_of_style(abstract, style) if level is None else level
        found = self._level(numbering.number, at)
        if found is None or found.style == "none":
            return ""
        counts = self._counted(numbering.number, abstract.get(W + "abstractNumId", ""), at)
        if found.style == "bullet":
            return f"{BULLET} "
        text = self._filled(numbering.number, found, counts)
        return f"{text}{found.apart}" if text else ""

    def _list(self, number: str) -> Element | None:
        """The definition a list goes by, links to a style's list followed."""
        num = self._numbers.get(number)
        abstract = self._abstract.get(value_of(num, "abstractNumId") or "")
        link = value_of(abstract, "numStyleLink")
        if not link:
            return abstract
        styled = (one for one in self._abstract.values() if value_of(one, "styleLink") == link)
        return next(styled, abstract)

    def _level_of_style(self, abstract: Element, style: str) -> int:
        for one in abstract.findall(W + "lvl"):
            if style and value_of(one, "pStyle") == style:
                return whole(one.get(W + "ilvl"), 0)
        return 0

    def _level(self, number: str, at: int) -> _Level | None:
        key = (number, at)
        if key not in self._levels:
            self._levels[key] = self._read(number, at)
        return self._levels[key]

    def _read(self, number: str, at: int) -> _Level | None:
        override = _child(self._numbers.get(number), "lvlOverride", at)
        own = override.find(W + "lvl") if override is not None else None
        level = own if own is not None else _child(self._list(number), "lvl", at)
        if level is None:
            return None
        start = value_of(override, "startOverride") or value_of(level, "start")
        restart = value_of(level, "lvlRestart")
        return _Level(
            start=whole(start, 1),
            style=_style(level),
            text=value_of(level, "lvlText") or "",
            apart=_APART.get(value_of(level, "suff") or "", " "),
            restart=None if restart is None else whole(restart, 0),
            legal=bool(switched(level, "isLgl")),
        )

    def _counted(self, number: str, abstract: str, at: int) -> dict[int, int]:
        """The counts of a list with one more at that level, and the deeper ones begun anew."""
        counts = self._counts.setdefault(abstract, {})
        found = self._level(number, at)
        start = found.start if found else 1
        if self._starts_over(number, at) or at not in counts:
            counts[at] = start
        else:
            counts[at] += 1
        for deeper in [one for one in counts if one > at]:
            below = self._level(number, deeper)
            again = below.restart if below else None
            if again is None or at < again:
                del counts[deeper]
        return counts

    def _starts_over(self, number: str, at: int) -> bool:
        """Whether a list that continues another one has a start of its own, not yet used."""
        override = _child(self._numbers.get(number), "lvlOverride", at)
        if value_of(override, "startOverride") is None or (number, at) in self._begun:
            return False
        self._begun.add((number, at))
        return True

    def _filled(self, number: str, level: _Level, counts: dict[int, int]) -> str:
        """The level's text with its numbers; empty where one of them is not known."""
        text = level.text
        for place in {int(found) for found in _PLACE.findall(text)}:
            of = self._level(number, place - 1)
            if of is None or place - 1 not in counts:
                return ""
            style = "decimal" if level.legal else of.style
            sign = written(counts[place - 1], style)
            if sign is None:
                return ""
            text = text.replace(f"%{place}", sign)
        return text.strip()


def _by_id(root: Element | None, name: str, key: str) -> dict[str, Element]:
    found = root.findall(W + name) if root is not None else []
    return {one.get(W + key, ""): one for one in found}


def _child(element: Element | None, name: str, at: int) -> Element | None:
    found = element.findall(W + name) if element is not None else []
    return next((one for one in found if one.get(W + "ilvl") == str(at)), None)


def _style(level: Element) -> str:
    """The numbering style; newer ones stand in a choice whose fallback is plain."""
    found = level.findall(f".//{W}numFmt")
    return found[-1].get(W + "val", "decimal") if found else "decimal"
