"""By definitions: everything is code, cut between functions and at blank lines."""

from collections.abc import Iterator

from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Block, Outline
from rag.text.chunk.pieces import Stretch, of_block


def by_definitions(budget: Budget, _structure: Outline) -> Iterator[Stretch]:
    """Definitions that fit a chunk stay whole; nothing is repeated."""
    yield of_block(budget, Block(0, len(budget.text), "code"))
