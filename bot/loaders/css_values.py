"""Sizes and colours as a style sheet writes them."""

import colorsys
import re
from typing import NamedTuple

_SIZE = re.compile(r"([+-]?\d*\.?\d+(?:e[+-]?\d{1,2})?)(px|pt|pc|cm|mm|in|em|rem|ex|ch|vw|vh|%|)")
_PIXELS = {
    "": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "cm": 37.8, "mm": 3.78, "in": 96.0, "em": 16.0,
    "rem": 16.0, "ex": 8.0, "ch": 8.0, "vw": 12.8, "vh": 8.0, "%": 4.0,
}  # fmt: skip
_FUNCTION = re.compile(r"(rgba?|hsla?|hwb)\(([^()]*)\)")
_LIGHTEST = re.compile(r"(?:lab|lch)\( ?100%? |ok(?:lab|lch)\( ?(?:100%|1(?:\.0+)?|0?\.99\d*) ")
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_NAMES = {
    "white": "#fff", "snow": "#fffafa", "ivory": "#fffff0", "ghostwhite": "#f8f8ff",
    "floralwhite": "#fffaf0", "mintcream": "#f5fffa", "azure": "#f0ffff", "honeydew": "#f0fff0",
    "aliceblue": "#f0f8ff", "seashell": "#fff5ee", "whitesmoke": "#f5f5f5", "canvas": "#fff",
    "lightyellow": "#ffffe0", "black": "#000", "canvastext": "#000", "gray": "#808080",
    "grey": "#808080", "silver": "#c0c0c0", "red": "#f00", "green": "#008000", "lime": "#0f0",
    "blue": "#00f", "navy": "#000080", "yellow": "#ff0", "orange": "#ffa500", "purple": "#800080",
    "maroon": "#800000", "olive": "#808000", "teal": "#008080", "aqua": "#0ff", "cyan": "#0ff",
    "fuchsia": "#f0f", "magenta": "#f0f", "lightgray": "#d3d3d3", "lightgrey": "#d3d3d3",
    "darkgray": "#a9a9a9", "gainsboro": "#dcdcdc", "transparent": "#0000", "initial": "#000",
}  # fmt: skip


class Colour(NamedTuple):
    """Red, green and blue from 0 to 255; ``alpha`` from 0, which is not seen at all, to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, paper: "Colour") -> "Colour":
        """How it looks on something that is not seen through."""
        red, green, blue = (
            mine * self.alpha + below * (1 - self.alpha)
            for mine, below in zip(self[:3], paper[:3], strict=True)
        )
        return Colour(red, green, blue)

    def is_near(self, other: "Colour") -> bool:
        """Whether an eye could hardly tell them apart."""
        return max(abs(one - two) for one, two in zip(self[:3], other[:3], strict=True)) <= _APART


WHITE = Colour(255, 255, 255)
BLACK = Colour(0, 0, 0)
_APART = 16  # of 255, in the colour that differs most


def size(value: str) -> tuple[float, str] | None:
    """A length as a number with its unit."""
    found = _SIZE.fullmatch(value)
    return (float(found[1]), found[2]) if found else None


def pixels(value: str) -> float | None:
    """A length in pixels; what depends on the screen or on letters is guessed."""
    found = size(value)
    return found[0] * _PIXELS[found[1]] if found else None


def colour(value: str) -> Colour | None:
    """A colour; None for what is none or is not known here."""
    value = _NAMES.get(value, value)
    if _HEX.fullmatch(value):
        return _hex(value[1:])
    if _LIGHTEST.match(value):
        return WHITE
    found = _FUNCTION.fullmatch(value)
    if found is None:
        return None
    parts = re.split(r"[\s,/]+", found[2].replace("deg", "").strip())
    known = [one for one in map(size, parts) if one is not None]
    if len(known) != len(parts) or len(known) not in (3, 4):
        return None
    alpha = _share(known[3], 1) if len(known) == 4 else 1.0
    made = {"r": _rgb, "s": _hsl, "w": _hwb}["r" if found[1][0] == "r" else found[1][1]]
    return made(known)._replace(alpha=alpha)


def _hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(one * 2 for one in digits)
    red, green, blue, *alpha = bytes.fromhex(digits)
    return Colour(red, green, blue, alpha[0] / 255 if alpha else 1.0)


def _share(number: tuple[float, str], whole: float) -> float:
    value, unit = number
    return min(max(value / 100 if unit == "%" else value / whole, 0.0), 1.0)


def _rgb(parts: list[tuple[float, str]]) -> Colour:
    red, green, blue = (255 * _share(one, 255) for one in parts[:3])
    return Colour(red, green, blue)


def _hsl(parts: list[tuple[float, str]]) -> Colour:
    hue, saturation, light = parts[0][0] / 360, _share(parts[1], 100), _share(parts[2], 100)
    red, green, blue = colorsys.hls_to_rgb(hue, light, saturation)
    return Colour(255 * red, 255 * green, 255 * blue)


def _hwb(parts: list[tuple[float, str]]) -> Colour:
    white, black = _share(parts[1], 100), _share(parts[2], 100)
    pure = colorsys.hls_to_rgb(parts[0][0] / 360, 0.5, 1.0)
    total = max(white + black, 1.0)
    red, green, blue = (255 * (one * (1 - (white + black) / total) + white / total) for one in pure)
    return Colour(red, green, blue)
