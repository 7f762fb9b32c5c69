"""Pieces packed into chunks of a token budget, with an overlap that begins at a sentence."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.ports import CountTokens
from rag.text.sentences import sentences
from rag.values import Limits

Span = tuple[int, int]

_BREAKS = "\n。！？；;，, \t"
_REACH = 200  # characters looked back for a place to break an overlong sentence


def pieces(
    text: str, start: int, end: int, *, whole: Sequence[Span], barred: Sequence[Span]
) -> list[Span]:
    """Spans that cover the text from ``start`` to ``end``: sentences, or tables and code whole."""
    apart = sorted([*whole, *barred])
    cuts = {start, end}
    for a, b in apart:
        cuts |= {max(start, min(a, end)), max(start, min(b, end))}
    edges = sorted(cuts)
    found: list[Span] = []
    for a, b in pairwise(edges):
        if any(x <= a and b <= y for x, y in apart):
            found.append((a, b))
        else:
            found.extend(_sentences(text, a, b))
    return found


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """The sentences between two offsets, each with the white space that follows it."""
    begins = [start + span.start for span in sentences(text[start:end])]
    edges = [start, *(begin for begin in begins[1:] if begin > start), end]
    yield from pairwise(edges)


def pack(
    text: str, spans: Sequence[Span], *, count_tokens: CountTokens, limits: Limits
) -> list[Span]:
    """Runs of whole spans within the safe number of tokens; together they cover all of them.

    A run begins with sentences of the one before, up to the overlap.
    """
    small = [
        part
        for a, b in spans
        for part in _broken(text, a, b, count_tokens=count_tokens, most=limits.chunk_safe_tokens)
    ]
    costs = [count_tokens(text[a:b]) for a, b in small]
    runs: list[Span] = []
    first, spent = 0, 0
    for number, cost in enumerate(costs):
        if spent and spent + cost > limits.chunk_safe_tokens:
            runs.append((small[first][0], small[number - 1][1]))
            room = min(limits.chunk_overlap_tokens, limits.chunk_safe_tokens - cost)
            first, spent = _overlap(costs, number, room)
        spent += cost
    if small:
        runs.append((small[first][0], small[-1][1]))
    return runs


def _overlap(costs: Sequence[int], number: int, room: int) -> tuple[int, int]:
    """Where the next run begins, and what its repeated part costs."""
    first, spent = number, 0
    while first > 0 and spent + costs[first - 1] <= room:
        first -= 1
        spent += costs[first]
    return first, spent


def _broken(
    text: str, start: int, end: int, *, count_tokens: CountTokens, most: int
) -> Iterator[Span]:
    """The span itself, or parts of it cut at the best break point within reach."""
    while count_tokens(text[start:end]) > most:
        cut = _cut(text, start, _affordable(text, start, end, count_tokens, most))
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _affordable(text: str, start: int, end: int, count_tokens: CountTokens, most: int) -> int:
    """The furthest offset whose text from ``start`` stays within ``most`` tokens."""
    low, high = start + 1, min(end, start + most * 8)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[start:middle]) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(text: str, start: int, limit: int) -> int:
    for mark in _BREAKS:
        found = text.rfind(mark, max(start + 1, limit - _REACH), limit)
        if found > start:
            return found + 1
    return limit
