"""The best places to break a stretch that has no boundary within a chunk's budget."""

import re
import unicodedata
from collections.abc import Iterator

from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Span
from rag.text.tokenise import is_cjk

_BREAKS = tuple(
    re.compile(mark)
    for mark in (
        r"\n",
        r"[。！？]+[」』”’）】》]*|[.!?][\"'”’)\]]*\s+(?=[A-Z“\"(])",
        r"[；;]",
        r"[，,、](?!\d)",
        r"(?<!\d)\s",
        r"\s",
    )
)
"""What a break may follow, the best first: lines, sentences, clauses, commas, words."""

_FURTHER = 2  # the first of them are looked for twice as far back

_JOINERS = "\u200d\ufe0e\ufe0f"  # the joiner of emoji, and what selects their looks
_CLOSED = 20  # characters that may close a sentence after its stop, at most
REACH = 200
"""Characters looked back for a place to break an overlong sentence."""


def broken(budget: Budget, start: int, end: int) -> Iterator[Span]:
    """The span itself, or parts of it cut at the best break point within reach."""
    while not budget.fits(start, end):
        cut = _cut(budget.text, start, _affordable(budget, start, end))
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def settled(text: str, at: int) -> bool:
    """Whether a line or a sentence ends before ``at``."""
    ends = (found.end() for mark in _BREAKS[:_FURTHER] for found in _near(mark, text, at))
    return at in ends


def _near(mark: "re.Pattern[str]", text: str, at: int) -> Iterator["re.Match[str]"]:
    return mark.finditer(text, max(0, at - _CLOSED), at + 1)


def _affordable(budget: Budget, start: int, end: int) -> int:
    """The furthest offset whose text from ``start`` stays within the safe number of tokens."""
    most = budget.limits.chunk_safe_tokens
    low, width = start + 1, most
    while start + width < end and budget.cost(start, start + width) <= most:
        low, width = start + width, 2 * width
    high = min(end - 1, start + width)
    while low < high:
        middle = (low + high + 1) // 2
        if budget.cost(start, middle) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(text: str, start: int, limit: int) -> int:
    """The last good place to break before ``limit``, the best kind of place first."""
    for number, mark in enumerate(_BREAKS):
        low = max(start + 1, limit - (2 * REACH if number < _FURTHER else REACH))
        # One character more is shown to the pattern, so that it sees what follows a comma.
        ends = [found.end() for found in mark.finditer(text, low, limit + 1)]
        fitting = [end for end in ends if end <= limit]
        if fitting:
            return fitting[-1]
    low = max(start + 1, limit - REACH)
    return next((at for at in range(limit, low, -1) if not inside_a_word(text, at)), limit)


def inside_a_word(text: str, at: int) -> bool:
    """Whether a cut here would part a word, a number, a number from its unit, or a character."""
    before, after = text[at - 1], text[at : at + 1]
    if unicodedata.combining(after) or after in _JOINERS or before == _JOINERS[0]:
        return True
    if before.isalnum() and after.isalnum():
        return before.isdigit() or not (is_cjk(before) or is_cjk(after))
    if after in ".,:/-%" and before.isdigit():
        return after == "%" or text[at + 1 : at + 2].isdigit()
    return before in ".,:/-" and after.isdigit() and text[at - 2 : at - 1].isdigit()
