"""Runs of a PDF page as lines in reading order."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from bot.loaders.pdf_page import Box, Run, around

_ROW = 0.5  # of the size; bases closer than that are one line
_BACK = 0.6  # of the size; how far a run may reach back into the one before
_CELL = 1.2  # of the size; a wider gap may part two columns
_LETTERS = 0.6  # of the size; a narrower gap between single ideographs is but letter-spacing
_CLOSE = 0.2  # of the size; a narrower gap between ideographs is none
_FAR = 4.0  # of the size; a line that far below may belong elsewhere
_BLOCKS = 64  # more are not put in order by their places to each other

_WIDE = "\u2e80-\u30ff\u3100-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff65\U00020000-\U0003ffff"
_WIDE_CHAR = re.compile(f"[{_WIDE}]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


class Cell(NamedTuple):
    """Runs of one line with no wide gap between them. ``lead`` is the width of the first word."""

    text: str
    box: Box
    lead: float


class Line(NamedTuple):
    """``block`` numbers the stretch of the page it is read in; ``row`` its table, 0 for none.

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


def lines_of(runs: Sequence[Run]) -> list[Line]:
    """Lines in reading order, text that runs another way after the rest."""
    angles: dict[int, list[Run]] = {}
    for run in runs:
        angles.setdefault(run.angle, []).append(run)
    lines: list[Line] = []
    for group in sorted(angles.values(), key=_length, reverse=True):
        blocks = _blocks([_line(part) for part in _split(group)])
        for block in _in_order(blocks):
            number = _number(lines, block[0])
            lines += [line._replace(block=number) for line in block]
    return lines


def _number(lines: Sequence[Line], first: Line) -> int:
    """The number of a block that begins with ``first``; that of the last one it goes on with."""
    if not lines:
        return 0
    last = lines[-1]
    fall = last.base - first.base
    below = 0 < fall <= _FAR * first.size and last.angle == first.angle
    return last.block if below and not _apart(last.box, first.box) else last.block + 1


def _length(runs: Iterable[Run]) -> int:
    return sum(len(run.text) for run in runs)


