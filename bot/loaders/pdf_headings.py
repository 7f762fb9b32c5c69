"""Headings of a PDF, guessed with care: no quote may touch one, so a wrong guess hides text."""

import re
from collections import Counter
from collections.abc import Sequence

from bot.loaders.pdf_text import LEADERS, Paragraph, ends_sentence, half_points

_LARGER = 1.25  # times the size of the text
_SERIES = 1.15  # the same, for one of several in that size
_MARKED = 1.1  # the same, for what is bold or numbered
_LONGEST = 120  # characters
_LINES = 3
_MOST = 0.3  # of the characters of a size may be no headings
_DEEPEST = 6
_LETTER = re.compile(r"[^\W\d_]")
_NUMBERED = re.compile(
    r"(\d{1,2}(\.\d{1,2}){0,3}\.?\s+[^\W\d_]|第[一二三四五六七八九十百\d]{1,4}[章节编]"
    r"|[一二三四五六七八九十]{1,3}、|(chapter|section|part|appendix)\s)",
    re.IGNORECASE,
)


def levels(paragraphs: Sequence[Paragraph], body: float) -> dict[int, int]:
    """The levels of those that are headings, by number; the largest size is level 1.

    A heading over nothing but another as large is none.
    """
    likely = [n for n, paragraph in enumerate(paragraphs) if _is_likely(paragraph, body)]
    good = _sizes(paragraphs, set(likely))
    often = Counter(half_points(paragraphs[n].first.size) for n in likely)
    chosen = [
        n
        for n in likely
        if (size := half_points(paragraphs[n].first.size)) in good
        and (often[size] > 1 or paragraphs[n].first.size >= _least(paragraphs[n], body))
    ]
    sizes = sorted({half_points(paragraphs[n].first.size) for n in chosen}, reverse=True)
    ranks = {
        n: min(sizes.index(half_points(paragraphs[n].first.size)) + 1, _DEEPEST) for n in chosen
    }
    last = len(paragraphs) - 1
    return {n: rank for n, rank in ranks.items() if n < last and not _is_over_none(n, rank, ranks)}


def _is_over_none(number: int, rank: int, ranks: dict[int, int]) -> bool:
    return ranks.get(number + 1, rank + 1) <= rank


def _is_likely(paragraph: Paragraph, body: float) -> bool:
    line = paragraph.first
    if line.table or line.angle or len(paragraph.lines) > _LINES:
        return False
    text = " ".join(one.line.text for one in paragraph.lines)
    if len(text) > _LONGEST or ends_sentence(text) or len(_LETTER.findall(text)) < 2:
        return False
    if LEADERS.search(text) or "@" in text:
        return False
    return line.size >= min(_SERIES * body, _least(paragraph, body))


def _least(paragraph: Paragraph, body: float) -> float:
    """The size from which a paragraph by itself may be a heading."""
    line = paragraph.first
    marked = line.bold or _NUMBERED.match(line.text) is not None
    return (_MARKED if marked else _LARGER) * body


def _sizes(paragraphs: Sequence[Paragraph], likely: set[int]) -> set[float]:
    """Sizes in which little is set but headings."""
    all_of: Counter[float] = Counter()
    other: Counter[float] = Counter()
    for number, paragraph in enumerate(paragraphs):
        size = half_points(paragraph.first.size)
        length = sum(len(one.line.text) for one in paragraph.lines)
        all_of[size] += length
        if number not in likely:
            other[size] += length
    return {size for size, length in all_of.items() if other[size] <= _MOST * length}
