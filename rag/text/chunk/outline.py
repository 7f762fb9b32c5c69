"""The structure of a text as character offsets: headings, tables, code, places in the original.

A Markdown text is parsed for it; of any other format, its loader tells it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, Protocol, TypeVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from rag.text.chunk.naming import is_caption
from rag.values import Locator

Span = tuple[int, int]


class Placed(Protocol):
    """What stands at characters ``start:end``."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


P = TypeVar("P", bound=Placed)

_BARRED = ("front_matter", "heading_open")
_PICTURE = re.compile(r"!\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])[ \t]*(?:\n|$)")
_SLANTED = re.compile(r"([*_]{1,3})[^*_\n].*\1")  # a line that is emphasised from end to end
_BELOW = 300  # characters; more below a picture is no caption
_WHOLE = {"table_open": "table", "fence": "code", "code_block": "code"}


class Block(NamedTuple):
    """Characters ``start:end`` that stay together; ``kind`` is table, code or image.

    ``header`` is a table's header row as it stands in the text; a table is one line a row.
    ``caption`` is what is said of a table or an image beside it.
    """

    start: int
    end: int
    kind: str
    header: str = ""
    caption: str = ""


class Title(NamedTuple):
    """A heading ``text[start:end]`` that reads ``name``; ``level`` counts from 1, the outermost."""

    start: int
    end: int
    level: int
    name: str


class Section(NamedTuple):
    """A stretch below one heading, with the path of headings that leads to it."""

    start: int
    end: int
    path: tuple[str, ...]


class Outline(NamedTuple):
    """The structure of one text. Every tuple is sorted by ``start``, and nothing in it overlaps.

    ``sections`` cover the text. ``barred`` are spans no quote may touch: headings and
    front matter. ``locators`` say where characters stand in the original.
    """

    sections: tuple[Section, ...]
    barred: tuple[Span, ...] = ()
    whole: tuple[Block, ...] = ()
    locators: tuple[Locator, ...] = ()


def plain(text: str) -> Outline:
    """The outline of a text without structure: one section that no heading leads to."""
    return Outline((Section(0, len(text), ()),))


def outlined(
    text: str,
    *,
    titles: Iterable[Title] = (),
    blocks: Iterable[Block] = (),
    locators: Iterable[Locator] = (),
) -> Outline:
    """The outline of a text whose loader found its structure; what overlaps is left out.

    A title of no characters ends the sections of those before it, as an untitled slide does.
    """
    told = list(titles)
    headings = _apart(title for title in told if title.name)
    ends = [title for title in told if title.start == title.end]
    return Outline(
        sections=_sections(text, sorted([*headings, *ends], key=lambda title: title.start)),
        barred=tuple((title.start, title.end) for title in headings),
        whole=tuple(_apart(blocks)),
        locators=tuple(sorted(locators, key=lambda locator: locator.start)),
    )


def outline(text: str) -> Outline:
    """The outline of a Markdown text, by markdown-it's CommonMark parse with tables.

    Only headings of the text itself begin a section; those inside a quotation
    or a list are barred all the same.
    """
    tokens = _parsed(text)
    starts = line_starts(text)
    barred: list[Span] = []
    whole: list[Block] = []
    titles: list[Title] = []
    for number, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if token.type in _BARRED:
            barred.append((start, end))
        elif token.type in _WHOLE:
            whole.append(_block(text, start, end, _WHOLE[token.type]))
        elif token.type == "paragraph_open" and (picture := _picture(tokens, number)):
            whole.append(Block(start, starts[picture.last], "image", caption=picture.caption))
        if token.type == "heading_open" and token.level == 0:
            name = _name(tokens[number + 1].content)
            titles.append(Title(start, end, int(token.tag[1:]), name))
    return Outline(_sections(text, titles), tuple(barred), tuple(whole))


def _block(text: str, start: int, end: int, kind: str) -> Block:
    """A table's header is its first line."""
    header = text[start:end].partition("\n")[0].strip() if kind == "table" else ""
    return Block(start, end, kind, header)


class _Picture(NamedTuple):
    """A picture's caption, and the line at which what belongs to it ends."""

    caption: str
    last: int


def _picture(tokens: Sequence[Token], number: int) -> _Picture | None:
    """The picture that a paragraph is: the words in its place, and the lines below it."""
    lines, said = tokens[number].map, tokens[number + 1].content
    found = _PICTURE.match(said)
    below = said[found.end() :] if found else ""
    if found is None or lines is None or len(below) > _BELOW:
        return None
    words, last = [found[1].strip(), below.strip()], lines[1]
    following = tokens[number + 3 : number + 5]
    if not below and [one.type for one in following] == ["paragraph_open", "inline"]:
        after, beneath = following
        line = beneath.content.strip()
        if after.map and (is_caption(line, "image") or _SLANTED.fullmatch(line)):
            words, last = [*words, line], after.map[1]
    return _Picture(" ".join(word for word in words if word), last)


def _sections(text: str, titles: Sequence[Title]) -> tuple[Section, ...]:
    """The stretches that headings begin, each with its path; those that are blank left out."""
    sections: list[Section] = []
    path: list[Title] = []
    begun = 0
    for title in titles:
        sections.append(Section(begun, title.start, _names(path)))
        path = [*(known for known in path if known.level < title.level), title]
        begun = title.start
    sections.append(Section(begun, len(text), _names(path)))
    return tuple(section for section in sections if text[section.start : section.end].strip())


def _names(path: Sequence[Title]) -> tuple[str, ...]:
    return tuple(title.name for title in path if title.name)


def _apart(spans: Iterable[P]) -> list[P]:
    """The spans that hold something in their order, without those that overlap an earlier one."""
    kept: list[P] = []
    for span in sorted(spans, key=lambda span: span.start):
        if span.start < span.end and (not kept or kept[-1].end <= span.start):
            kept.append(span)
    return kept


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


def among(placed: Sequence[P], start: int, end: int) -> Sequence[P]:
    """As `touching`, of sections, blocks or locators."""
    first = bisect_right(placed, start, key=lambda one: one.end)
    last = bisect_left(placed, end, key=lambda one: one.start)
    return placed[first:last]


def line_starts(text: str) -> list[int]:
    """The offset at which each line begins, and the text's length last."""
    starts, at = [0], 0
    while (found := text.find("\n", at)) >= 0:
        at = found + 1
        starts.append(at)
    if starts[-1] != len(text):
        starts.append(len(text))
    return starts
