"""The shapes of a slide in the order they are read, with where each stands."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.loaders.ooxml import DRAWING, MARKUP, Element

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
SHAPES = frozenset(P + name for name in ("sp", "grpSp", "graphicFrame", "pic", "cxnSp"))
TITLES = ("title", "ctrTitle")
EDGES = ("dt", "ftr", "hdr", "sldNum")
"""Dates, footers and numbers, which stand at the edge of a slide."""
_GROUP = f"{P}grpSp"
_SAME_LINE = 40  # parts of a slide's height


class Box(NamedTuple):
    """A rectangle in the slide's own units."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Whether the two share more than an edge."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Placed(NamedTuple):
    """A shape and where it stands on the slide; None where nothing says it."""

    shape: Element
    box: Box | None


class Frame(NamedTuple):
    """How the coordinates inside a group become those of the slide."""

    across: float = 1
    left: float = 0
    down: float = 1
    top: float = 0

    def placed(self, box: Box) -> Box:
        """A box of the group on the slide."""
        return Box(
            box.left * self.across + self.left,
            box.top * self.down + self.top,
            box.right * self.across + self.left,
            box.bottom * self.down + self.top,
        )


class Backdrop(NamedTuple):
    """The layout and the master behind a slide, the nearer one first."""

    layers: tuple[Element, ...] = ()

    def models(self, shape: Element) -> list[Element]:
        """The shapes that a placeholder takes its place and its looks from, the nearer first."""
        found: list[Element] = []
        wanted = placeholder(shape)
        for layer in self.layers:
            model = _model(layer, wanted) if wanted is not None else None
            if model is not None:
                found.append(model)
                wanted = placeholder(model)
        return found

    def ordered(self, slide: Element, *, height: float) -> list[Placed]:
        """All shapes of a slide that are no group: titles first, then as they stand."""
        tree = slide.find(f"{P}cSld/{P}spTree")
        found = list(self._ordered(tree, Frame(), height)) if tree is not None else []
        return sorted(found, key=lambda one: kind(one.shape) not in TITLES)

    def _ordered(self, tree: Element, frame: Frame, height: float) -> Iterator[Placed]:
        found = [Placed(shape, self._box(shape, frame)) for shape in shapes_in(tree)]
        for one in _by_lines(found, height / _SAME_LINE):
            if one.shape.tag == _GROUP and not switched_off(one.shape):
                yield from self._ordered(one.shape, _inner(one.shape, frame), height)
            else:
                yield one

    def _box(self, shape: Element, frame: Frame) -> Box | None:
        for one in (shape, *self.models(shape)):
            box = _own_box(one)
            if box is not None:
                return frame.placed(box) if one is shape else box
        return None


def shapes_in(tree: Element) -> Iterator[Element]:
    """The shapes right below a tree or a group, of two ways to store one the first."""
    for child in tree:
        if child.tag == f"{MARKUP}AlternateContent":
            yield from shapes_in(child[0] if len(child) else child)
        elif child.tag in SHAPES:
            yield child


def placeholder(shape: Element) -> Element | None:
    """What a shape says of the placeholder it fills."""
    return shape.find(f"./*/{P}nvPr/{P}ph")


def kind(shape: Element) -> str:
    """The kind of placeholder, such as ``title`` or ``body``; "" for any other shape."""
    found = placeholder(shape)
    return "" if found is None else found.get("type", "obj")


def switched_off(shape: Element) -> bool:
    """Whether the shape is hidden in the list of objects."""
    named = shape.find(f"./*/{P}cNvPr")
    return named is not None and named.get("hidden") in ("1", "true")


def _model(layer: Element, wanted: Element) -> Element | None:
    """A layer's placeholder of the same index, else of the same or the plainest kind."""
    of_kind = wanted.get("type", "obj")
    tree = layer.find(f"{P}cSld/{P}spTree")
    held = [] if tree is None else [(one, placeholder(one)) for one in shapes_in(tree)]
    marks = [(one, mark) for one, mark in held if mark is not None]
    if layer.tag == f"{P}sldLayout":
        by_index = (one for one, mark in marks if mark.get("idx", "0") == wanted.get("idx", "0"))
        found = next(by_index, None)
        if found is not None:
            return found
    plainest = () if of_kind in EDGES else ("body",)
    kinds = TITLES if of_kind in TITLES else (of_kind, *plainest)
    ranked = [one for name in kinds for one, mark in marks if mark.get("type", "obj") == name]
    return ranked[0] if ranked else None


def _own_box(shape: Element) -> Box | None:
    place = _placing(shape)
    return _rectangle(place, "off", "ext") if place is not None else None


def _placing(shape: Element) -> Element | None:
    own = shape.find(f"{P}xfrm")
    return shape.find(f"./*/{DRAWING}xfrm") if own is None else own


def _rectangle(place: Element, corner: str, size: str) -> Box | None:
    off, ext = place.find(DRAWING + corner), place.find(DRAWING + size)
    if off is None or ext is None:
        return None
    try:
        left, top = float(off.get("x", "0")), float(off.get("y", "0"))
        box = Box(left, top, left + float(ext.get("cx", "0")), top + float(ext.get("cy", "0")))
    except ValueError:
        return None
    return box if all(map(math.isfinite, box)) else None


def _inner(group: Element, frame: Frame) -> Frame:
    """The frame of a group's own shapes."""
    place = _placing(group)
    outer = _rectangle(place, "off", "ext") if place is not None else None
    inner = _rectangle(place, "chOff", "chExt") if place is not None else None
    if outer is None or inner is None or inner.right == inner.left or inner.bottom == inner.top:
        return frame
    on_slide = frame.placed(outer)
    across = (on_slide.right - on_slide.left) / (inner.right - inner.left)
    down = (on_slide.bottom - on_slide.top) / (inner.bottom - inner.top)
    return Frame(across, on_slide.left - inner.left * across, down, on_slide.top - inner.top * down)


def _by_lines(found: Sequence[Placed], near: float) -> list[Placed]:
    """From top to bottom; what begins at about one height from left to right."""
    somewhere = [(one.box, one) for one in found if one.box is not None]
    ordered: list[Placed] = []
    line: list[tuple[Box, Placed]] = []
    for box, one in sorted(somewhere, key=lambda pair: pair[0].top):
        if line and box.top > line[0][0].top + near:
            ordered += _across(line)
            line = []
        line.append((box, one))
    return ordered + _across(line) + [one for one in found if one.box is None]


def _across(line: Sequence[tuple[Box, Placed]]) -> list[Placed]:
    return [one for _, one in sorted(line, key=lambda pair: pair[0].left)]
