"""Lines of a PDF page in the order they are read, by the file's order and by their places."""

from collections.abc import Iterable, Sequence

from bot.loaders.pdf_boxes import Box, around
from bot.loaders.pdf_line import Line

_ROW = 0.5  # of the size; bases closer than that are one line
FAR = 4.0  # of the size; a line that far below may belong elsewhere
_BLOCKS = 64  # more are not put in order by their places to each other


def blocks_of(lines: Sequence[Line], walls: Sequence[Box]) -> list[list[Line]]:
    """Stretches in which each line stands a little below the one before, or beside it."""
    blocks: list[list[Line]] = []
    for line in lines:
        fall = blocks[-1][-1].base - line.base if blocks else 0.0
        near = -_ROW * line.size <= fall <= FAR * line.size
        walled = any(line.base <= (wall[1] + wall[3]) / 2 <= line.base + fall for wall in walls)
        if not blocks or not near or walled:
            blocks.append([line])
        elif _same_row(blocks[-1][-1], line):
            blocks[-1][-1] = _beside(blocks[-1][-1], line)
        else:
            blocks[-1].append(line)
    return blocks


def _same_row(one: Line, other: Line) -> bool:
    if (
        one.broken
        or one.table
        or other.table
        or abs(one.base - other.base) > _ROW / 2 * min(one.size, other.size)
    ):
        return False
    return one.box[2] <= other.box[0] or other.box[2] <= one.box[0]


def _beside(one: Line, other: Line) -> Line:
    """Two lines of the same height as one; both keep their cells."""
    cells = sorted((*one.cells, *other.cells), key=lambda cell: cell.box[0])
    larger = max(one, other, key=lambda line: len(line.text))
    return larger._replace(
        cells=tuple(cells), box=around(one.box, other.box), broken=one.broken or other.broken
    )


def in_order(blocks: list[list[Line]]) -> list[list[Line]]:
    """Blocks as they are read: in the file's order unless their places speak against it."""
    if len(blocks) > _BLOCKS:
        return [from_the_top(line for block in blocks for line in block)]
    blocks = _untangled(blocks)
    numbers = range(len(blocks))
    leads = [[two for two in numbers if _leads(blocks[two], blocks[one])] for one in numbers]
    waiting = list(numbers)
    ordered: list[list[Line]] = []
    while waiting:
        free = [one for one in waiting if not any(two in waiting for two in leads[one])]
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
            lines = from_the_top([*other, *lines])
        kept.append(lines)
    return kept


def from_the_top(lines: Iterable[Line]) -> list[Line]:
    """Lines from the top down, those of the same height as one."""
    rows: list[Line] = []
    for line in sorted(lines, key=lambda line: (-line.base, line.box[0])):
        if rows and _same_row(rows[-1], line):
            rows[-1] = _beside(rows[-1], line)
        else:
            rows.append(line)
    return rows


def box_of(lines: Sequence[Line]) -> Box:
    box = lines[0].box
    for line in lines:
        box = around(box, line.box)
    return box


def _cross(one: Sequence[Line], other: Sequence[Line]) -> bool:
    """Whether lines of both share a height and a stretch of it."""
    low, high = max(box_of(one)[1], box_of(other)[1]), min(box_of(one)[3], box_of(other)[3])
    mine, yours = _within(one, low, high), _within(other, low, high)
    if not mine or not yours:
        return False
    return min(box_of(mine)[2], box_of(yours)[2]) - max(box_of(mine)[0], box_of(yours)[0]) > 1.0


def _within(lines: Sequence[Line], low: float, high: float) -> list[Line]:
    return [line for line in lines if low < (line.box[1] + line.box[3]) / 2 < high]


def _leads(one: Sequence[Line], other: Sequence[Line]) -> bool:
    """Whether ``one`` must be read before ``other``: above it, or beside it to the left."""
    if one is other:
        return False
    mine, yours = box_of(one), box_of(other)
    low, high = max(mine[1], yours[1]), min(mine[3], yours[3])
    beside = _within(one, low, high), _within(other, low, high)
    if all(beside):
        return box_of(beside[0])[2] <= box_of(beside[1])[0]
    return mine[1] + mine[3] > yours[1] + yours[3] and not apart(mine, yours)


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0]
