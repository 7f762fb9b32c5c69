"""By rows: everything is a table, cut between its lines, its header told with each part."""

from collections.abc import Iterator

from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Block, Outline
from rag.text.chunk.pieces import Stretch, apart, of_block


def by_rows(budget: Budget, structure: Outline) -> Iterator[Stretch]:
    """The tables that are known of, and what stands between them line by line.

    A text without any is one table whose header is its first line.
    """
    if not any(block.kind == "table" for block in structure.whole):
        yield of_block(budget, Block(0, len(budget.text), "table", _first_line(budget.text)))
        return
    for part in apart(structure, 0, len(budget.text)):
        if isinstance(part, Block):
            yield of_block(budget, part)
        else:
            yield of_block(budget, Block(*part, "table"))._replace(kind="text")


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].strip()