def _split(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs that follow each other on one line."""
    split: list[list[Run]] = []
    for run in runs:
        if split and _goes_on(split[-1], run):
            split[-1].append(run)
        else:
            split.append([run])
    return split


def _goes_on(line: Sequence[Run], run: Run) -> bool:
    last = line[-1]
    size = max(last.size, run.size)
    # A raised or lowered run is small: what comes after it stands where the line began.
    base = min((last.base, line[0].base), key=lambda height: abs(height - run.base))
    if last.broken or abs(run.base - base) > _ROW * size:
        return False
    forwards = run.box[0] >= last.box[2] - _BACK * size
    return forwards or is_right_to_left(last.text) or is_right_to_left(run.text)


def _line(runs: Sequence[Run]) -> Line:
    box = _span(runs)
    size, base = max((len(run.text), run.size, run.base) for run in runs)[1:]
    bold = sum(len(run.text) for run in runs if run.bold) * 2 > _length(runs)
    cells = tuple(_cell(part) for part in _parted(runs))
    return Line(cells, box, base, size, bold, runs[-1].broken, angle=runs[0].angle)


def _parted(runs: Sequence[Run]) -> list[list[Run]]:
    parts = [[runs[0]]]
    for last, run in pairwise(runs):
        if _gap(last, run) > _CELL * max(last.size, run.size):
            parts.append([run])
        else:
            parts[-1].append(run)
    return parts


def _gap(last: Run, run: Run) -> float:
    return max(run.box[0] - last.box[2], last.box[0] - run.box[2])


def _cell(runs: Sequence[Run]) -> Cell:
    words: list[list[Run]] = []
    for number, run in enumerate(runs):
        if number and run.glued:
            words[-1].append(run)
        else:
            words.append([run])
    text, box = "", runs[0].box
    for number, word in enumerate(words):
        text += (_between(words[number - 1], word) if number else "") + _joined(word)
        box = around(box, _span(word))
    first = _span(words[0])
    return Cell(text, box, runs[0].size if is_wide(text[0]) else first[2] - first[0])


def _joined(word: Sequence[Run]) -> str:
    """A hyphen taken off stands again where the line went on after it."""
    return "".join(run.text + "-" * run.broken for run in word[:-1]) + word[-1].text


def _span(runs: Sequence[Run]) -> Box:
    box = runs[0].box
    for run in runs:
        box = around(box, run.box)
    return box


def _between(last: Sequence[Run], word: Sequence[Run]) -> str:
    """A blank between two words, but none where ideographs are only set apart."""
    if last[-1].broken:
        return "-"
    if not (is_wide(last[-1].text[-1]) and is_wide(word[0].text[0])):
        return " "
    single = _length(last) == _length(word) == 1
    room = (_LETTERS if single else _CLOSE) * max(last[-1].size, word[0].size)
    return "" if _gap(last[-1], word[0]) <= room else " "


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """Stretches in which each line stands a little below the one before, or beside it."""
    blocks: list[list[Line]] = []
    for line in lines:
        fall = blocks[-1][-1].base - line.base if blocks else 0.0
        if not blocks or fall < -_ROW * line.size or fall > _FAR * line.size:
            blocks.append([line])
        elif _same_row(blocks[-1][-1], line):
            blocks[-1][-1] = _beside(blocks[-1][-1], line)
        else:
            blocks[-1].append(line)
    return blocks


def _same_row(one: Line, other: Line) -> bool:
    if one.broken or abs(one.base - other.base) > _ROW / 2 * min(one.size, other.size):
        return False
    return one.box[2] <= other.box[0] or other.box[2] <= one.box[0]


def _beside(one: Line, other: Line) -> Line:
    """Two lines of the same height as one; both keep their cells."""
    cells = sorted((*one.cells, *other.cells), key=lambda cell: cell.box[0])
    larger = max(one, other, key=lambda line: len(line.text))
    return larger._replace(
        cells=tuple(cells), box=around(one.box, other.box), broken=one.broken or other.broken
    )


def _in_order(blocks: list[list[Line]]) -> list[list[Line]]:
    """Blocks as they are read: in the file's order unless their places speak against it."""
    if len(blocks) > _BLOCKS:
        return [_sorted(line for block in blocks for line in block)]
    blocks = _untangled(blocks)
    waiting = list(range(len(blocks)))
    ordered: list[list[Line]] = []
    while waiting:
        free = [one for one in waiting if not any(_leads(blocks[o], blocks[one]) for o in waiting)]
        chosen = free[0] if free else waiting[0]
        waiting.remove(chosen)
        ordered.append(blocks[chosen])
    return ordered


def _untangled(blocks: list[list[Line]]) -> list[list[Line]]:
    """Blocks that lie across each other, put together line by line."""
    kept: list[list[Line]] = []
    for block in blocks:
        lines = block
        for other in [other for other in kept if _cross(other, block)]:
            kept = [one for one in kept if one is not other]
            lines = _sorted([*other, *lines])
        kept.append(lines)
    return kept


def _sorted(lines: Iterable[Line]) -> list[Line]:
    """Lines from the top down, those of the same height as one."""
    rows: list[Line] = []
    for line in sorted(lines, key=lambda line: (-line.base, line.box[0])):
        if rows and _same_row(rows[-1], line):
            rows[-1] = _beside(rows[-1], line)
        else:
            rows.append(line)
    return rows


def _box(lines: Sequence[Line]) -> Box:
    box = lines[0].box
    for line in lines:
        box = around(box, line.box)
    return box


def _cross(one: Sequence[Line], other: Sequence[Line]) -> bool:
    """Whether lines of both share a height and a stretch of it."""
    low, high = max(_box(one)[1], _box(other)[1]), min(_box(one)[3], _box(other)[3])
    mine, yours = _within(one, low, high), _within(other, low, high)
    if not mine or not yours:
        return False
    return min(_box(mine)[2], _box(yours)[2]) - max(_box(mine)[0], _box(yours)[0]) > 1.0


def _within(lines: Sequence[Line], low: float, high: float) -> list[Line]:
    return [line for line in lines if low < (line.box[1] + line.box[3]) / 2 < high]


def _leads(one: Sequence[Line], other: Sequence[Line]) -> bool:
    """Whether ``one`` must be read before ``other``: above it, or beside it to the left."""
    if one is other:
        return False
    mine, yours = _box(one), _box(other)
    low, high = max(mine[1], yours[1]), min(mine[3], yours[3])
    beside = _within(one, low, high), _within(other, low, high)
    if all(beside):
        return _box(beside[0])[2] <= _box(beside[1])[0]
    return mine[1] + mine[3] > yours[1] + yours[3] and not _apart(mine, yours)


def _apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0]
