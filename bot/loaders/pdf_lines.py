"""Runs of a PDF page as lines in reading order."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from bot.loaders.pdf_boxes import Box, around, turned
from bot.loaders.pdf_line import Cell, Line, is_right_to_left, is_wide
from bot.loaders.pdf_order import FAR, apart, blocks_of, box_of, from_the_top, in_order
from bot.loaders.pdf_ruled import Frame, Rules, Table, framed
from bot.loaders.pdf_runs import Run

_ROW = 0.5  # of the size; bases closer than that are one line
_BACK = 0.6  # of the size; how far a run may reach back into the one before
_CELL = 1.2  # of the size; a wider gap may part two columns
_LETTERS = 0.6  # of the size; a narrower gap between single ideographs is but letter-spacing
_CLOSE = 0.2  # of the size; a narrower gap between ideographs is none


def lines_of(runs: Sequence[Run], drawn: Sequence[Box] = ()) -> list[Line]:
    """Lines in reading order, text that runs another way after the rest.

    ``drawn`` are the boxes of what else is drawn on the page; the rows of a table that is drawn
    are lines.
    """
    angles: dict[int, list[Run]] = {}
    for run in runs:
        angles.setdefault(run.angle, []).append(run)
    lines: list[Line] = []
    for group in sorted(angles.values(), key=_length, reverse=True):
        tables, loose = framed(group, Rules([turned(box, group[0].angle) for box in drawn]))
        first = max((line.table for line in lines), default=0) + 1
        walls = [_rows(table, number) for number, table in enumerate(tables, first)]
        blocks = blocks_of(
            [_line(part) for part in _split(loose)], [box_of(rows) for rows in walls]
        )
        blocks += walls
        for block in in_order(blocks):
            number = _number(lines, block[0])
            lines += [line._replace(block=number) for line in block]
    return lines


def _number(lines: Sequence[Line], first: Line) -> int:
    """The number of a block that begins with ``first``; that of the last one it goes on with."""
    if not lines:
        return 0
    last = lines[-1]
    fall = last.base - first.base
    below = 0 < fall <= FAR * first.size and last.angle == first.angle
    return last.block if below and not apart(last.box, first.box) else last.block + 1


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


def _lines(runs: Sequence[Run]) -> list[Line]:
    return [_line(part) for part in _split(runs)]


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
    return Cell(text, box, _lead(_joined(words[0]), first[2] - first[0], runs[0].size))


def _lead(word: str, width: float, size: float) -> float:
    """The width of what cannot be parted at the beginning of a line."""
    if is_wide(word[0]):
        return size
    letters = next((place for place, char in enumerate(word) if is_wide(char)), len(word))
    return width * letters / (2 * len(word) - letters)


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


def _rows(table: Table, number: int) -> list[Line]:
    """The rows of a table that is drawn, each a line."""
    rows = []
    for frames in table:
        lines = [
            from_the_top([_line(part) for part in _split(one.runs)]) if one else []
            for one in frames
        ]
        cells = tuple(_cell_of(one, inside) for one, inside in zip(frames, lines, strict=True))
        first = max((line for inside in lines for line in inside), key=lambda line: line.base)
        box = first.box
        for one in frames:
            box = around(box, one.box) if one else box
        rows.append(first._replace(cells=cells, box=box, broken=False, table=number))
    return rows


def _cell_of(frame: Frame | None, lines: Sequence[Line]) -> Cell:
    """What stands in a cell, its lines after one another."""
    text, box = "", frame.box if frame else (0.0, 0.0, 0.0, 0.0)
    for number, line in enumerate(lines):
        wide = is_wide(text[-1:]) or is_wide(line.text[:1])
        mended = number > 0 and lines[number - 1].broken
        text += line.text if wide or mended or not text else " " + line.text
    return Cell(text, box, 0.0)
