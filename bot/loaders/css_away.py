"""Whether a style takes an element, and all that stands in it, out of sight."""

import re

from bot.loaders.css_values import pixels, size
from bot.loaders.html_sheets import Style

_FAR = -400.0  # pixels
_FARTHER = -1_000.0  # a smaller margin may pull a column, or half of it, back to its place
_AWAY = dict.fromkeys(("left", "right", "top", "bottom", "inset", "text-indent"), _FAR) | {
    "margin-left": _FARTHER,
    "margin-top": _FARTHER,
}
_FAR_RIGHT = 5_000.0
_SCALED = re.compile(r"scale(?:[xy]|3d)?\(([^()]*)\)")
_EDGEWISE = re.compile(r"rotate[xy]\( ?-?(?:90deg|0?\.25turn)")
_SMALLEST = 0.1  # of its size
_PADDED = 10.0  # pixels that make room for letters
_MOVED = re.compile(r"translate(?:[xy]|3d)?\(([^()]*)\)")
_NOTHING = re.compile(
    r"inset\( ?(?:[5-9]\d|100)(?:\.\d+)?% ?(?:\)|[1-9])|(?:circle|ellipse)\( ?0(?:px|%)? ?[) ]"
    r"|polygon\((?:[ ,]|0(?:px|%)?(?=[ ,)]))*\)"
)
_HEIGHT = ("padding", "padding-top", "padding-bottom")
_WIDTH = ("padding", "padding-left", "padding-right")
_ROOM = {"height": _HEIGHT, "max-height": _HEIGHT, "width": _WIDTH, "max-width": _WIDTH}


def opacity_of(style: Style) -> float:
    """From 0, which is not seen, to 1."""
    found = size(style.get("opacity", "1"))
    own = 1.0 if found is None else found[0] / 100 if found[1] == "%" else found[0]
    filtered = re.search(r"opacity\( ?0?\.?0*%? ?\)", style.get("filter", ""))
    return 0.0 if filtered else min(max(own, 0.0), 1.0)


def is_gone(style: Style) -> bool:
    """Whether an element takes all that stands in it out of sight."""
    transform = style.get("transform", "")
    return (
        style.get("display") == "none"
        or style.get("content-visibility") == "hidden"
        or any(_is_away(style[side], far) for side, far in _AWAY.items() if side in style)
        or _is_shrunk(style.get("scale", ""))
        or any(_is_shrunk(scale[1]) for scale in _SCALED.finditer(transform))
        or _EDGEWISE.search(transform) is not None
        or any(_is_moved(move[1]) for move in _MOVED.finditer(transform))
        or _is_moved(style.get("translate", ""))
        or _is_clipped(style)
    )


def _is_away(value: str, far: float) -> bool:
    at = pixels(value.partition(" ")[0])
    if at is None or (far == _FARTHER and value.endswith("%")):
        return False
    return at <= far or at >= _FAR_RIGHT


def _is_shrunk(to: str) -> bool:
    scales = (size(scale) for scale in to.replace(",", " ").split()[:2])
    return any(
        abs(scale[0]) < _SMALLEST * (100 if scale[1] == "%" else 1) for scale in scales if scale
    )


def _is_moved(by: str) -> bool:
    moves = map(pixels, by.replace(",", " ").split())
    return any(move < _FAR or move >= _FAR_RIGHT for move in moves if move is not None)


def _is_clipped(style: Style) -> bool:
    sides = re.fullmatch(r"rect\((.*)\)", style.get("clip", ""))
    if sides:
        edges = [pixels(side) for side in sides[1].replace(",", " ").split()]
        if len(edges) == 4 and (_meet(edges[0], edges[2]) or _meet(edges[3], edges[1])):
            return True
    if _NOTHING.match(style.get("clip-path", "")):
        return True
    flow = " ".join(style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    if "hidden" not in flow and "clip" not in flow:
        return False
    return any(
        _is_at_most(style.get(name, ""), 1)
        and not any(_pads(style.get(side, "")) for side in sides)
        for name, sides in _ROOM.items()
        if name != "max-width" or "text-overflow" not in style  # a cell that shortens its text
    )


def _pads(value: str) -> bool:
    return any((pixels(one) or 0) >= _PADDED for one in value.split())


def _meet(one: float | None, other: float | None) -> bool:
    """Whether nothing, or no more than two pixels, lies between two edges."""
    return one is not None and other is not None and other - one <= 2


def _is_at_most(value: str, most: float) -> bool:
    length = pixels(value)
    return length is not None and length <= most
