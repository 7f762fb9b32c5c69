"""Chunks of a snapshot: by its tree of headings, or by its paragraphs."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from rag.errors import LimitExceeded
from rag.ports import CountTokens
from rag.text.chunk.outline import Outline, Section, Span, line_starts, outline, touching
from rag.text.chunk.pack import pack, pieces
from rag.values import Chunk, Limits, Value

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TINY = 60  # tokens; a smaller section joins its parent, or a sibling that is as small


class Text(Value):
    """A snapshot's text and whose it is."""

    source_id: str
    snapshot: str
    title: str
    text: str


Strategy = Callable[[str], Outline]
"""Finds the structure that chunks must respect."""


def by_headings(text: str) -> Outline:
    """Markdown: each heading begins a section."""
    return outline(text)


def by_paragraphs(text: str) -> Outline:
    """Plain text: one section without headings."""
    return Outline((Section(0, len(text), ()),), (), ())


def chunk(
    of: Text, *, strategy: Strategy, count_tokens: CountTokens, limits: Limits
) -> tuple[Chunk, ...]:
    """Cut a snapshot into chunks; ``text == of.text[start:end]`` for each.

    Raises `LimitExceeded` naming ``document_chunks``.
    """
    structure = strategy(of.text)
    whole = [(block.start, block.end) for block in structure.whole]
    spans: list[tuple[Span, tuple[str, ...]]] = []
    for section in _joined(of.text, structure.sections, count_tokens):
        parts = pieces(of.text, section.start, section.end, whole=whole, barred=structure.barred)
        runs = pack(
            of.text, parts, barred=structure.barred, count_tokens=count_tokens, limits=limits
        )
        spans += [(_trimmed(of.text, run), section.path) for run in runs]
    kept = [(span, path) for span, path in spans if _says_something(of.text, span, structure)]
    if len(kept) > limits.document_chunks:
        raise LimitExceeded("the document has too many chunks", limit="document_chunks")
    starts = line_starts(of.text)
    return tuple(
        _made(of, number, span, path, structure=structure, starts=starts)
        for number, (span, path) in enumerate(kept)
    )


def _joined(text: str, sections: Sequence[Section], count_tokens: CountTokens) -> list[Section]:
    """Tiny sections joined to the parent right before them, or to a sibling as tiny.

    What was joined goes by the headings that hold for all of it.
    """
    joined: list[Section] = []
    small: list[bool] = []
    for section in sections:
        tiny = count_tokens(text[section.start : section.end]) < _TINY
        if joined and tiny and _related(joined[-1], section, both_tiny=small[-1]):
            elder = joined[-1]
            joined[-1] = Section(elder.start, section.end, _shared(elder.path, section.path))
            small[-1] = count_tokens(text[elder.start : section.end]) < _TINY
        else:
            joined.append(section)
            small.append(tiny)
    return joined


def _related(elder: Section, section: Section, *, both_tiny: bool) -> bool:
    depth = len(elder.path)
    child = len(section.path) > depth > 0 and section.path[:depth] == elder.path
    sibling = len(section.path) == depth > 0 and section.path[:-1] == elder.path[:-1]
    return child or (sibling and both_tiny)


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The headings two paths begin with alike."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


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


def _made(
    of: Text,
    number: int,
    span: Span,
    path: tuple[str, ...],
    *,
    structure: Outline,
    starts: Sequence[int],
) -> Chunk:
    start, end = span
    name = f"{of.source_id}\x1f{of.snapshot}\x1f{start}\x1f{end}"
    return Chunk(
        id=hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:20],
        source_id=of.source_id,
        snapshot=of.snapshot,
        title=of.title,
        ordinal=number,
        start=start,
        end=end,
        lines=(bisect_right(starts, start), bisect_right(starts, end - 1)),
        heading_path=path,
        headings=tuple(touching(structure.barred, start, end)),
        content_type=_content_type(span, structure),
        text=of.text[start:end],
    )


def _content_type(span: Span, structure: Outline) -> str:
    start, end = span
    blocks = structure.whole
    for block in blocks[bisect_right(blocks, start, key=lambda block: block.end) :]:
        if block.start >= end:
            break
        if min(end, block.end) - max(start, block.start) > (end - start) / 2:
            return block.kind
    return "text"
