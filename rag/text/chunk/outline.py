"""The structure of a Markdown text as character offsets: front matter, headings, tables, code."""

from typing import NamedTuple

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin


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
    barred: tuple[tuple[int, int], ...]
    whole: tuple[Block, ...]


def outline(text: str) -> Outline:
    """The outline of a Markdown text, by markdown-it's CommonMark parse with tables."""
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    tokens = parser.parse(text)
    starts = line_starts(text)
    barred: list[tuple[int, int]] = []
    whole: list[Block] = []
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    begun = 0
    for number, token in enumerate(tokens):
        if token.map is None or token.level > 0:
            continue
        start, end = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if token.type == "front_matter":
            barred.append((start, end))
        elif token.type == "heading_open":
            barred.append((start, end))
            sections.append(Section(begun, start, tuple(name for _, name in path)))
            depth = int(token.tag[1:])
            path = [known for known in path if known[0] < depth]
            path.append((depth, tokens[number + 1].content.strip()))
            begun = start
        elif token.type == "table_open":
            whole.append(Block(start, end, "table"))
        elif token.type in ("fence", "code_block"):
            whole.append(Block(start, end, "code"))
    sections.append(Section(begun, len(text), tuple(name for _, name in path)))
    kept = tuple(section for section in sections if text[section.start : section.end].strip())
    return Outline(kept, tuple(barred), tuple(whole))


def line_starts(text: str) -> list[int]:
    """The offset at which each line begins, and the text's length last."""
    starts, at = [0], 0
    while (found := text.find("\n", at)) >= 0:
        at = found + 1
        starts.append(at)
    if starts[-1] != len(text):
        starts.append(len(text))
    return starts
