"""The words of a PDF page: what they say, where they stand, how they are drawn."""

import ctypes
import re
from collections.abc import Callable, Iterator
from math import atan2, degrees, hypot
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from bot.loaders.pdf_boxes import Box, around
from bot.loaders.pdf_glyphs import glyph

_HYPHENS = "\x02\ufffe"  # what pdfium gives for a hyphen that ends a line
_WORD = re.compile(f"[{_HYPHENS}]|[^\\s{_HYPHENS}]+")
_ALEF_LAM = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
_BOLD = re.compile(rb"bold|black|heavy|simhei|cmbx", re.IGNORECASE)
_BOLD_WEIGHT = 600
_NARROWEST = 0.05


class Style(NamedTuple):
    """How one text object is drawn: ``size`` in points, ``angle`` in degrees, ``mode`` as PDF's Tr.

    ``colour`` is red, green, blue and opacity, 0 to 255 each; ``drawable`` tells whether the
    font comes with the file; ``layered`` whether it belongs to optional content.
    """

    address: int
    size: float
    angle: int
    mode: int
    colour: tuple[int, int, int, int]
    bold: bool
    drawable: bool
    layered: bool


class Mark(NamedTuple):
    """One character or more of one text object, ``box`` in the page's own coordinates.

    ``number`` is pdfium's of the first; ``spaced``: a blank stands before, ``ended``: one that
    ends a line.
    """

    text: str
    number: int
    style: Style
    box: Box
    spaced: bool
    ended: bool


def marks(textpage: Any, *, fine: Callable[[Style], bool]) -> Iterator[Mark | None]:
    """What is printed, in pdfium's order; None for a hyphen that ends a line.

    A mark is a word, or one character where its style is ``fine`` or changes within the word.
    """
    styles = _Styles(textpage)
    text = _text(textpage)
    end = 0
    for word in _WORD.finditer(text):
        start, before = word.start(), text[end : word.start()]
        spaced, ended = bool(before), "\n" in before or "\r" in before
        end = word.end()
        if word[0] in _HYPHENS:
            yield None
            continue
        for first, last in _stretches(styles, start, end, fine=fine):
            style, said = styles.of(first), _said(_turned_back(textpage, first, text[first:last]))
            if style is not None and said:
                box = around(_loose_box(textpage, first), _loose_box(textpage, last - 1))
                yield Mark(said, first, style, box, spaced, ended)
                spaced = ended = False


def _text(textpage: Any) -> str:
    """All that pdfium has, a character each of its numbers."""
    count = pdfium.FPDFText_CountChars(textpage)
    room = (ctypes.c_ushort * (count + 1))()
    if pdfium.FPDFText_GetText(textpage, 0, count, room) == count + 1:
        return "".join(map(chr, room[:count]))
    return "".join(chr(pdfium.FPDFText_GetUnicode(textpage, n)) for n in range(count))


def _turned_back(textpage: Any, first: int, text: str) -> str:
    """A word with its ligatures of lam and alef in the order of their letters.

    Such a ligature is one glyph, so its letters share a box, and pdfium turns their order.
    """
    for found in _ALEF_LAM.finditer(text):
        start = found.start()
        if _loose_box(textpage, first + start) == _loose_box(textpage, first + start + 1):
            text = text[:start] + text[start + 1] + text[start] + text[start + 2 :]
    return text


def _said(text: str) -> str:
    """What is to be read of a word as pdfium has it."""
    if text.isascii() and text.isprintable():
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(glyph(ord(char)) for char in whole)


def _stretches(
    styles: "_Styles", start: int, end: int, *, fine: Callable[[Style], bool]
) -> Iterator[tuple[int, int]]:
    """The parts of a word that are looked at by themselves."""
    style = styles.of(start)
    if style is not None and style is styles.of(end - 1) and not fine(style):
        yield start, end
        return
    for number in range(start, end):
        yield number, number + 1


def _loose_box(textpage: Any, number: int) -> Box:
    rect = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(textpage, number, rect)
    return rect.left, rect.bottom, rect.right, rect.top


class _Styles:
    """The styles of a page's characters, each text object looked at once."""

    def __init__(self, textpage: Any) -> None:
        self._textpage = textpage
        self._styles: dict[int, Style] = {}
        self._fonts: dict[int, tuple[bool, bool]] = {}

    def of(self, number: int) -> Style | None:
        """The style of a character; None for one that stands in no text object."""
        pointer = pdfium.FPDFText_GetTextObject(self._textpage, number)
        if not pointer:
            return None
        address = ctypes.addressof(pointer.contents)
        found = self._styles.get(address)
        if found is None:
            found = self._styles[address] = self._new(number, pointer, address)
        return found

    def _new(self, number: int, pointer: Any, address: int) -> Style:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._textpage, number, matrix)
        size = pdfium.FPDFText_GetFontSize(self._textpage, number) * hypot(matrix.c, matrix.d)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(pointer)
        bold, drawable = self._font(pointer)
        return Style(
            address=address,
            size=max(abs(size), _NARROWEST),
            angle=_angle(matrix.a, matrix.b),
            mode=mode,
            colour=_colour(self._textpage, number, stroked=mode in (1, 2, 5, 6)),
            bold=bold,
            drawable=drawable,
            layered=_layered(pointer),
        )

    def _font(self, pointer: Any) -> tuple[bool, bool]:
        """Whether the font of a text object is bold, and whether it comes with the file."""
        font = pdfium.FPDFTextObj_GetFont(pointer)
        if not font:
            return False, False
        address = ctypes.addressof(font.contents)
        if address not in self._fonts:
            embedded = pdfium.FPDFFont_GetIsEmbedded(font) == 1
            self._fonts[address] = _is_bold(font), embedded
        return self._fonts[address]


def _angle(a: float, b: float) -> int:
    """Whole degrees, 0 to 359; what is almost upright is upright."""
    angle = round(degrees(atan2(b, a))) % 360
    upright = round(angle / 90) * 90
    return upright % 360 if abs(angle - upright) <= 5 else angle


def _colour(textpage: Any, index: int, *, stroked: bool) -> tuple[int, int, int, int]:
    ask = pdfium.FPDFText_GetStrokeColor if stroked else pdfium.FPDFText_GetFillColor
    parts = [ctypes.c_uint() for _ in range(4)]
    if not ask(textpage, index, *parts):
        return 0, 0, 0, 255
    red, green, blue, opacity = (part.value for part in parts)
    return red, green, blue, opacity


def _is_bold(font: Any) -> bool:
    room = ctypes.create_string_buffer(128)
    pdfium.FPDFFont_GetBaseFontName(font, room, 128)
    heavy = pdfium.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT
    return heavy or _BOLD.search(room.value) is not None


def _layered(pointer: Any) -> bool:
    """Whether the object stands between the marks of optional content."""
    room = (ctypes.c_ushort * 16)()
    length = ctypes.c_ulong()
    for number in range(max(0, pdfium.FPDFPageObj_CountMarks(pointer))):
        mark = pdfium.FPDFPageObj_GetMark(pointer, number)
        pdfium.FPDFPageObjMark_GetName(mark, room, ctypes.sizeof(room), length)
        if list(room[:3]) == [ord("O"), ord("C"), 0]:
            return True
    return False
