"""Which characters of a PDF page a reader sees: by how they are drawn, in doubt by drawing them.

Text can be hidden in more ways than there are rules: white on white, covered, in a layer that is
off, cut away. So a page that gives cause for doubt is drawn twice, with and without the doubtful
text, and what makes no difference to the picture is hidden.
"""

import ctypes
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from bot.loaders.pdf_boxes import Box
from bot.loaders.pdf_page import Mark, Style

_TINY = 1.5  # points
_TINY_BOX = 2.2  # points; the box of a font is higher than its size
_FAINT = 25  # of 255; less opacity is as good as none
_PALE = 225  # of 255; a colour with no part below may be that of the paper
_CONTRAST = 24  # of 255
_UNSEEN = (3, 7)  # render modes that paint nothing
_ASTRAY = 6.0  # points
_PIXELS = 4_000_000
_COMPARED = 300_000  # texts with what may cover them, on one page
_THICK = 3.0  # points; what is thinner covers nothing
_RECTANGLE = 6  # segments; so many are a line or a rectangle
_INVOLVED = 2_000  # segments; more are no rules
_DEPTH = 4  # of forms inside forms
_SIMPLE = 0x250  # every machine has letters below to draw
_DARKER = bytes(1 if level < _PALE - _CONTRAST else 0 for level in range(256))


class Scenery(NamedTuple):
    """What else is on a page. ``inside`` are addresses of text objects within forms."""

    texts: tuple[Any, ...]
    inside: frozenset[int]
    pictures: tuple[Box, ...]
    covered: bool
    drawings: tuple[Box, ...]


def scenery(page: Any) -> Scenery:
    """Look at all objects of a page, those within forms too."""
    texts: list[Any] = []
    inside: set[int] = set()
    pictures: list[Box] = []
    covers = _Covers()
    drawings: list[Box] = []
    for thing, depth in _things(page):
        kind = pdfium.FPDFPageObj_GetType(thing)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            texts.append(thing)
            if depth:
                inside.add(ctypes.addressof(thing.contents))
            continue
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            drawings += _drawn(thing)
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            pictures.append(_bounds(thing))
        covers.look(thing, kind, texts, in_form=depth > 0)
    return Scenery(tuple(texts), frozenset(inside), tuple(pictures), covers.found, tuple(drawings))


class _Covers:
    """Whether anything is painted over text that was there before."""

    def __init__(self) -> None:
        self.found = False
        self._middles: list[tuple[float, float]] = []
        self._left = _COMPARED

    def look(self, thing: Any, kind: int, texts: Sequence[Any], *, in_form: bool) -> None:
        """Compare an object with the texts before it; in doubt it covers them."""
        if self.found or not texts or not _paints_an_area(thing, kind):
            return
        for text in texts[len(self._middles) :]:
            left, bottom, right, top = _bounds(text)
            self._middles.append(((left + right) / 2, (bottom + top) / 2))
        self._left -= len(texts)
        left, bottom, right, top = _bounds(thing)
        self.found = (
            in_form  # where what is in a form stands on the page is not known
            or self._left < 0
            or any(left <= x <= right and bottom <= y <= top for x, y in self._middles)
        )


def _things(page: Any) -> Iterator[tuple[Any, int]]:
    for number in range(pdfium.FPDFPage_CountObjects(page)):
        yield from _unfolded(pdfium.FPDFPage_GetObject(page, number), 0)


def _unfolded(thing: Any, depth: int) -> Iterator[tuple[Any, int]]:
    yield thing, depth
    if depth < _DEPTH and pdfium.FPDFPageObj_GetType(thing) == pdfium.FPDF_PAGEOBJ_FORM:
        for number in range(pdfium.FPDFFormObj_CountObjects(thing)):
            yield from _unfolded(pdfium.FPDFFormObj_GetObject(thing, number), depth + 1)


def _paints_an_area(thing: Any, kind: int) -> bool:
    """Whether what came before the object may be under it."""
    if kind == pdfium.FPDF_PAGEOBJ_FORM:
        return False  # what is inside is looked at by itself
    if kind == pdfium.FPDF_PAGEOBJ_PATH:
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDFPath_GetDrawMode(thing, fill, stroke)
        if fill.value == pdfium.FPDF_FILLMODE_NONE:
            return False
    left, bottom, right, top = _bounds(thing)
    return right - left >= _THICK and top - bottom >= _THICK


def _drawn(path: Any) -> list[Box]:
    """The boxes of the straight lines and of the rectangle that a path is made of."""
    count = pdfium.FPDFPath_CountSegments(path)
    if count <= _RECTANGLE or count > _INVOLVED:
        return [_bounds(path)]
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(path, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    ends: list[tuple[float, float]] = []
    boxes: list[Box] = []
    for number in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, number)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        end = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if ends and pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_LINETO:
            (left, right), (low, high) = (sorted(pair) for pair in zip(ends[-1], end, strict=True))
            boxes.append((left, low, right, high))
        ends.append(end)
    return [box for box in boxes if min(box[2] - box[0], box[3] - box[1]) < 1.0]


def _bounds(thing: Any) -> Box:
    sides = [ctypes.c_float() for _ in range(4)]
    pdfium.FPDFPageObj_GetBounds(thing, *sides)
    left, bottom, right, top = (side.value for side in sides)
    return left, bottom, right, top


