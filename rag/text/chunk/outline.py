"""The structure of a Markdown text as character offsets: front matter, headings, tables, code."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

Span = tuple[int, int]

_BARRED = ("front_matter", "heading_open")
_WHOLE = {"table_open": "table", "fence": "code", "code_block": "code"}


class Block(NamedTuple):
    """Characters ``start:end``; ``kind`` is text, table or code."""

    start: int
    end: int
    kind: str


class Section(NamedTuple):
    """A stretch below one heading, with the path of headings that leads to it."""

    start: int
    end: int
    path: tuple[str, ...]


class Outline(NamedTuple):
    """``barred`` are spans no quote may touch: headings and front matter."""

    sections: tuple[Section, ...]
    barred: tuple[Span, ...]
    whole: tuple[Block, ...]


def outline(text: str) -> Outline:
    """The outline of a Markdown text, by markdown-it's CommonMark parse with tables.

    Only headings of the text itself begin a section; those inside a quotation
    or a list are barred all the same.
    """
    tokens = _parsed(text)
    starts = line_starts(text)
    barred: list[Span] = []
    whole: list[Block] = []
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    begun = 0
    for number, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if token.type in _BARRED:
            barred.append((start, end))
        elif token.type in _WHOLE:
            whole.append(Block(start, end, _WHOLE[token.type]))
        if token.type == "heading_open" and token.level == 0:
            sections.append(Section(begun, start, tuple(name for _, name in path)))
            depth = int(token.tag[1:])
            path = [known for known in path if known[0] < depth]
            path.append((depth, _name(tokens[number + 1].content)))
            begun = start
    sections.append(Section(begun, len(text), tuple(name for _, name in path)))
    kept = tuple(section for section in sections if text[section.start : section.end].strip())
    return Outline(kept, tuple(barred), tuple(whole))


def _parsed(text: str) -> list[Token]:
    """Block tokens alone: what stands inside a line is never parsed."""
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    parser.core.ruler.disable(["inline", "text_join"])
    # The parser takes a lone carriage return for the end of a line; lines here end at LF alone.
    return parser.parse(text.replace("\r", " "))


def _name(heading: str) -> str:
    """A heading as it is read: the words of a link without its address, no emphasis marks."""
    inline = _inline_parser().parseInline(heading)[0]
    return "".join(token.content for token in inline.children or ()).strip()


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def touching(spans: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    """Those of ``spans``, sorted and apart from one another, that share a character with the range.

    Takes logarithmic time, so that a document of many headings stays cheap.
    """
    first = bisect_right(spans, start, key=lambda span: span[1])
    last = bisect_left(spans, end, key=lambda span: span[0])
    return spans[first:last]


def line_starts(text: str) -> list[int]:
    """The offset at which each line begins, and the text's length last."""
    starts, at = [0], 0
    while (found := text.find("\n", at)) >= 0:
        at = found + 1
        starts.append(at)
    if starts[-1] != len(text):
        starts.append(len(text))
    return starts
