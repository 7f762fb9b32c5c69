"""What is said beside tables and pictures: the numbered line right before or after each."""

from collections.abc import Iterable
from typing import NamedTuple

from rag.text.chunk.naming import NUMBERED, is_caption
from rag.text.chunk.outline import Block, Span


class _Line(NamedTuple):
    start: int
    end: int


def captioned(text: str, blocks: Iterable[Block]) -> list[Block]:
    """The blocks, sorted by their starts; tables and images without a caption get the line beside.

    A line is the caption of one block alone: of two tables in a row each has its own.
    """
    taken: set[Span] = set()
    return [_with_caption(text, block, taken) for block in sorted(blocks)]


def _with_caption(text: str, block: Block, taken: set[Span]) -> Block:
    if block.caption or block.kind not in NUMBERED:
        return block
    beside = [_before(text, block.start), _after(text, block.end)]
    for line in beside if block.kind == "table" else beside[::-1]:
        said = text[line.start : line.end].strip()
        if line not in taken and said and is_caption(said, block.kind):
            taken.add(line)
            return block._replace(caption=said)
    return block


def _before(text: str, at: int) -> _Line:
    """The last line with something on it that ends before an offset."""
    end = at
    while end and text[end - 1].isspace():
        end -= 1
    return _Line(text.rfind("\n", 0, end) + 1, end)


def _after(text: str, at: int) -> _Line:
    """The first line with something on it that begins after an offset."""
    start = at
    while start < len(text) and text[start].isspace():
        start += 1
    end = text.find("\n", start)
    return _Line(start, len(text) if end < 0 else end)
