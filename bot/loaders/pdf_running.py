"""Headers and footers that run through the pages of a PDF."""

import re
from collections import Counter
from collections.abc import Sequence

from bot.loaders.pdf_line import Line

_EDGE = 3  # lines at the top and at the bottom that may be running
_FEWEST = 3  # pages
_SHARE = 0.6  # of the pages, or of those on one side of a sheet
_STEADY = 0.8  # of the pages whose numbers must count along
_NUMBER = re.compile(r"\d+")
_BLANKS = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST_NUMBER = 14  # characters of a line that is a page number alone

Found = dict[int, str]
"""Texts of one line by the index of the page."""


def without_running(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages without what is repeated at their edges and without page numbers.

    The first header of its kind stays where it stands: it often is all that names the document.
    So does the first of a mark that lies across every page.
    """
    tops = [_outer(page, top=True) for page in pages]
    bottoms = [_outer(page, top=False) for page in pages]
    asides = [[line for line in page if line.angle != page[0].angle] for page in pages]
    heads, feet, marks = _repeated(tops), _repeated(bottoms), _repeated(asides)
    kept: list[list[Line]] = []
    named: set[str] = set()
    for page, top, bottom, aside in zip(pages, tops, bottoms, asides, strict=True):
        out = set()
        for line in (*_leading(top, heads), *(one for one in aside if _key(one.text) in marks)):
            if _key(line.text) in named or not _LETTER.search(line.text):
                out.add(id(line))
            named.add(_key(line.text))
        out |= {id(line) for line in _leading(bottom, feet)}
        # A page of nothing else says it for itself.
        kept.append([line for line in page if id(line) not in out] or list(page))
    return kept


def _outer(page: Sequence[Line], *, top: bool) -> list[Line]:
    """The outermost lines of a page, from its edge inwards."""
    upright = [line for line in page if line.angle == page[0].angle]
    return sorted(upright, key=lambda line: line.base, reverse=top)[:_EDGE]


def _leading(lines: Sequence[Line], running: set[str]) -> list[Line]:
    """Those from the edge inwards that are running."""
    taken = []
    for line in lines:
        if _key(line.text) not in running:
            break
        taken.append(line)
    return taken


def _key(text: str) -> str:
    return _NUMBER.sub("#", _BLANKS.sub("", text)).casefold()


def _repeated(edges: Sequence[Sequence[Line]]) -> set[str]:
    groups: dict[str, Found] = {}
    for page, lines in enumerate(edges):
        for line in lines:
            groups.setdefault(_key(line.text), {})[page] = line.text
    return {key for key, found in groups.items() if _runs(key, found, len(edges))}


def _runs(key: str, found: Found, pages: int) -> bool:
    if len(found) < _FEWEST or not _is_on_most(found, pages):
        return False
    if not _LETTER.search(key) and max(map(len, found.values())) > _LONGEST_NUMBER:
        return False
    return len({_BLANKS.sub("", text) for text in found.values()}) == 1 or _counts(found)


def _is_on_most(found: Found, pages: int) -> bool:
    sides = Counter(page % 2 for page in found)
    odd, even = pages // 2, (pages + 1) // 2
    return (
        len(found) >= _SHARE * pages
        or sides[0] >= max(_FEWEST, _SHARE * even)
        or sides[1] >= max(_FEWEST, _SHARE * odd)
    )


def _counts(found: Found) -> bool:
    """Whether a number in the lines grows as the pages do."""
    ahead = Counter(
        offset
        for page, text in found.items()
        for offset in {int(number[:9]) - page for number in _NUMBER.findall(text)}
    )
    return bool(ahead) and max(ahead.values()) >= _STEADY * len(found)
