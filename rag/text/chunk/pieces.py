"""Text in pieces that a chunk keeps whole: sentences, paragraphs, rows, parts of code."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag.text.chunk.breaks import inside_a_word
from rag.text.chunk.budget import Budget
from rag.text.chunk.outline import Block, Outline, Span, among, touching
from rag.text.sentences import sentences

_LINE = re.compile(r"\n")
_ALONE = {"table", "image"}
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_BULLET = 40  # characters of indent and bullet at most
_BULLETS = " \t-*+•·‣▪●>[]xX"
_DEFINED = (
    r"(?:@|(?:async|export|default|public|private|protected|static|abstract|final|pub)\b[^\n]*|"
    r"(?:def|class|func|function|fn|impl|struct|enum|trait|interface|module|sub|create)\b)"
)
_OUTERMOST = re.compile(rf"\n(?=\n*{_DEFINED})|\n[^\S\n]*\n+(?=[^\s)\]}}])", re.IGNORECASE)
_LEADS = ("@", "#", "//", "/*", "*", "--")  # decorators and comments stay with what they lead to
_INNER = re.compile(rf"\n(?=[^\S\n]+{_DEFINED})|\n[^\S\n]*\n+", re.IGNORECASE)


class Stretch(NamedTuple):
    """Characters that are packed into chunks of their own; no chunk reaches out of them.

    ``pieces`` cover them. ``opens`` are the offsets at which a chunk may begin that repeats
    the end of the one before, none where nothing is to be repeated. ``header`` is a table's,
    ``caption`` a table's or an image's.
    """

    pieces: Sequence[Span]
    opens: Sequence[int] = ()
    kind: str = "text"
    header: str = ""
    caption: str = ""


def prose(budget: Budget, structure: Outline, start: int, end: int) -> Iterator[Stretch]:
    """The stretches between two offsets: each table and image alone, the rest by sentences."""
    for part in apart(structure, start, end):
        if isinstance(part, Block):
            yield of_block(budget, part)
        else:
            cut = pieces(budget, structure, *part)
            yield Stretch(cut, [a for a, _ in cut])


def apart(structure: Outline, start: int, end: int) -> Iterator[Block | Span]:
    """The tables and images between two offsets, cut off there, and what lies between them."""
    at = start
    for block in among(structure.whole, start, end):
        if block.kind in _ALONE:
            if at < block.start:
                yield at, block.start
            at = min(block.end, end)
            yield block._replace(start=max(block.start, start), end=at)
    if at < end:
        yield at, end


def of_block(budget: Budget, block: Block) -> Stretch:
    """A table, an image or code as a stretch."""
    cut = _CUTS.get(block.kind, _whole)(budget, block.start, block.end)
    return Stretch(list(cut), kind=block.kind, header=block.header, caption=block.caption)


def pieces(budget: Budget, structure: Outline, start: int, end: int) -> list[Span]:
    """Spans that cover the text from ``start`` to ``end``: sentences, headings, blocks.

    A table or code that does not fit a chunk is in rows or parts.
    """
    found: list[Span] = []
    at = start
    for block in _solid(structure, start, end):
        begin, stop = max(block.start, at), min(block.end, end)
        if begin < stop:
            found.extend(_sentences(budget.text, at, begin))
            found.extend(_CUTS.get(block.kind, _whole)(budget, begin, stop))
            at = stop
    found.extend(_sentences(budget.text, at, end))
    return found


def _solid(structure: Outline, start: int, end: int) -> list[Block]:
    barred = [Block(a, b, "barred") for a, b in touching(structure.barred, start, end)]
    return sorted([*among(structure.whole, start, end), *barred])


def paragraphs(budget: Budget, structure: Outline, start: int, end: int) -> Iterator[Span]:
    """Paragraphs that fit a chunk, and the pieces of those that do not.

    In a text without blank lines each line is a paragraph.
    """
    edges = {found.end() for found in _BLANK.finditer(budget.text, start, end)}
    if not edges:
        edges = {found.end() for found in _LINE.finditer(budget.text, start, end)}
    edges = {edge for edge in edges if not _parts(structure, edge)}
    solid = _solid(structure, start, end)
    edges |= {edge for one in solid for edge in (one.start, _past_blanks(budget.text, one.end))}
    edges = {edge for edge in edges if start < edge < end}
    for a, b in pairwise(sorted({start, *edges, end})):
        yield from [(a, b)] if budget.fits(a, b) else pieces(budget, structure, a, b)


def _parts(structure: Outline, at: int) -> bool:
    """Whether a cut here would part a block, a heading or front matter."""
    barred = touching(structure.barred, at - 1, at + 1)
    blocks = among(structure.whole, at - 1, at + 1)
    return any(a < at < b for a, b in barred) or any(one.start < at < one.end for one in blocks)


def rows(budget: Budget, start: int, end: int) -> Iterable[Span]:
    """A table whole where it fits, else line by line."""
    whole = budget.fits(start, end)
    return [(start, end)] if whole else _between(_LINE, budget.text, start, end)


def code(budget: Budget, start: int, end: int) -> Iterator[Span]:
    """Code whole where it fits, else its definitions, else what blank lines part, else lines."""
    yield from _code(budget, start, end, (_OUTERMOST, _INNER, _LINE))


def _code(
    budget: Budget, start: int, end: int, edges: Sequence["re.Pattern[str]"]
) -> Iterator[Span]:
    if not edges or budget.fits(start, end):
        yield start, end
        return
    for a, b in _between(edges[0], budget.text, start, end, tied=_LEADS):
        yield from _code(budget, a, b, edges[1:])


def _whole(_budget: Budget, start: int, end: int) -> list[Span]:
    return [(start, end)]


_CUTS: Mapping[str, Callable[[Budget, int, int], Iterable[Span]]] = {"table": rows, "code": code}


def _between(
    mark: "re.Pattern[str]", text: str, start: int, end: int, *, tied: tuple[str, ...] = ()
) -> Iterator[Span]:
    """The spans that end where ``mark`` does, but not after a line that begins as ``tied``."""
    edges = {found.end() for found in mark.finditer(text, start, end)}
    kept = (edge for edge in edges if edge < end and not _line_before(text, edge).startswith(tied))
    yield from pairwise(sorted({start, *kept, end}))


def _line_before(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at - 1) + 1 : at].lstrip()


def _past_blanks(text: str, at: int) -> int:
    """The first offset from ``at`` on that is not white space, or the text's length."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


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
    return before.isalnum() or before in tuple("，,、") or inside_a_word(text, at)
