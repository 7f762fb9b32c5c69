"""Lines of a PDF's pages as paragraphs, headings and rows, each with its place."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from bot.loaders.pdf_line import Line, is_right_to_left, is_wide

_SAME_SIZE = 0.08
_SPREAD = 1.3  # of the usual leading; more starts a paragraph
_WIDEST = 2.5  # of the size; lines further apart never go on
_INDENT = 0.8  # of the size
_MARGIN = 2.0  # of the size; lines that end so close to the right are full
_LONGEST_WORD = 0.25  # of the width of a block; a longer word is taken to start a line
_NARROW = 12.0  # of the size; what is narrower is no running text
_PROSE = 3  # full lines that show that a block is running text
_LIST = re.compile(
    r"[•▪□◦●○■◆❖➢✓✗√·*–—-]\s?|[(（]?\d{1,3}[.)）、．](?!\d)|[(（]?[a-zA-Z][.)）]\s"
    r"|[(（]?[一二三四五六七八九十百]{1,4}[、）)．.]|第[一二三四五六七八九十百千零〇\d]{1,6}[条章节款编]"
)
_PARTING = 0.05  # of the lines; where fewer end in a hyphen, words are not parted as a rule
LEADERS = re.compile(r"(?:\. ?|…|·){4,}\s*\w{1,6}$")  # to a page number, in a list of contents
_ENDS = tuple(".。!！?？:：;；…")
_CLOSING = "\"'”’」』)）】]》"
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010]$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_KEPT = re.compile(
    "all|anti|co|cross|ex|first|five|four|full|half|high|long|low|multi|non|off|on|part|post|pre"
    "|real|second|self|semi|short|state|third|three|two|up|well|x"
)
"""Words that a hyphen joins to the next more often than a line's end parts a word after them."""


class Placed(NamedTuple):
    """A line on its page, counted from 1."""

    line: Line
    page: int


class Paragraph(NamedTuple):
    """Lines that are read as one; a row of a table is one by itself."""

    lines: tuple[Placed, ...]
    apart: bool  # an empty line stands before

    @property
    def first(self) -> Line:
        """The line it begins with."""
        return self.lines[0].line


Key = tuple[int, int, float]
"""The page, the block and the size of lines that are alike."""


class Words:
    """The words of a document, to tell which hyphens belong to a word."""

    def __init__(self, lines: Sequence[Line]) -> None:
        found = (word for line in lines for word in _WORD.findall(line.text))
        self._known = {word.casefold() for word in found}
        broken = sum(line.broken for line in lines)
        self._parts_words = broken >= _PARTING * len(lines)

    def hyphen(self, left: str, right: str) -> str:
        """What stands between the halves of a word that a line's end parted."""
        last, first = _WORD.findall(left)[-1:], _WORD.findall(right)[:1]
        if not last or not first or not right[0].isalpha() or not left[-1].isalpha():
            return "-"
        one, other = last[0].casefold(), first[0].casefold()
        if one + other in self._known:
            return ""
        if f"{one}-{other}" in self._known or "-" in one or _KEPT.fullmatch(one):
            return "-"
        return "" if self._parts_words and first[0][0].islower() else "-"


def paragraphs(pages: Sequence[Sequence[Line]]) -> list[Paragraph]:
    """The lines of all pages, hard-wrapped ones together; a paragraph may cross pages."""
    placed = [Placed(line, page) for page, lines in enumerate(pages, 1) for line in lines]
    blocks = _blocks(placed)
    made: list[list[Placed]] = []
    apart: list[bool] = []
    for number, one in enumerate(placed):
        last = placed[number - 1] if number else None
        if last is not None and _goes_on(last, one, blocks, opened=made[-1][0].line):
            made[-1].append(one)
        else:
            made.append([one])
            apart.append(last is None or _is_apart(last, one, blocks))
    return [Paragraph(tuple(lines), gap) for lines, gap in zip(made, apart, strict=True)]


class Block(NamedTuple):
    """What is usual among the lines of a block. ``full`` counts lines that reach the margin."""

    left: float
    right: float
    leading: float
    full: int


def _blocks(placed: Sequence[Placed]) -> dict[Key, Block]:
    groups: dict[Key, list[Line]] = {}
    for one in placed:
        groups.setdefault(_key(one), []).append(one.line)
    return {key: _usual(lines) for key, lines in groups.items()}


def _key(one: Placed) -> Key:
    return one.page, one.line.block, half_points(one.line.size)


