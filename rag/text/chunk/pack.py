"""Pieces packed into chunks of a token budget, with an overlap that begins at a sentence."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag.text.chunk.breaks import broken, settled
from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Span, touching
from rag.text.chunk.pieces import Stretch


class _Part(NamedTuple):
    """A piece, or a part of one that does not fit: ``torn`` when a sentence goes on after it.

    ``headed`` says that it is nothing but headings or front matter.
    """

    start: int
    end: int
    cost: int
    torn: bool
    headed: bool


def pack(budget: Budget, stretch: Stretch, *, barred: Sequence[Span]) -> list[Span]:
    """Runs of whole pieces within the safe number of tokens; together they cover the stretch.

    A run begins with sentences of the one before, up to the overlap, and never
    ends with a heading. A sentence that does not fit a run begins one, so that no run
    ends inside it soon after a better place. A tiny rest joins the last run up to the target.
    """
    parts = list(_parts(budget, stretch, barred))
    limits = budget.limits
    runs: list[Span] = []
    first, spent = 0, 0
    begun = parts[0].start if parts else 0
    for number, part in enumerate(parts):
        if spent and (part.torn or spent + part.cost > limits.chunk_safe_tokens):
            last = _last(budget, parts, first, number)
            if last > first:
                runs.append((begun, parts[last - 1].end))
            repeats = last == number and not part.torn
            begun = _overlap(budget, stretch, runs[-1], part) if repeats else parts[last].start
            first, spent = last, budget.cost(begun, part.start)
        spent += part.cost
    if parts:
        runs.append((begun, parts[-1].end))
    return _without_tiny_rest(budget, runs)


def _parts(budget: Budget, stretch: Stretch, barred: Sequence[Span]) -> Iterator[_Part]:
    for start, end in stretch.pieces:
        for a, b in broken(budget, start, end):
            headed = _only(touching(barred, a, b), budget.text, a, b)
            yield _Part(
                a, b, budget.cost(a, b), torn=b < end and not settled(budget.text, b), headed=headed
            )


def _only(spans: Sequence[Span], text: str, start: int, end: int) -> bool:
    """Whether nothing but white space is outside of ``spans``, of which there are some."""
    left = start
    for a, b in spans:
        if text[left : max(left, a)].strip():
            return False
        left = b
    return bool(spans) and not text[left:end].strip()


def _last(budget: Budget, parts: Sequence[_Part], first: int, number: int) -> int:
    """Where a run ends that has no room for part ``number``: its trailing headings go on.

    ``first`` when it is nothing but headings; ``number`` when these leave no room in the next.
    """
    last = number
    while last > first and parts[last - 1].headed:
        last -= 1
    cost = budget.cost(parts[last].start, parts[number].start) + parts[number].cost
    return last if cost <= budget.limits.chunk_target_tokens else number


def _without_tiny_rest(budget: Budget, runs: list[Span]) -> list[Span]:
    if len(runs) < 2 or not budget.tiny(runs[-2][1], runs[-1][1]):
        return runs
    joined = (runs[-2][0], runs[-1][1])
    fits = budget.cost(*joined) <= budget.limits.chunk_target_tokens
    return [*runs[:-2], joined] if fits else runs


def _overlap(budget: Budget, stretch: Stretch, run: Span, part: _Part) -> int:
    """Where the run after ``run`` begins, its first part: at a sentence, repeating a little."""
    limits = budget.limits
    room = min(limits.chunk_overlap_tokens, limits.chunk_safe_tokens - part.cost)
    start, end = run
    best, spent = end, 0
    for number in range(bisect_left(stretch.opens, end) - 1, -1, -1):
        opening = stretch.opens[number]
        if opening <= start or (spent := spent + budget.cost(opening, best)) > room:
            break
        best = opening
    return best
