"""What the styles of a Word document say of its paragraphs and runs."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from bot.loaders.ooxml import Element, whole

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
VALUE = f"{W}val"
_BASES = 16  # styles; Word allows fewer to be based on one another
_TINY = 3  # half-points
_WHITE = 0xFA  # of each colour; what is lighter is not seen on paper
_CLEAR = ("", "auto", "FFFFFF", "none", "white")
_ALIGNED = {"superscript": 1, "subscript": -1}


class Look(NamedTuple):
    """How a run looks; None where nothing is said. ``size`` is in half-points."""

    vanish: bool | None = None
    size: float | None = None
    white: bool | None = None
    shaded: bool | None = None
    font: str | None = None
    raised: int | None = None

    def over(self, under: "Look") -> "Look":
        """This look where it says something, else the one below."""
        said = {name: value for name, value in self._asdict().items() if value is not None}
        return under._replace(**said)

    def hidden(self, *, backed: bool) -> bool:
        """Whether nobody sees it on the page. ``backed`` is said of a coloured ground."""
        tiny = self.size is not None and self.size <= _TINY
        return bool(self.vanish) or tiny or bool(self.white and not self.shaded and not backed)


class Numbering(NamedTuple):
    """A list and a level of it, as a paragraph or a style names them."""

    number: str
    level: int | None


def value_of(element: Element | None, name: str) -> str | None:
    """The ``w:val`` of a child; None where there is no such child, "" where it has no value."""
    found = element.find(W + name) if element is not None else None
    return found.get(VALUE, "") if found is not None else None


def switched(element: Element | None, name: str) -> bool | None:
    """A property that is on or off, or None where it is not said."""
    value = value_of(element, name)
    return None if value is None else value.lower() not in ("0", "false", "off")


def look_of(properties: Element | None) -> Look:
    """What run properties say themselves."""
    if properties is None or not len(properties):
        return Look()
    fonts = properties.find(W + "rFonts")
    aligned = value_of(properties, "vertAlign")
    return Look(
        vanish=switched(properties, "vanish"),
        size=_number(value_of(properties, "sz")),
        white=_white(properties.find(W + "color")),
        shaded=shaded(properties) or _marked(properties) or None,
        font=None if fonts is None else fonts.get(W + "ascii") or fonts.get(W + "hAnsi"),
        raised=None if aligned is None else _ALIGNED.get(aligned, 0),
    )


def shaded(properties: Element | None) -> bool:
    """Whether properties of a run, paragraph, cell or table give it a coloured ground."""
    found = properties.find(W + "shd") if properties is not None else None
    if found is None:
        return False
    pattern = found.get(VALUE, "clear") not in ("clear", "nil")
    return pattern or found.get(W + "fill", "") not in _CLEAR or bool(found.get(W + "themeFill"))


def _marked(properties: Element) -> bool:
    return (value_of(properties, "highlight") or "") not in _CLEAR


def _white(color: Element | None) -> bool | None:
    if color is None:
        return None
    value = color.get(VALUE, "auto")
    try:
        parts = bytes.fromhex(value)
    except ValueError:
        return value == "auto" and color.get(W + "themeColor") in ("background1", "light1")
    return len(parts) == 3 and min(parts) >= _WHITE


def _number(value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None


class Styles:
    """The styles of one document by id; what is based on another takes over its properties."""

    def __init__(self, root: Element | None) -> None:
        found = root.findall(W + "style") if root is not None else []
        self._styles = {one.get(W + "styleId", ""): one for one in found}
        self._root = root
        self._chains: dict[str, list[Element]] = {}
        self._looks: dict[tuple[str, str], Look] = {}
        self._named: dict[tuple[str, str], bool] = {}
        self._levels: dict[str, int] = {}
        self._backed: dict[str, bool] = {}
        self._numberings: dict[str, Numbering | None] = {}

    def look(self, paragraph_style: str, run_style: str) -> Look:
        """The look of a run by its styles and the document's defaults."""
        key = (paragraph_style, run_style)
        if key not in self._looks:
            look = self._look(run_style) if run_style else Look()
            look = look.over(self._look(paragraph_style or self._default))
            self._looks[key] = look.over(self._ground)
        return self._looks[key]

    def level(self, style: str) -> int:
        """The level of a heading's style, 1 the outermost; 0 for any other."""
        if style not in self._levels:
            self._levels[style] = self._level(style)
        return self._levels[style]

    def _level(self, style: str) -> int:
        for one in self._chain(style):
            said = value_of(one.find(W + "pPr"), "outlineLvl")
            if said is not None:
                return outline_level(said)
            level = _named_level((value_of(one, "name") or "").lower())
            if level:
                return level
        return 0

    def numbering(self, style: str) -> Numbering | None:
        """The list a paragraph of that style belongs to."""
        if style not in self._numberings:
            self._numberings[style] = self._numbering(style)
        return self._numberings[style]

    def _numbering(self, style: str) -> Numbering | None:
        for one in self._chain(style or self._default):
            found = numbering_of(one.find(W + "pPr"))
            if found is not None:
                return found
        return None

    def backed(self, style: str) -> bool:
        """Whether a paragraph or a table of that style has a coloured ground."""
        if style not in self._backed:
            self._backed[style] = any(_any_ground(one) for one in self._chain(style))
        return self._backed[style]

    def named(self, style: str, pattern: re.Pattern[str]) -> bool:
        """Whether the name of a style, or of one it is based on, is of that pattern."""
        key = (style, pattern.pattern)
        if key not in self._named:
            names = ((value_of(one, "name") or "").lower() for one in self._chain(style))
            self._named[key] = any(pattern.fullmatch(name) for name in names)
        return self._named[key]

    @cached_property
    def _default(self) -> str:
        found = (
            style
            for style, one in self._styles.items()
            if one.get(W + "type") == "paragraph" and one.get(W + "default") in ("1", "true", "on")
        )
        return next(found, "")

    @cached_property
    def _ground(self) -> Look:
        root = self._root
        found = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr") if root is not None else None
        return look_of(found)

    def _look(self, style: str) -> Look:
        look = Look()
        for one in self._chain(style):
            look = look.over(look_of(one.find(W + "rPr")))
        return look

    def _chain(self, style: str) -> list[Element]:
        """A style and those it is based on, which may go in a circle in a damaged file."""
        if style not in self._chains:
            self._chains[style] = list(self._follow(style))
        return self._chains[style]

    def _follow(self, style: str) -> Iterator[Element]:
        for _ in range(_BASES):
            one = self._styles.get(style)
            if one is None:
                return
            yield one
            style = value_of(one, "basedOn") or ""


def numbering_of(properties: Element | None) -> Numbering | None:
    """The list that paragraph properties name."""
    found = properties.find(W + "numPr") if properties is not None else None
    if found is None:
        return None
    level = whole(value_of(found, "ilvl"), -1)
    return Numbering(value_of(found, "numId") or "", None if level < 0 else level)


def outline_level(said: str) -> int:
    """An outline level as a heading's; 0 for what is not one."""
    level = whole(said, 9)
    return level + 1 if level < 9 else 0


def _named_level(name: str) -> int:
    if name == "title":
        return 1
    level = whole(name.removeprefix("heading "), 0) if name.startswith("heading ") else 0
    return level if level < 10 else 0


def _any_ground(style: Element) -> bool:
    return any(shaded(one.getparent()) for one in style.iter(W + "shd"))