class Sight:
    """What can be seen of one page. ``bounds`` is the part of the page that is shown."""

    def __init__(self, page: Any, textpage: Any, bounds: Box) -> None:
        self._page = page
        self._textpage = textpage
        self.bounds = bounds
        self.scene = scenery(page)

    def needs_care(self, style: Style) -> bool:
        """Whether each character so drawn must be looked at by itself."""
        if style.mode in _UNSEEN:
            return False
        return style.layered or self._is_pale(style) or self._doubtful(style)

    def shows(self, mark: Mark) -> bool:
        """Whether a reader of the page sees what is marked."""
        style = mark.style
        height = mark.box[3] - mark.box[1]
        if style.size <= _TINY and height <= _TINY_BOX:
            return False
        if not _within(mark.box, self.bounds) or style.colour[3] <= _FAINT:
            return False
        if style.mode in _UNSEEN:
            return self._is_read_in_a_picture(mark)
        if style.layered or self._is_pale(style):
            return self._is_drawn(mark) and not (self._is_pale(style) and self._is_on_pale(mark))
        if not self._doubtful(style):
            return True
        can_be_drawn = style.drawable or all(ord(char) < _SIMPLE for char in mark.text)
        return not can_be_drawn or self._is_drawn(mark)

    def _doubtful(self, style: Style) -> bool:
        return self.scene.covered or style.address in self.scene.inside

    def _is_pale(self, style: Style) -> bool:
        return min(style.colour[:3]) >= _PALE

    def _is_drawn(self, mark: Mark) -> bool:
        """Whether the picture is another without the text of the page."""
        rows = self._rows(self._difference, self._tight(mark.number))
        return any(row.count(0) < len(row) for row in rows)

    def _is_on_pale(self, mark: Mark) -> bool:
        """Whether most of what is behind the character is as pale as it is."""
        rows = [row.translate(_DARKER) for row in self._rows(self._bare, mark.box)]
        return 2 * sum(row.count(1) for row in rows) < sum(map(len, rows))

    def _is_read_in_a_picture(self, mark: Mark) -> bool:
        """Whether unpainted text lies over a picture's ink, as text recognition leaves it."""
        if not any(_within(mark.box, picture) for picture in self.scene.pictures):
            return False
        left, bottom, right, top = mark.box  # recognised letters do not stand exactly on the ink
        near = (left - _ASTRAY, bottom - _ASTRAY, right + _ASTRAY, top + _ASTRAY)
        levels = b"".join(self._rows(self._bare, near))
        return bool(levels) and max(levels) - min(levels) >= _CONTRAST

    def _tight(self, index: int) -> Box:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        pdfium.FPDFText_GetCharBox(self._textpage, index, left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value

    def _rows(self, picture: bytes, box: Box) -> Iterator[bytes]:
        left, bottom, right, top = box
        across = (round((left - self.bounds[0]) * self._scale), self._width)
        down = (round((self.bounds[3] - top) * self._scale), self._height)
        first, last = _clamped(across, round((right - self.bounds[0]) * self._scale))
        upper, lower = _clamped(down, round((self.bounds[3] - bottom) * self._scale))
        for line in range(upper, lower):
            yield picture[line * self._width + first : line * self._width + last]

    @cached_property
    def _scale(self) -> float:
        left, bottom, right, top = self.bounds
        return min(2.0, sqrt(_PIXELS / max((right - left) * (top - bottom), 1.0)))

    @cached_property
    def _width(self) -> int:
        return max(1, min(_PIXELS, round((self.bounds[2] - self.bounds[0]) * self._scale)))

    @cached_property
    def _height(self) -> int:
        height = round((self.bounds[3] - self.bounds[1]) * self._scale)
        return max(1, min(_PIXELS // self._width, height))

    @cached_property
    def _full(self) -> bytes:
        return self._picture()

    @cached_property
    def _bare(self) -> bytes:
        """The page without any text."""
        for thing in self.scene.texts:
            pdfium.FPDFPageObj_SetIsActive(thing, False)
        picture = self._picture()
        for thing in self.scene.texts:
            pdfium.FPDFPageObj_SetIsActive(thing, True)
        return picture

    @cached_property
    def _difference(self) -> bytes:
        """Where the text makes a difference to the page, a byte that is not zero."""
        one = int.from_bytes(self._full, "little") ^ int.from_bytes(self._bare, "little")
        return one.to_bytes(len(self._full), "little")

    def _picture(self) -> bytes:
        """The page in grey on white, unturned, a byte a pixel."""
        width, height = self._width, self._height
        pixels = ctypes.create_string_buffer(width * height)
        bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_Gray, pixels, width)
        try:
            pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
            turns = -pdfium.FPDFPage_GetRotation(self._page) % 4
            pdfium.FPDF_RenderPageBitmap(
                bitmap, self._page, 0, 0, width, height, turns, pdfium.FPDF_GRAYSCALE
            )
        finally:
            pdfium.FPDFBitmap_Destroy(bitmap)
        return pixels.raw


def _clamped(first: tuple[int, int], last: int) -> tuple[int, int]:
    """A range of at least one pixel inside the picture."""
    start, most = first
    start = min(max(start, 0), most - 1)
    return start, min(max(last, start + 1), most)


def _within(box: Box, bounds: Box) -> bool:
    """Whether the middle of ``box`` lies inside ``bounds``."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return bounds[0] <= x <= bounds[2] and bounds[1] <= y <= bounds[3]
