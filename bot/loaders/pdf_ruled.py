"""Tables whose cells are drawn: the lines and shades of a page tell which cell a run is in."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.loaders.pdf_boxes import Box, around
from bot.loaders.pdf_runs import Run

_THIN = 2.5  # points; what is thicker is an area
_SHORT = 4.0  # points; what is shorter is no rule
_CLOSE = 3.0  # points; edges that close are one
_SLACK = 1.5  # points by which rules may fail to meet
_MOST = 4_000  # rules on a page; more are a drawing
_STEPS = 100  # rules looked at on each side of a run
_LONGEST = 1_500  # characters; more in one cell is the layout of a page
_WIDEST = 60  # columns; more are a drawing
_ASIDE = 120.0  # points; rows further apart than that are not of one table


class Rule(NamedTuple):
    """A straight line at ``at``, from ``start`` to ``end``."""

    at: float
    start: float
    end: float


class Frame(NamedTuple):
    """A cell that is drawn, and the runs in it."""

    box: Box
    runs: list[Run]


class Rules:
    """The straight lines of a page: those ``across`` it and those that stand ``up``."""

    def __init__(self, drawn: Sequence[Box]) -> None:
        across: list[Rule] = []
        up: list[Rule] = []
        for left, bottom, right, top in drawn:
            if right - left > _SHORT:
                heights = {bottom, top} if top - bottom > _THIN else {(bottom + top) / 2}
                across += [Rule(height, left, right) for height in heights]
            if top - bottom > _SHORT:
                places = {left, right} if right - left > _THIN else {(left + right) / 2}
                up += [Rule(place, bottom, top) for place in places]
        few = len(across) + len(up) <= _MOST
        self._across = sorted(across) if few else []
        self._up = sorted(up) if few else []

    def frame(self, x: float, y: float) -> Box | None:
        """The cell around a place; None where it is not closed on all sides."""
        left, right = _nearest(self._up, x, y)
        bottom, top = _nearest(self._across, y, x)
        if left is None or right is None or bottom is None or top is None:
            return None
        return left, bottom, right, top


def _nearest(rules: Sequence[Rule], at: float, across: float) -> tuple[float | None, float | None]:
    """The next rules below and above ``at`` that reach over ``across``."""
    middle = bisect_left(rules, (at,))
    below = rules[max(0, middle - _STEPS) : middle]
    above = rules[middle : middle + _STEPS]
    return _first(reversed(below), across), _first(above, across)


def _first(rules: Iterable[Rule], across: float) -> float | None:
    for rule in rules:
        if rule.start - _SLACK <= across <= rule.end + _SLACK:
            return rule.at
    return None


Table = list[list[Frame | None]]
"""Rows of a frame a column, None for what is empty."""


def framed(runs: Sequence[Run], rules: Rules) -> tuple[list[Table], list[Run]]:
    """The tables that are drawn, and the runs outside of any."""
    frames: dict[tuple[int, ...], Frame] = {}
    for run in runs:
        box = rules.frame((run.box[0] + run.box[2]) / 2, (run.box[1] + run.box[3]) / 2)
        if box is not None:
            key = tuple(round(side / _CLOSE) for side in box)
            frames.setdefault(key, Frame(box, [])).runs.append(run)
    tables = [table for group in _groups(list(frames.values())) if (table := _table(group))]
    cells = [cell for table in tables for row in table for cell in row if cell]
    taken = {id(run) for cell in cells for run in cell.runs}
    return tables, [run for run in runs if id(run) not in taken]


def _groups(frames: list[Frame]) -> list[list[Frame]]:
    """Frames that touch each other from the top of the page down."""
    groups: list[list[Frame]] = []
    boxes: list[Box] = []
    for frame in sorted(frames, key=lambda one: (-one.box[3], one.box[0])):
        place = next((n for n, whole in enumerate(boxes) if _touch(whole, frame.box)), None)
        if place is None:
            groups.append([frame])
            boxes.append(frame.box)
        else:
            groups[place].append(frame)
            boxes[place] = around(boxes[place], frame.box)
    return groups


def _touch(whole: Box, box: Box) -> bool:
    """Whether a cell may belong to the table above or beside it."""
    beside = box[0] - whole[2] <= _ASIDE and whole[0] - box[2] <= _ASIDE
    return beside and box[3] >= whole[1] - _CLOSE


def _table(frames: Sequence[Frame]) -> Table:
    """The rows of a table; none where the frames are no table."""
    lefts = _apart([frame.box[0] for frame in frames])
    tops = _apart([frame.box[3] for frame in frames])
    longest = max(sum(len(run.text) for run in frame.runs) for frame in frames)
    if not 2 <= len(lefts) <= _WIDEST or len(tops) < 2 or longest > _LONGEST:
        return []
    rows: Table = [[None] * len(lefts) for _ in tops]
    for frame in frames:
        row = rows[-1 - _place(tops, frame.box[3])]
        column = _place(lefts, frame.box[0])
        held = row[column]
        row[column] = frame if held is None else Frame(held.box, [*held.runs, *frame.runs])
    return rows


def _apart(edges: Sequence[float]) -> list[float]:
    """Edges that are not the same, in order."""
    kept: list[float] = []
    for edge in sorted(edges):
        if not kept or edge - kept[-1] > _CLOSE:
            kept.append(edge)
    return kept


def _place(edges: Sequence[float], edge: float) -> int:
    """The number of the edge that is meant."""
    return max(0, bisect_left(edges, edge + 1e-6) - 1)
