"""A line of a PDF page."""

import re
from typing import NamedTuple

from bot.loaders.pdf_boxes import Box

_WIDE = "\u2e80-\u30ff\u3100-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff65\U00020000-\U0003ffff"
_WIDE_CHAR = re.compile(f"[{_WIDE}]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


class Cell(NamedTuple):
    """Runs of one line with no wide gap between them. ``lead`` is the width of the first word."""

    text: str
    box: Box
    lead: float


class Line(NamedTuple):
    """``block`` numbers the stretch of the page it is read in; ``table`` its table, 0 for none.

    ``broken``: a hyphen that ended the line was taken off.
    """

    cells: tuple[Cell, ...]
    box: Box
    base: float
    size: float
    bold: bool
    broken: bool
    angle: int = 0
    block: int = 0
    table: int = 0

    @property
    def text(self) -> str:
        """The words of all cells."""
        return " ".join(cell.text for cell in self.cells if cell.text)


def is_wide(char: str) -> bool:
    """Whether a character is written without blanks around: Han, kana and their marks."""
    return _WIDE_CHAR.match(char) is not None


def is_right_to_left(text: str) -> bool:
    """Whether any letter is of a script that runs to the left."""
    return _RIGHT_TO_LEFT.search(text) is not None
