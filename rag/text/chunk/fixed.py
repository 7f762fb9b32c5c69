"""By size alone: chunks as full as they may be, whatever the text is made of."""

from collections.abc import Iterator

from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Outline
from rag.text.chunk.pieces import Stretch, pieces


def by_size(budget: Budget, structure: Outline) -> Iterator[Stretch]:
    """Sentences still stay whole where they fit, and so do rows."""
    cut = pieces(budget, structure, 0, len(budget.text))
    yield Stretch(cut, [a for a, _ in cut])
