"""Pieces packed into chunks of a token budget, with an overlap that begins at a sentence."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.ports import CountTokens
from rag.text.chunk.outline import Span, touching
from rag.text.sentences import sentences
from rag.text.tokenise import is_cjk
from rag.values import Limits

_BREAKS = tuple(
    map(re.compile, (r"\n", r"[。！？]", r"[；;]", r"[，,、](?!\d)", r"(?<!\d)\s", r"\s"))
)
_BULLET = 40  # characters of indent and bullet at most
_BULLETS = " \t-*+•·‣▪●>[]xX"
_DENSE = 16  # characters a token; text is hardly ever denser, but for runs of blanks
_JOINERS = "\u200d\ufe0e\ufe0f"  # the joiner of emoji, and what selects their looks
_REACH = 200  # characters looked back for a place to break an overlong sentence
_TINY = 60  # tokens; a shorter rest joins the run before it


def pieces(
    text: str, start: int, end: int, *, whole: Sequence[Span], barred: Sequence[Span]
) -> list[Span]:
    """Spans that cover the text from ``start`` to ``end``: sentences, or tables and code whole."""
    found: list[Span] = []
    at = start
    for a, b in sorted([*touching(whole, start, end), *touching(barred, start, end)]):
        found.extend(_sentences(text, at, a))
        at = min(b, end)
        found.append((max(a, start), at))
    found.extend(_sentences(text, at, end))
    return found


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """The sentences between two offsets, each with its bullet and the white space after it."""
    if start >= end:
        return
    begins = [start + span.start for span in sentences(text[start:end])]
    edges = [_before_bullet(text, begin) for begin in begins[1:] if not _forced(text, begin)]
    yield from pairwise(sorted({start, *(edge for edge in edges if edge > start), end}))


def _before_bullet(text: str, at: int) -> int:
    """The beginning of the line when only a bullet stands before ``at`` on it."""
    line = text.rfind("\n", max(0, at - _BULLET - 1), at) + 1
    return at if at - line > _BULLET or text[line:at].strip(_BULLETS) else line


def _forced(text: str, at: int) -> bool:
    """Whether a sentence begins here only because the one before was too long."""
    before = text[max(0, at - _BULLET) : at].rstrip(" \t\u3000")[-1:]
    return before.isalnum() or before in tuple("，,、") or _inside_a_word(text, at)


def pack(
    text: str,
    spans: Sequence[Span],
    *,
    barred: Sequence[Span],
    count_tokens: CountTokens,
    limits: Limits,
) -> list[Span]:
    """Runs of whole spans within the safe number of tokens; together they cover all of them.

    A run begins with sentences of the one before, up to the overlap, and never
    ends with a heading. A tiny rest joins the last run up to the target.
    """
    small = [
        part
        for a, b in spans
        for part in _broken(text, a, b, count_tokens=count_tokens, most=limits.chunk_safe_tokens)
    ]
    costs = [count_tokens(text[a:b]) for a, b in small]
    begins = {a for a, _ in spans}
    opens = [a in begins for a, _ in small]
    headed = [bool(touching(barred, a, b)) for a, b in small]
    runs: list[Span] = []
    first, spent = 0, 0
    for number, cost in enumerate(costs):
        if spent and spent + cost > limits.chunk_safe_tokens:
            last = _before_headings(headed, first, number)
            runs.append((small[first][0], small[last - 1][1]))
            room = min(limits.chunk_overlap_tokens, limits.chunk_safe_tokens - cost)
            first = last if last < number else _overlap(costs, opens, number, room)
            spent = sum(costs[first:number])
        spent += cost
    if small:
        runs.append((small[first][0], small[-1][1]))
    return _without_tiny_rest(text, runs, count_tokens, limits.chunk_target_tokens)


def _before_headings(headed: Sequence[bool], first: int, number: int) -> int:
    """Where a run that would end before ``number`` ends, its trailing headings left to the next."""
    last = number
    while last > first and headed[last - 1]:
        last -= 1
    return last if last > first else number


def _without_tiny_rest(
    text: str, runs: list[Span], count_tokens: CountTokens, most: int
) -> list[Span]:
    if len(runs) < 2 or count_tokens(text[runs[-2][1] : runs[-1][1]]) >= _TINY:
        return runs
    joined = (runs[-2][0], runs[-1][1])
    return [*runs[:-2], joined] if count_tokens(text[slice(*joined)]) <= most else runs


def _overlap(costs: Sequence[int], opens: Sequence[bool], number: int, room: int) -> int:
    """Where the next run begins: at a sentence, what it repeats costing at most ``room``."""
    best, spent = number, 0
    for first in range(number - 1, 0, -1):
        spent += costs[first]
        if spent > room:
            break
        if opens[first]:
            best = first
    return best


def _broken(
    text: str, start: int, end: int, *, count_tokens: CountTokens, most: int
) -> Iterator[Span]:
    """The span itself, or parts of it cut at the best break point within reach."""
    while end - start > most * _DENSE or count_tokens(text[start:end]) > most:
        cut = _cut(text, start, _affordable(text, start, end, count_tokens, most))
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _affordable(text: str, start: int, end: int, count_tokens: CountTokens, most: int) -> int:
    """The furthest offset whose text from ``start`` stays within ``most`` tokens."""
    low, width = start + 1, most
    while start + width < end and count_tokens(text[start : start + width]) <= most:
        low, width = start + width, 2 * width
    high = min(end - 1, start + width)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[start:middle]) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(text: str, start: int, limit: int) -> int:
    """The last good place to break before ``limit``, the best kind of place first."""
    low = max(start + 1, limit - _REACH)
    for mark in _BREAKS:
        # One character more is shown to the pattern, so that it sees what follows a comma.
        ends = [found.end() for found in mark.finditer(text, low, limit + 1)]
        fitting = [end for end in ends if end <= limit]
        if fitting:
            return fitting[-1]
    return next((at for at in range(limit, low, -1) if not _inside_a_word(text, at)), limit)


def _inside_a_word(text: str, at: int) -> bool:
    """Whether a cut here would part a word, a number, a number from its unit, or a character."""
    before, after = text[at - 1], text[at : at + 1]
    if unicodedata.combining(after) or after in _JOINERS or before == _JOINERS[0]:
        return True
    if before.isalnum() and after.isalnum():
        return before.isdigit() or not (is_cjk(before) or is_cjk(after))
    if after in ".,:/-%" and before.isdigit():
        return after == "%" or text[at + 1 : at + 2].isdigit()
    return before in ".,:/-" and after.isdigit() and text[at - 2 : at - 1].isdigit()