def _usual(lines: Sequence[Line]) -> Block:
    left, right = min(line.box[0] for line in lines), max(line.box[2] for line in lines)
    leadings = [one.base - two.base for one, two in pairwise(lines) if one.base > two.base]
    full = sum(right - line.box[2] <= _MARGIN * line.size for line in lines)
    if right - left < _NARROW * lines[0].size:
        full = 0
    return Block(left, right, median(leadings) if leadings else 0.0, full)


def _goes_on(last: Placed, one: Placed, blocks: dict[Key, Block], *, opened: Line) -> bool:
    """Whether a line goes on with the sentence of the line before."""
    before, line = last.line, one.line
    if before.table or line.table or before.angle != line.angle or before.bold != line.bold:
        return False
    if abs(before.size - line.size) > _SAME_SIZE * before.size or _LIST.match(line.text):
        return False
    if _is_spread(before) or _is_spread(line) or LEADERS.search(before.text):
        return False
    block = blocks[_key(last)]
    full = _is_full(before, line, block)
    if _key(last) != _key(one):
        return full and block.full >= _PROSE and _is_unfinished(before, line)
    if _is_far(before, line, block):
        return False
    if before.broken:
        return True
    if not full or _is_indented(before, line, opened):
        return False
    return block.full >= _PROSE or _is_unfinished(before, line)


def _is_spread(line: Line) -> bool:
    """Whether a line has gaps as between the cells of a table."""
    gaps = (two.box[0] - one.box[2] for one, two in pairwise(line.cells))
    return any(gap > _MARGIN * line.size for gap in gaps)


def _is_far(before: Line, line: Line, block: Block) -> bool:
    most = min(_SPREAD * block.leading + 1, _WIDEST * line.size)
    return before.base - line.base > most


def _is_full(before: Line, line: Line, block: Block) -> bool:
    """Whether the first word of ``line`` had no room left on the line before."""
    most = _LONGEST_WORD * (block.right - block.left)
    room = min(line.cells[0].lead, most) + 0.25 * line.size
    if is_right_to_left(line.text) and is_right_to_left(before.text):
        return before.box[0] - room < block.left
    return before.box[2] + room > block.right


def _is_indented(before: Line, line: Line, opened: Line) -> bool:
    if _LIST.match(opened.text):
        return False
    if is_right_to_left(line.text) and is_right_to_left(before.text):
        return line.box[2] < before.box[2] - _INDENT * line.size
    return line.box[0] > before.box[0] + _INDENT * line.size


def _is_unfinished(before: Line, line: Line) -> bool:
    if before.broken:
        return True
    if ends_sentence(before.text):
        return False
    start = line.text[:1]
    return start.islower() or start.isdigit() or is_wide(start)


def ends_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return text.rstrip(_CLOSING).endswith(_ENDS)


def _is_apart(last: Placed, one: Placed, blocks: dict[Key, Block]) -> bool:
    """Whether a new paragraph begins, rather than a new line of the same."""
    before, line = last.line, one.line
    if before.table or line.table:
        return before.table != line.table or last.page != one.page
    if _key(last) != _key(one):
        return True
    block = blocks[_key(one)]
    if _is_far(before, line, block) or _is_indented(before, line, before):
        return True
    return (block.full >= _PROSE and not _LIST.match(line.text)) or before.bold != line.bold


def joined(lines: Sequence[Line], words: Words) -> list[str]:
    """The text of each line of a paragraph, with what stands between it and the next."""
    texts: list[str] = []
    for number, line in enumerate(lines):
        text, broken = line.text, line.broken
        if number + 1 == len(lines):
            texts.append(text + "-" * broken)
            continue
        after = lines[number + 1].text
        if not broken and _HYPHEN.search(text) and after[:1].islower():
            text, broken = text[:-1], True
        between = words.hyphen(text, after) if broken else _between(text, after)
        texts.append(text + between)
    return texts


def _between(text: str, after: str) -> str:
    """A blank, but none where either side is written without."""
    return "" if is_wide(text[-1:]) or is_wide(after[:1]) else " "


def body_size(lines: Sequence[Line]) -> float:
    """The size most characters are set in, to half a point."""
    counted: Counter[float] = Counter()
    for line in lines:
        counted[half_points(line.size)] += len(line.text)
    return counted.most_common(1)[0][0] if counted else 0.0


def half_points(size: float) -> float:
    """A size to the nearest half point."""
    return round(size * 2) / 2
