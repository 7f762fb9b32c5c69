"""By pages, slides, sheets or rows of a database: no chunk stands on two of them."""

from collections.abc import Iterator
from itertools import pairwise

from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Outline
from rag.text.chunk.pieces import Stretch, prose
from rag.values import Locator


def by_pages(budget: Budget, structure: Outline) -> Iterator[Stretch]:
    """A page that does not fit a chunk is cut between sentences."""
    for start, end in pairwise([0, *_turns(structure), len(budget.text)]):
        if start < end:
            yield from prose(budget, structure, start, end)


def _turns(structure: Outline) -> Iterator[int]:
    """The offsets at which a page begins that is not the first."""
    for before, after in pairwise(structure.locators):
        if _page(before) != _page(after):
            yield after.start


def _page(locator: Locator) -> tuple[int | None, int | None, str, str]:
    return locator.page, locator.slide, locator.sheet, locator.row
