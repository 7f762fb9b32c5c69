"""By the tree of headings: each section on its own, tiny ones joined to their kin."""

from collections.abc import Iterator, Sequence

from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Outline, Section
from rag.text.chunk.pieces import Stretch, prose


def by_headings(budget: Budget, structure: Outline) -> Iterator[Stretch]:
    """No chunk reaches from one section into another, unless both are tiny or one is a child."""
    for section in _joined(budget, structure.sections):
        yield from prose(budget, structure, section.start, section.end)


def _joined(budget: Budget, sections: Sequence[Section]) -> list[Section]:
    """Tiny sections joined to the parent right before them, or to a sibling as tiny."""
    joined: list[Section] = []
    small: list[bool] = []
    for section in sections:
        tiny = budget.tiny(section.start, section.end)
        if joined and tiny and _related(joined[-1], section, both_tiny=small[-1]):
            elder = joined[-1]
            path = shared(elder.path, section.path)
            joined[-1] = Section(elder.start, section.end, path)
            small[-1] = budget.tiny(elder.start, section.end)
        else:
            joined.append(section)
            small.append(tiny)
    return joined


def _related(elder: Section, section: Section, *, both_tiny: bool) -> bool:
    depth = len(elder.path)
    child = len(section.path) > depth > 0 and section.path[:depth] == elder.path
    sibling = len(section.path) == depth > 0 and section.path[:-1] == elder.path[:-1]
    return child or (sibling and both_tiny)


def shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The headings two paths begin with alike."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]
