"""What of a page nobody sees, struck out of it.

Told by the page's attributes, inline styles and own style rules, each as a browser weighs them.
What a script or an animation may show later counts as hidden: a quote must not rest on it.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from lxml import etree

from bot.loaders.css_away import is_gone, opacity_of
from bot.loaders.css_values import BLACK, WHITE, Colour, colour, pixels, size
from bot.loaders.html_selectors import is_for, keys_of
from bot.loaders.html_sheets import Sheets, Style, merged, sheets_of
from bot.loaders.html_walk import PICTURES, UNREAD, walk

_READ_ALOUD = {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"}
_CELLS = ("td", "th")
_SMALLEST = 1.6  # pixels of letters that are still seen
_FAINTEST = 0.1  # of full strength
_VARIABLE = re.compile(r"var\( ?(--[\w-]+) ?(?:,([^()]*))?\)")
_CLEAR = Colour(0, 0, 0, 0)
_KEYWORDS = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0,
    "x-large": 24.0, "xx-large": 32.0, "initial": 16.0,
}  # fmt: skip


class _Look(NamedTuple):
    """How the letters that stand right in an element look; ``letters`` is their size in pixels.

    A colour of None is not known.
    """

    visible: bool = True
    letters: float = 16.0
    ink: Colour | None = BLACK
    paper: Colour | None = WHITE
    opacity: float = 1.0
    variables: Mapping[str, str] = {}

    @property
    def legible(self) -> bool:
        if not self.visible or self.letters <= _SMALLEST:
            return False
        if self.ink is None:
            return True
        if self.ink.alpha < _FAINTEST:
            return False
        return self.paper is None or not self.ink.over(self.paper).is_near(self.paper)


def strike_hidden(page: etree._Element) -> bool:
    """Take out of a page what nobody sees. Whether there was anything to read in it."""
    sheets = sheets_of(page)
    looks: list[_Look] = []
    gone: list[etree._Element] = []
    struck = False

    def vanishes(element: etree._Element) -> bool:
        if element.tag in UNREAD:
            return True
        look = _look(element, looks[-1] if looks else _Look(), sheets)
        if look is None:
            gone.append(element)
            return True
        looks.append(look)
        return False

    if vanishes(page):
        looks.append(_Look())
    for event, element in walk(page, skips=vanishes) if not gone else ():
        if event == "start":
            struck |= _strike(element, "text", looks[-1])
            continue
        if event == "end":
            looks.pop()
        struck |= _strike(element, "tail", looks[-1])
    emptied = [_empty(element) for element in gone]
    return struck or any(emptied)


def _strike(element: etree._Element, where: str, look: _Look) -> bool:
    """Take out a text that cannot be seen; whether there was one."""
    text = getattr(element, where)
    if look.legible or not text or not text.strip():
        return False
    setattr(element, where, " ")
    return _says(text)


def _empty(element: etree._Element) -> bool:
    """Take out all that stands in an element; whether there was anything to read.

    A cell stays, for the columns behind it.
    """
    said = any(_says(str(text)) for text in element.itertext())
    del element[:]
    element.text = None
    if element.tag not in _CELLS:
        element.tag = "template"
    return said


def _says(text: str) -> bool:
    """Whether a text has letters or digits: a mark that shows where a link leads says nothing."""
    return any(map(str.isalnum, text))


def _look(element: etree._Element, above: _Look, sheets: Sheets) -> _Look | None:
    """How an element's own letters look; None where nothing in it can be seen."""
    classes = (element.get("class") or "").split()
    if element.get("aria-hidden") == "true" or not _READ_ALOUD.isdisjoint(classes):
        return None
    style = _style(element, sheets)
    foreign = sheets.outer and not sheets.named.issuperset(classes)
    if not style:
        return above._replace(paper=None) if foreign else above
    variables = above.variables
    own = {name: value for name, value in style.items() if name.startswith("--")}
    if own:
        variables = {**variables, **own}
    style = {name: _resolved(value, variables) for name, value in style.items()}
    opacity = above.opacity * opacity_of(style)
    if opacity < _FAINTEST or is_gone(style):
        return None
    if foreign or _on_picture(element, style):
        above = above._replace(paper=None)
    ink = _ink(style, above)
    visibility = style.get("visibility", "inherit")
    return _Look(
        visible=above.visible if visibility == "inherit" else visibility in ("visible", "initial"),
        letters=_letters(style.get("font-size", ""), above.letters),
        ink=ink,
        paper=_paper(style, above, ink),
        opacity=opacity,
        variables=variables,
    )


