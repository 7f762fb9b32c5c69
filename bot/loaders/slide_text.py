"""The paragraphs and tables of a slide's shapes, with their bullets and numbers."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bot.loaders.equations import MATH, linear
from bot.loaders.numerals import written
from bot.loaders.ooxml import DRAWING, MARKUP, Element, whole
from bot.loaders.symbols import aligned
from bot.loaders.word_lists import BULLET

_PIECES = frozenset(DRAWING + name for name in ("r", "fld", "br"))
_TINY = 150  # hundredths of a point
_BULLETS = ("buNone", "buChar", "buAutoNum", "buBlip")
_NUMBERS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "ea1ChsPlain": "chineseCounting",
    "ea1ChsPeriod": "chineseCounting",
    "circleNumDbPlain": "decimalEnclosedCircle",
}
_ENDS = {"Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")"), "Plain": ("", "")}

Hides = Callable[[Element], bool]
"""Whether letters with these run properties are not seen."""


class Spoken(NamedTuple):
    """A paragraph's text; ``listed`` when it has a bullet or a number."""

    text: str
    listed: bool


class Reading(NamedTuple):
    """A shape's text as it is seen, and whether some of it is not."""

    lines: list[Spoken]
    hid: bool


def read(body: Element, styles: Sequence[Element], hides: Hides) -> Reading:
    """The paragraphs of a text body. ``styles`` are list styles, the nearest first."""
    counts: dict[int, tuple[str, int]] = {}
    lines: list[Spoken] = []
    hid = False
    for paragraph in body.findall(f"{DRAWING}p"):
        properties = paragraph.find(f"{DRAWING}pPr")
        level = _level(properties)
        chain = [one for one in (properties, *_levels(styles, level)) if one is not None]
        text, hidden = _text(paragraph, chain, hides)
        hid = hid or hidden
        if text.strip():
            label = _label(chain, level, counts)
            lines.append(Spoken(label + text.strip(), bool(label)))
    return Reading(lines, hid)


def rows(table: Element, hides: Hides) -> tuple[list[list[str]], bool]:
    """The cells of each row of a table, merged ones once, and whether text in it is not seen."""
    found: list[list[str]] = []
    hid = False
    for row in table.findall(f"{DRAWING}tr"):
        cells: list[str] = []
        for cell in row.findall(f"{DRAWING}tc"):
            text, hidden = ("", False) if _continues(cell) else _cell(cell, hides)
            cells.append(text)
            hid = hid or hidden
        found.append(cells)
    return found, hid


def _continues(cell: Element) -> bool:
    """Whether a cell is part of one to its left or above it; it keeps its column, empty."""
    return any(cell.get(name) in ("1", "true") for name in ("hMerge", "vMerge"))


def _cell(cell: Element, hides: Hides) -> tuple[str, bool]:
    body = cell.find(f"{DRAWING}txBody")
    if body is None:
        return "", False
    reading = read(body, (), hides)
    text = " ".join(one.text for one in reading.lines)
    return text.replace("\n", " ").replace("\t", " "), reading.hid


def _text(paragraph: Element, chain: Sequence[Element], hides: Hides) -> tuple[str, bool]:
    pieces: list[str] = []
    hid = False
    for piece in _pieces(paragraph):
        if piece.tag == f"{DRAWING}br":
            pieces.append("\n")
        elif piece.tag.startswith(MATH):
            pieces.append(linear(piece))
        else:
            text = (piece.findtext(f"{DRAWING}t") or "").replace("\v", "\n")
            properties = piece.find(f"{DRAWING}rPr")
            hidden = _unseen(properties, chain, hides)
            hid = hid or (hidden and bool(text.strip()))
            pieces.append("" if hidden else aligned(text, _height(properties)))
    return "".join(pieces), hid


def _height(properties: Element | None) -> int:
    """1 for letters above the line, -1 for those below."""
    said = properties.get("baseline", "0") if properties is not None else "0"
    return -1 if said.startswith("-") else int(said.strip("0%.") != "")


def _pieces(element: Element) -> Iterator[Element]:
    """Runs, fields, line breaks and equations in order."""
    for child in element:
        if child.tag in _PIECES or child.tag.startswith(MATH):
            yield child
        elif child.tag == f"{MARKUP}AlternateContent":
            yield from _pieces(child[0] if len(child) else child)
        elif child.tag.endswith("/main}m"):  # what PowerPoint wraps an equation in
            yield from _pieces(child)


def _unseen(properties: Element | None, chain: Sequence[Element], hides: Hides) -> bool:
    defaults = (one.find(f"{DRAWING}defRPr") for one in chain)
    sizes = (one.get("sz") for one in (properties, *defaults) if one is not None)
    size = next((size for size in sizes if size), "")
    tiny = whole(size, _TINY + 1) <= _TINY
    return tiny or (properties is not None and hides(properties))


def _level(properties: Element | None) -> int:
    return min(whole(properties.get("lvl"), 0), 8) if properties is not None else 0


def _levels(styles: Sequence[Element], level: int) -> Iterator[Element | None]:
    return (style.find(f"{DRAWING}lvl{level + 1}pPr") for style in styles)


def _label(chain: Sequence[Element], level: int, counts: dict[int, tuple[str, int]]) -> str:
    """The bullet or the number of the next paragraph; empty where it has none that is known."""
    marks = (one.find(DRAWING + name) for one in chain for name in _BULLETS)
    mark = next((one for one in marks if one is not None), None)
    for deeper in [one for one in counts if one > level]:
        del counts[deeper]
    if mark is None or not mark.tag.endswith("buAutoNum"):
        counts.pop(level, None)
        return "" if mark is None or mark.tag.endswith("buNone") else f"{BULLET} "
    style, start = mark.get("type", ""), mark.get("startAt", "1")
    first = whole(start, 1)
    before = counts.get(level)
    number = before[1] + 1 if before and before[0] == f"{style}{start}" else first
    counts[level] = (f"{style}{start}", number)
    return _numbered(number, style)


def _numbered(number: int, style: str) -> str:
    ending = next((end for end in _ENDS if style.endswith(end)), "")
    name = _NUMBERS.get(style) or _NUMBERS.get(style.removesuffix(ending), "")
    sign = written(number, name)
    before, after = _ENDS.get(ending, ("", ""))
    return f"{before}{sign}{after} " if sign else ""
