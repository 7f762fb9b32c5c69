"""By a separator that the owner of a source named: each entry between two of them."""

import re
from collections.abc import Iterator
from itertools import pairwise

from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Outline, Span
from rag.text.chunk.pieces import Stretch, pieces, prose


def by_separator(budget: Budget, structure: Outline, *, separator: str) -> Iterator[Stretch]:
    """Each entry is a chunk of its own, or several where it does not fit."""
    for start, end in _entries(budget.text, separator):
        yield from prose(budget, structure, start, end)


def by_merged_separator(budget: Budget, structure: Outline, *, separator: str) -> Iterator[Stretch]:
    """As many whole entries as a chunk holds."""
    cut: list[Span] = []
    for start, end in _entries(budget.text, separator):
        whole = budget.fits(start, end)
        cut += [(start, end)] if whole else pieces(budget, structure, start, end)
    yield Stretch(cut, [a for a, _ in pieces(budget, structure, 0, len(budget.text))])


def _entries(text: str, separator: str) -> Iterator[Span]:
    """Spans that cover the text, each up to the end of the separator that closes it."""
    edges = {found.end() for found in re.finditer(re.escape(separator), text)}
    yield from pairwise(sorted({0, *edges, len(text)}))
