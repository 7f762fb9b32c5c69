"""Chunks of a snapshot, cut by a strategy within the budget of tokens."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import NamedTuple

from rag.errors import LimitExceeded
from rag.ports import CountTokens
from rag.text.chunk.budget import Budget
from rag.text.chunk.headings import shared
from rag.text.chunk.outline import Outline, Span, among, line_starts, touching
from rag.text.chunk.pack import pack
from rag.text.chunk.pieces import Stretch
from rag.values import Chunk, Limits, Value

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Text(Value):
    """A snapshot's text and whose it is."""

    source_id: str
    snapshot: str
    title: str
    text: str


Strategy = Callable[[Budget, Outline], Iterable[Stretch]]
"""Parts a text into the stretches that are packed on their own, in order and covering it."""


class _Cut(NamedTuple):
    span: Span
    stretch: Stretch


def chunk(
    of: Text, *, structure: Outline, strategy: Strategy, count_tokens: CountTokens, limits: Limits
) -> tuple[Chunk, ...]:
    """Cut a snapshot into chunks; ``text == of.text[start:end]`` for each.

    Raises `LimitExceeded` naming ``document_chunks``.
    """
    budget = Budget(of.text, count_tokens, limits)
    kept: list[_Cut] = []
    for stretch in strategy(budget, structure):
        spans = (_trimmed(of.text, run) for run in pack(budget, stretch, barred=structure.barred))
        kept += [_Cut(span, stretch) for span in spans if _says_something(of.text, span, structure)]
        if len(kept) > limits.document_chunks:
            raise LimitExceeded("the document has too many chunks", limit="document_chunks")
    starts = line_starts(of.text)
    return tuple(
        _made(of, number, cut, structure=structure, starts=starts)
        for number, cut in enumerate(kept)
    )


def _trimmed(text: str, span: Span) -> Span:
    start, end = span
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _says_something(text: str, span: Span, structure: Outline) -> bool:
    """Whether anything but headings, front matter, comments and white space is inside."""
    start, end = span
    left = start
    for a, b in touching(structure.barred, start, end):
        if _COMMENT.sub("", text[left : max(left, a)]).strip():
            return True
        left = max(left, b)
    return bool(_COMMENT.sub("", text[left:end]).strip())


def _made(of: Text, number: int, cut: _Cut, *, structure: Outline, starts: Sequence[int]) -> Chunk:
    start, end = cut.span
    text = of.text[start:end]
    name = f"{of.source_id}\x1f{of.snapshot}\x1f{start}\x1f{end}"
    locators = tuple(among(structure.locators, start, end))
    kind, caption = _nature(cut, structure)
    return Chunk(
        id=hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:20],
        source_id=of.source_id,
        snapshot=of.snapshot,
        title=of.title,
        ordinal=number,
        start=start,
        end=end,
        lines=(bisect_right(starts, start), bisect_right(starts, end - 1)),
        page=next((locator.page for locator in locators if locator.page), None),
        heading_path=_path(structure, start, end),
        headings=tuple(touching(structure.barred, start, end)),
        locators=locators,
        table_header="" if cut.stretch.header.strip() in text else cut.stretch.header,
        caption=caption,
        content_type=kind,
        text=text,
    )


def _path(structure: Outline, start: int, end: int) -> tuple[str, ...]:
    """The headings that hold for all of it."""
    paths = [section.path for section in among(structure.sections, start, end)]
    return reduce(shared, paths) if paths else ()


def _nature(cut: _Cut, structure: Outline) -> tuple[str, str]:
    """The kind and the caption of the stretch, or of what makes up more than half of the span."""
    start, end = cut.span
    if cut.stretch.kind != "text":
        return cut.stretch.kind, cut.stretch.caption
    for block in among(structure.whole, start, end):
        if min(end, block.end) - max(start, block.start) > (end - start) / 2:
            return block.kind, block.caption
    return "text", ""
