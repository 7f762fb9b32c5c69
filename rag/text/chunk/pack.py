"""Pieces packed into chunks of a token budget, with an overlap that begins at a sentence."""

from bisect import bisect_left
from collections.abc import Sequence

from rag.text.chunk.breaks import broken
from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Span, touching
from rag.text.chunk.pieces import Stretch


def pack(budget: Budget, stretch: Stretch, *, barred: Sequence[Span]) -> list[Span]:
    """Runs of whole pieces within the safe number of tokens; together they cover the stretch.

    A run begins with sentences of the one before, up to the overlap, and never
    ends with a heading. A tiny rest joins the last run up to the target.
    """
    small = [part for a, b in stretch.pieces for part in broken(budget, a, b)]
    costs = [budget.cost(a, b) for a, b in small]
    headed = [bool(touching(barred, a, b)) for a, b in small]
    limits = budget.limits
    runs: list[Span] = []
    first, spent = 0, 0
    begun = small[0][0] if small else 0
    for number, cost in enumerate(costs):
        if spent and spent + cost > limits.chunk_safe_tokens:
            last = _before_headings(headed, first, number)
            runs.append((begun, small[last - 1][1]))
            room = min(limits.chunk_overlap_tokens, limits.chunk_safe_tokens - cost)
            again = _overlap(budget, stretch.opens, runs[-1], room) if last == number else None
            first, begun = last, small[last][0] if again is None else again
            spent = budget.cost(begun, small[number][0])
        spent += cost
    if small:
        runs.append((begun, small[-1][1]))
    return _without_tiny_rest(budget, runs)


def _before_headings(headed: Sequence[bool], first: int, number: int) -> int:
    """Where a run that would end before ``number`` ends, its trailing headings left to the next."""
    last = number
    while last > first and headed[last - 1]:
        last -= 1
    return last if last > first else number


def _without_tiny_rest(budget: Budget, runs: list[Span]) -> list[Span]:
    if len(runs) < 2 or not budget.tiny(runs[-2][1], runs[-1][1]):
        return runs
    joined = (runs[-2][0], runs[-1][1])
    fits = budget.cost(*joined) <= budget.limits.chunk_target_tokens
    return [*runs[:-2], joined] if fits else runs


def _overlap(budget: Budget, opens: Sequence[int], run: Span, room: int) -> int:
    """Where the run after ``run`` begins: at a sentence, repeating at most ``room``."""
    start, end = run
    best, spent = end, 0
    for number in range(bisect_left(opens, end) - 1, -1, -1):
        opening = opens[number]
        if opening <= start or (spent := spent + budget.cost(opening, best)) > room:
            break
        best = opening
    return best
