"""Words of a PDF page put together as runs, which nothing parts."""

import ctypes
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from bot.loaders.pdf_boxes import Box, apart, around, turned
from bot.loaders.pdf_page import Mark

_NEAR = 0.25  # of the size; a wider gap inside a run ends it
_CLOSE = 0.12  # of the size; a narrower gap where pdfium ends a line is none


class Run(NamedTuple):
    """Characters without a gap. ``base`` is the height of the line they stand on.

    Coordinates are turned so that the text runs to the right. ``glued``: nothing stands
    between it and the run before; ``broken``: a hyphen at the end of its line was taken off.
    """

    text: str
    box: Box
    base: float
    size: float
    bold: bool
    angle: int
    glued: bool
    broken: bool = False


class RunBuilder:
    """Puts characters into runs; the characters come in pdfium's order."""

    def __init__(self, textpage: Any) -> None:
        self._textpage = textpage
        self._letters: list[str] = []
        self._last: Mark | None = None
        self._box: Box = (0.0, 0.0, 0.0, 0.0)
        self._base = 0.0
        self._glued = False
        self.runs: list[Run] = []

    def add(self, mark: Mark) -> None:
        """Another character that can be seen."""
        box = turned(mark.box, mark.style.angle)
        last = self._last
        same = last is not None and not mark.spaced and last.style is mark.style
        if same and apart(self._box, box) <= _NEAR * mark.style.size:
            self._letters.append(mark.text)
            self._box = around(self._box, box)
            self._last = mark
            return
        glued = self._is_glued(mark, box)
        self.close()
        self._letters, self._last, self._box, self._glued = [mark.text], mark, box, glued
        self._base = self._height(mark)

    def _is_glued(self, mark: Mark, box: Box) -> bool:
        if self._last is None or (mark.spaced and not mark.ended):
            return False
        gap = _CLOSE if mark.spaced else _NEAR
        return apart(self._box, box) <= gap * mark.style.size

    def _height(self, mark: Mark) -> float:
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(self._textpage, mark.number, x, y)
        return turned((x.value, y.value, x.value, y.value), mark.style.angle)[1]

    def close(self, *, broken: bool = False) -> None:
        """End the run; ``broken`` where a hyphen ended the line."""
        if self._last is None:
            return
        style = self._last.style
        self.runs.append(
            Run(
                text="".join(self._letters),
                box=self._box,
                base=self._base,
                size=style.size,
                bold=style.bold,
                angle=style.angle,
                glued=self._glued,
                broken=broken,
            )
        )
        if broken:
            self._last = None
