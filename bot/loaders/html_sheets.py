"""A page's own style sheets as rules: which elements each is for, and what it says of them.

Kept is only what decides whether text can be seen. What needs a whole browser is not known here:
sheets that stand elsewhere, scripts, most pseudo-classes, and rules for some screens only.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from lxml import etree

from bot.loaders.html_selectors import Selector, key_of, selector_of

Style = dict[str, str]
"""Property to value in lower case, each run of spaces as one."""

_NAMES = (
    "background-color background-image background-clip -webkit-background-clip bottom clip "
    "clip-path color color-scheme content-visibility display filter font-size height "
    "inset left margin margin-left margin-top max-height max-width opacity overflow overflow-x "
    "overflow-y padding padding-bottom padding-top padding-left position right scale text-indent "
    "text-overflow top transform translate visibility -webkit-text-fill-color width"
)
_DECIDING = frozenset(_NAMES.split())
_STRAY = re.compile(r"""/\*.*?(?:\*/|\Z)|<!--|-->|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
_WORD = re.compile(r"[^\s,/()]+(?:\((?:[^()]|\([^()]*\))*\)?)?")
_ABOUT_PICTURE = re.compile(
    r"none|(?:no-)?repeat(?:-[xy])?|space|round|scroll|fixed|local|center|left|right|top|bottom"
    r"|cover|contain|auto|(?:border|padding|content)-box|text|[+-]?[\d.]+[a-z%]*|calc\(.*"
)
_FONT_SIZE = re.compile(r"(?:\A|\s)(0|\d*\.?\d+(?:px|pt|r?em|%))(?=[\s/])")
_MARKS = re.compile(r"[{};,>+~]")
_BRACE = re.compile(r"[{};]")
_COMMA = re.compile(r",(?![^(\[]{0,200}[)\]])")  # none in brackets
_ESCAPED = re.compile(r"\\([0-9a-f]{1,6})\s?|\\(.)", re.I | re.S)
_WIDTH = re.compile(r"\((min|max)-width\s*:\s*(\d+(?:\.\d+)?)\s*(px|r?em|)\)")
_PHONE, _DESK = 400, 1_280  # pixels of a screen's width
_MOST = 20_000  # rules of a page
_DEEPEST = 8  # blocks that the end of a sheet closes
_IMPORTANT = "!important"


class Rule(NamedTuple):
    """``last`` is its place in the sheets; of two rules as specific, the later one holds."""

    selector: Selector
    plain: Style
    important: Style
    last: int


class Sheets(NamedTuple):
    """The rules by what their elements must have: a tag, ``.class``, ``#id`` or nothing.

    ``named`` are the classes the rules speak of; ``outer`` says whether other sheets may.
    """

    rules: Mapping[str, Sequence[Rule]]
    named: frozenset[str]
    outer: bool


def sheets_of(page: etree._Element) -> Sheets:
    """The rules of the page's style elements that hold on every screen."""
    rules: defaultdict[str, list[Rule]] = defaultdict(list)
    named: set[str] = set()
    outer = any("stylesheet" in (link.get("rel") or "").lower() for link in page.iter("link"))
    for at, (selectors, declared) in enumerate(_all(page)):
        outer = outer or selectors.startswith("@import")
        plain, important = declarations(declared)
        for one in _COMMA.split(selectors) if plain or important else ():
            selector = selector_of(one.strip())
            if selector is not None and at < _MOST:
                rules[key_of(selector)].append(Rule(selector, plain, important, at))
        named.update(re.findall(r"\.([\w-]+)", selectors))
    return Sheets(rules, frozenset(named), outer)


def declarations(style: str) -> tuple[Style, Style]:
    """What a style says, and what of it overrules everything else."""
    plain: Style = {}
    important: Style = {}
    for declaration in _bare(style).split(";"):
        name, _, value = unescaped(declaration).lower().partition(":")
        name, value = name.strip(), " ".join(value.split())
        weighty = value.replace(" ", "").endswith(_IMPORTANT)
        value = value.partition("!")[0].strip()
        into = important if weighty else plain
        if name in _DECIDING or name.startswith("--"):
            into[name] = value
        elif name == "background":
            into |= _background(value)
        elif name == "font" and (found := _FONT_SIZE.search(value)):
            into["font-size"] = found[1]
    return plain, important


