"""Pairs of question and answer that stand in a text, found by its marks alone.

They are known by one of four: a heading that asks, a line with a label such as ``Q:`` or
``问：``, a paragraph that is a question where there are several, and a table with a column
of questions beside one of answers. An answer is always a passage of the text, never a copy.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag.text.chunk.outline import Block, Outline, Span, among, line_starts, touching
from rag.text.enrich.questions import (
    LINE,
    asks,
    heads_an_answer,
    labelled,
    reply,
    reply_within,
    unlabelled,
)
from rag.values import Pair

_LONGEST = 4_000  # characters of an answer that nothing else ends
_FEWEST = 2  # questions without a label, before they count as a list of questions
_MOST = 5_000  # pairs of one text
_ENDS = (".", "。", "!", "！", "?", "？", ":", "：", ";", "；", "…")

_CELL = re.compile(r"(?:[^|\\]|\\[\s\S]?)*")
_RULE = re.compile(r"[\s|:+=-]+\Z")
_QUESTIONS = re.compile(r"(?:q|questions?|faqs?|问|問|提问|问题|常见问题|疑问)\Z", re.IGNORECASE)
_ANSWERS = re.compile(
    r"(?:a|answers?|repl(?:y|ies)|responses?|答|回答|答案|答复|解答|回复)\Z", re.IGNORECASE
)


class _Question(NamedTuple):
    """A line that asks: where it begins, its words, and where what follows it begins."""

    begin: int
    asked: Span
    after: int


def pairs_in(text: str, structure: Outline) -> tuple[Pair, ...]:
    """The pairs of a text in the order of their answers, at most 5,000."""
    found = [
        *_headed(text, structure),
        *_listed(text, structure),
        *(pair for block in structure.whole for pair in _tabled(text, block)),
    ]
    return tuple(sorted(found, key=lambda pair: (pair.start, pair.end))[:_MOST])


def set_apart(structure: Outline, pairs: Sequence[Pair]) -> Outline:
    """The structure with the pairs' questions among what no quote may touch."""
    barred = list(structure.barred)
    for start, end in (pair.apart for pair in pairs):
        if start < end and not touching(structure.barred, start, end):
            barred.append((start, end))
    return structure._replace(barred=_apart(sorted(barred)))


def _apart(spans: Sequence[Span]) -> tuple[Span, ...]:
    kept: list[Span] = []
    for span in spans:
        if not kept or kept[-1][1] <= span[0]:
            kept.append(span)
    return tuple(kept)


def _headed(text: str, structure: Outline) -> Iterator[Pair]:
    """The sections below headings that ask."""
    for section in structure.sections:
        heading = touching(structure.barred, section.start, section.start + 1)
        if not section.path or not heading or not heads_an_answer(section.path[-1]):
            continue
        apart = heading[0]
        start, end = _trimmed(text, apart[1], min(section.end, apart[1] + _LONGEST))
        if start < end:
            yield Pair(
                asked=_named(text, apart, section.path[-1]), apart=apart, start=start, end=end
            )


def _named(text: str, heading: Span, name: str) -> Span:
    """Where a heading's words stand, without the marks that make it one."""
    at = text.find(name, *heading)
    return (at, at + len(name)) if at >= 0 else _trimmed(text, *heading)


def _listed(text: str, structure: Outline) -> Iterator[Pair]:
    """The lines that ask, each with what stands up to the next one or the next heading."""
    questions = list(_questions(text, structure))
    ends = sorted([*(start for start, _ in structure.barred), len(text)])
    last = _Question(len(text), (0, 0), len(text))
    for question, following in pairwise([*questions, last]):
        stop = ends[bisect_left(ends, question.after)] if question.after < len(text) else 0
        stop = min(stop, following.begin, question.after + _LONGEST)
        start, end = _trimmed(text, question.after, stop)
        if start < end:
            apart = (question.begin, start)
            yield Pair(asked=question.asked, apart=apart, start=start, end=end)