def _style(element: etree._Element, sheets: Sheets) -> Style:
    """What holds of an element: its attributes, the rules for it and its inline style."""
    found = [
        rule
        for key in keys_of(element)
        for rule in sheets.rules.get(key, ())
        if is_for(rule.selector, element)
    ]
    inline = element.get("style") or ""
    style = _by_attributes(element)
    return style | merged(found, inline) if found or inline else style


def _by_attributes(element: etree._Element) -> Style:
    style: Style = {}
    if element.get("hidden") is not None:
        style["display"] = "none"
    ink = element.get("color" if element.tag == "font" else "text")
    if ink and element.tag in ("font", "body"):
        style["color"] = ink.strip().lower()
    elif element.tag == "a" and element.get("href"):
        style["color"] = "#00e"  # a link does not take the colour around it
    elif element.tag == "mark":
        style |= {"color": "#000", "background-color": "#ff0"}
    paper, picture = element.get("bgcolor"), element.get("background")
    if paper:
        style["background-color"] = paper.strip().lower()
    if picture:
        style["background-image"] = picture
    return style


def _resolved(value: str, variables: Mapping[str, str]) -> str:
    for _ in range(4):
        if "var(" not in value or len(value) > 1_000:
            break
        value = _VARIABLE.sub(lambda one: variables.get(one[1], (one[2] or "").strip()), value)
    return value


def _on_picture(element: etree._Element, style: Style) -> bool:
    """Whether it lies over a picture beside it."""
    if style.get("position") not in ("absolute", "fixed"):
        return False
    beside = (
        one
        for preceding in (True, False)
        for one in islice(element.itersiblings(preceding=preceding), 8)
    )
    return any(
        one.tag in PICTURES or any(inside.tag in PICTURES for inside in islice(one, 4))
        for one in beside
    )


def _ink(style: Style, above: _Look) -> Colour | None:
    said = style.get("-webkit-text-fill-color", style.get("color", "inherit"))
    if said in ("inherit", "unset", "currentcolor", ""):
        return above.ink
    cut_out = "text" in (style.get("background-clip"), style.get("-webkit-background-clip"))
    known = colour(said)
    if cut_out and (known is None or known.alpha < _FAINTEST):
        return None  # the letters show the background
    if known is None and said == style.get("background-color"):
        return _CLEAR
    return known


def _paper(style: Style, above: _Look, ink: Colour | None) -> Colour | None:
    if style.get("background-image", "none") not in ("none", "initial"):
        return None
    said = style.get("background-color", "")
    if not said and "dark" in style.get("color-scheme", ""):
        return None
    if said == "currentcolor":
        return ink
    if said in ("", "inherit", "initial", "unset"):
        return above.paper
    known = colour(said)
    if known is None or (above.paper is None and 0 < known.alpha < 1):
        return None
    return known.over(above.paper) if above.paper is not None else known if known.alpha else None


def _letters(value: str, above: float) -> float:
    if value in ("", "inherit", "unset"):
        return above
    found = size(value)
    if found is None:
        return _KEYWORDS.get(value, above if value in ("smaller", "larger") else 16.0)
    number, unit = found
    if unit in ("em", "%", "ex", "ch"):
        return above * number / (100 if unit == "%" else 1)
    return pixels(value) or 0.0