def _background(value: str) -> Style:
    """A background's colour and picture; what is no known word about a picture is its colour."""
    words = [one for one in _WORD.findall(value) if not _ABOUT_PICTURE.fullmatch(one)]
    pictures = [one for one in words if one.startswith("url(") or "gradient(" in one]
    colours = [one for one in words if one not in pictures]
    return {
        "background-color": colours[0] if colours else "transparent",
        "background-image": pictures[0] if pictures else "none",
    }


def unescaped(text: str) -> str:
    """CSS with its escapes resolved."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda found: found[2] or chr(min(int(found[1], 16), 0x10FFFF)), text)


def _all(page: etree._Element) -> Iterator[tuple[str, str]]:
    for sheet in page.iter("style"):
        shown = next(sheet.iterancestors("noscript"), None) is None
        if shown and _everywhere(sheet.get("media", "").lower()):
            yield from _blocks(_bare("".join(map(str, sheet.itertext()))))


def _bare(css: str) -> str:
    """Without comments, and with nothing in a string that could be taken for a mark."""
    return _STRAY.sub(lambda found: _MARKS.sub("_", found[0]) if found[0][0] in "\"'" else " ", css)


def _blocks(css: str) -> Iterator[tuple[str, str]]:
    """Each rule's selectors and declarations; a rule in a rule is for what stands inside."""
    around: list[str | None] = [
        ""
    ]  # the selectors of the open blocks; None in one that is left out
    said: list[list[str]] = [[]]
    last = 0
    for mark in _BRACE.finditer(css + "}" * _DEEPEST):
        piece, last = css[last : mark.start()].strip(), mark.end()
        if mark[0] == "{":
            around.append(_within(around[-1], piece))
            said.append([])
            continue
        if piece.startswith("@import"):
            yield piece, ""
        said[-1].append(piece)
        if mark[0] == "}" and len(around) > 1:
            selectors, style = around.pop(), ";".join(said.pop())
            if selectors:
                yield selectors, style


def _within(outer: str | None, piece: str) -> str | None:
    if outer is None:
        return None
    if piece.startswith("@"):
        return outer if _holds(piece.lower()) else None
    if not outer:
        return piece
    return ",".join(
        one.replace("&", above) if "&" in one else f"{above} {one}"
        for one in _COMMA.split(piece)[:4]
        for above in _COMMA.split(outer)[:4]
    )


def _holds(rule: str) -> bool:
    name = re.match(r"@[\w-]*", rule)[0]  # type: ignore[index] # it begins with the mark
    condition = rule[len(name) :].strip()
    if name == "@media":
        return _everywhere(condition)
    return name == "@layer" or (name == "@supports" and not condition.startswith("not"))


def _everywhere(media: str) -> bool:
    """Whether what is said of media holds for a phone's screen and a desk's."""
    return any(map(_on_all, media.split(",")))


def _on_all(query: str) -> bool:
    for edge, size, unit in _WIDTH.findall(query):
        width = float(size) * (16 if "em" in unit else 1)
        if (width > _PHONE) if edge == "min" else (width < _DESK):
            return False
    rest = _WIDTH.sub("", query).split()
    return set(rest) <= {"only", "screen", "all", "and"}


def merged(found: Iterable[Rule], inline: str) -> Style:
    """What holds of one element: of rules as weighty the more specific, then the later one."""
    ordered = sorted(found, key=lambda rule: (rule.selector.weight, rule.last))
    plain, important = declarations(inline) if inline else ({}, {})
    style: Style = {}
    for declared in (
        *(rule.plain for rule in ordered),
        plain,
        *(rule.important for rule in ordered),
        important,
    ):
        style |= declared
    return style