def _questions(text: str, structure: Outline) -> Iterator[_Question]:
    """Labelled questions, and where there are several the others that stand alone."""
    starts = line_starts(text)
    lines = (span for span in pairwise(starts) if not text[slice(*span)].isspace())
    spans = [span for span in lines if _free(structure, *span)]
    with_label = {span: made for span in spans if (made := _with_label(text, *span))}
    bare = {} if with_label else {span: made for span in spans if (made := _alone(text, *span))}
    found = bare if len(bare) >= _FEWEST else {}
    yield from sorted({**found, **with_label}.values())


def _free(structure: Outline, start: int, end: int) -> bool:
    """Whether a line stands in no heading, table or code."""
    return not (touching(structure.barred, start, end) or among(structure.whole, start, end))


def _with_label(text: str, start: int, end: int) -> _Question | None:
    line = text[start:end]
    begin = labelled(line[:LINE])
    if begin < 0:
        return None
    within = reply_within(line[begin : begin + LINE])
    stop = begin + within[0] if within else len(line)
    asked = _trimmed(text, start + begin, start + stop)
    after = start + begin + within[1] if within else _past_reply(text, end)
    if after < 0 and not asks(text[asked[0] : asked[1]]):
        return None
    return _Question(start, asked, max(after, end) if not within else after)


def _past_reply(text: str, at: int) -> int:
    """Behind the mark that begins the answer in the next line that is not blank, else -1."""
    while at < len(text) and text[at].isspace():
        at += 1
    end = text.find("\n", at)
    mark = reply(text[at : end if end >= 0 else len(text)])
    return at + mark if mark >= 0 else -1


def _alone(text: str, start: int, end: int) -> _Question | None:
    """A paragraph that is one question and continues no sentence."""
    begin = start + unlabelled(text[start : min(end, start + LINE)])
    asked = _trimmed(text, begin, end)
    before = text[max(0, start - 200) : start].rstrip(" \t\n")
    begins = not before or text.endswith("\n\n", 0, start) or before.endswith(_ENDS)
    if not begins or not asks(text[asked[0] : asked[1]].strip("*_")):
        return None
    return _Question(start, asked, end)


def _tabled(text: str, block: Block) -> Iterator[Pair]:
    """The rows of a table that has a column of questions and one of answers."""
    if block.kind != "table" or not block.header:
        return
    names = [block.header[a:b].strip(" *_") for a, b in _cells(block.header)]
    asking = next((at for at, name in enumerate(names) if _QUESTIONS.match(name)), None)
    telling = next((at for at, name in enumerate(names) if _ANSWERS.match(name)), None)
    if asking is None or telling is None:
        return
    at = block.start
    for line in text[block.start : block.end].splitlines(keepends=True):
        cells = _cells(line)
        if line.strip() != block.header.strip() and not _RULE.match(line):
            yield from _row(text, at, cells, asking, telling)
        at += len(line)


def _row(text: str, at: int, cells: Sequence[Span], asking: int, telling: int) -> Iterator[Pair]:
    if len(cells) <= max(asking, telling):
        return
    asked = _trimmed(text, at + cells[asking][0], at + cells[asking][1])
    start, end = _trimmed(text, at + cells[telling][0], at + cells[telling][1])
    if asked[0] < asked[1] and start < end:
        yield Pair(asked=asked, apart=(start, start), start=start, end=end)


def _cells(row: str) -> list[Span]:
    """The cells of a row, whether or not a bar stands at its beginning and end."""
    spans, at = [], 0
    while at <= len(row):
        end = at + len(_CELL.match(row, at)[0])  # type: ignore[index] # it matches nothing too
        spans.append((at, end))
        at = end + 1
    bare = row.strip()
    return spans[bare.startswith("|") : len(spans) - (bare.endswith("|") and len(bare) > 1)]


def _trimmed(text: str, start: int, end: int) -> Span:
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return start, end
