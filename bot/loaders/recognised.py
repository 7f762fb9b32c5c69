"""What Tesseract says of a picture, put into paragraphs: its table of words, a word a row."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

_COLUMNS = 12
_SHORT = 0.7  # of the longest line; a line that is shorter ends what it says
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN = re.compile(rf"(?<=[{_WIDE}]) (?=[{_WIDE}])")  # no spaces are written there


class Seen(NamedTuple):
    """A page's text, its paragraphs by blank lines, and how sure of it Tesseract is, 0 to 100."""

    text: str
    sure: float


class _Word(NamedTuple):
    page: int
    paragraph: tuple[int, int]
    line: int
    sure: float
    text: str


def pages_of(table: str) -> tuple[Seen, ...]:
    """Each page of a picture, by the output that Tesseract calls ``tsv``."""
    words: defaultdict[int, list[_Word]] = defaultdict(list)
    for row in table.splitlines():
        page, word = _read(row)
        if page:
            words[page] += [word] if word else []
    return tuple(_seen(words[page]) for page in sorted(words))


def _read(row: str) -> tuple[int, _Word | None]:
    """The page a row is about, 0 for the names of the columns, and its word where it has one."""
    cells = row.split("\t")
    if len(cells) < _COLUMNS - 1 or not cells[1].isdigit():
        return 0, None
    page, block, paragraph, line = map(int, cells[1:5])
    text = cells[-1].strip() if len(cells) == _COLUMNS else ""
    return page, _Word(page, (block, paragraph), line, float(cells[10]), text) if text else None


def _seen(words: Sequence[_Word]) -> Seen:
    paragraphs: defaultdict[tuple[int, int], defaultdict[int, list[str]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for word in words:
        paragraphs[word.paragraph][word.line].append(word.text)
    told = [
        _paragraph([" ".join(line) for line in lines.values()]) for lines in paragraphs.values()
    ]
    sure = sum(word.sure for word in words) / len(words) if words else 100.0
    return Seen("\n\n".join(told), sure)


def _paragraph(lines: Sequence[str]) -> str:
    """Lines that go on joined; one that is short ends what it says, as an item of a list does."""
    longest = max(map(len, lines))
    ends = (" " if len(line) >= _SHORT * longest else "\n" for line in lines)
    return _BETWEEN.sub("", "".join(map("".join, zip(lines, ends, strict=True))).strip())
