"""By paragraphs: as many whole ones as a chunk holds."""

from collections.abc import Iterator

from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Block, Outline
from rag.text.chunk.pieces import Stretch, apart, of_block, paragraphs, pieces


def by_paragraphs(budget: Budget, structure: Outline) -> Iterator[Stretch]:
    """Headings end no chunk; a paragraph is cut only where it does not fit one."""
    for part in apart(structure, 0, len(budget.text)):
        if isinstance(part, Block):
            yield of_block(budget, part)
        else:
            opens = [a for a, _ in pieces(budget, structure, *part)]
            yield Stretch(list(paragraphs(budget, structure, *part)), opens)
