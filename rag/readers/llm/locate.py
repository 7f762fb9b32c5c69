"""Where quoted words stand in a passage; what cannot be found there falls.

The words are looked for as they are, and else in the canonical form of both sides:

* a run of white space, line ends among it, is one space, and nothing between two
  characters that are written without spaces (Chinese, Japanese, full-width signs);
* a hyphen at the end of a line, between letters, goes with its line end, or else stays
  and the line end alone goes; a soft hyphen goes;
* a full-width or half-width form is the plain character (U+FF01 to U+FFEE, U+3000);
* ``&lt;``, which is how a prompt writes it, is ``<``.

Letter case, digits, accents, dashes and quotation marks are never changed. The form is
for finding alone: what is found is a stretch of the passage's own characters, grown to
whole sentences, so that no quote can begin after a "not" or end before an "unless".
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag.readers.llm.material import OPENING
from rag.text.sentences import sentences
from rag.text.tokenise import is_cjk
from rag.values import Chunk, Citation

_SHORTEST = 4  # characters, a Chinese one counted twice
_LONGEST = 4_000
_WRAP = re.compile(r"(?<=[^\W\d_])-[^\S\n]*\n\s*(?=[^\W\d_])")
_ELLIPSIS = re.compile(r"\s*(?:\[?(?:\.{3,}|…+)\]?)\s*")
_QUOTED = ("“”", '""', "「」", "『』", "''", "‘’", "``")


class Fall(StrEnum):
    """Why a proposed quote is none."""

    NOT_FOUND = "not in the passage it names"
    ELSEWHERE = "stands in another passage than it names"
    SPLICED = "is put together from several places"
    AMBIGUOUS = "stands in its passage more than once"
    HEADING = "touches a heading"
    TOO_SHORT = "is too short to be told from others"
    NOT_CURRENT = "is from a source that is not current"


def locate(words: str, chunk: Chunk) -> Citation | Fall:
    """The sentences of ``chunk`` that hold ``words``, cut from it, or why there are none."""
    if not _weight(words) >= _SHORTEST or len(words) > _LONGEST:
        return Fall.TOO_SHORT
    for spoken in _unquoted(words):
        for found in _searches(spoken, chunk.text):
            if found:
                return _one_of(found, chunk)
    return Fall.SPLICED if _is_spliced(words, chunk) else Fall.NOT_FOUND


def stands_in(words: str, chunk: Chunk) -> bool:
    """Whether ``words`` stand in ``chunk`` at all."""
    return any(found for each in _unquoted(words) for found in _searches(each, chunk.text))


def _weight(words: str) -> int:
    return sum(2 if is_cjk(sign) else 1 for sign in words if not sign.isspace())


def _unquoted(words: str) -> Iterator[str]:
    """The words as they are, then without the quotation marks around them."""
    bare = words.strip()
    yield bare
    if len(bare) > 2 and f"{bare[0]}{bare[-1]}" in _QUOTED:
        yield bare[1:-1].strip()


def _searches(words: str, text: str) -> Iterator[list[tuple[int, int]]]:
    yield _exactly(words, text)
    for keep_hyphen in (False, True):
        yield _canonically(words, text, keep_hyphen=keep_hyphen)


def _exactly(words: str, text: str) -> list[tuple[int, int]]:
    return [(at, at + len(words)) for at in _places(words, text)]


def _canonically(words: str, text: str, *, keep_hyphen: bool) -> list[tuple[int, int]]:
    plain = _canonical(words.replace(OPENING, "<"), keep_hyphen=keep_hyphen)
    held = _canonical(text, keep_hyphen=keep_hyphen)
    wanted = plain.text.strip()
    return [
        (held.origins[at], held.origins[at + len(wanted) - 1] + 1)
        for at in _places(wanted, held.text)
    ]


def _places(words: str, text: str) -> Iterator[int]:
    at = text.find(words) if words else -1
    while at >= 0:
        yield at
        at = text.find(words, at + 1)


@dataclass(frozen=True)
class _Canonical:
    """A text in canonical form; each character with the place of the one it stands for."""

    text: str
    origins: tuple[int, ...]


def _canonical(text: str, *, keep_hyphen: bool) -> _Canonical:
    kept: list[int] = []
    for at in _counting(text, keep_hyphen=keep_hyphen):
        space = text[at].isspace()
        spaced = bool(kept) and text[kept[-1]].isspace()
        if space and spaced:
            continue
        if spaced and _close(text[at]) and len(kept) > 1 and _close(text[kept[-2]]):
            kept.pop()
        kept.append(at)
    return _Canonical("".join(_plain(text[at]) for at in kept), tuple(kept))


def _counting(text: str, *, keep_hyphen: bool) -> Iterator[int]:
    """The places of the characters that count: no soft hyphen, no wrap within a word."""
    wraps = {
        place
        for match in _WRAP.finditer(text)
        for place in range(match.start() + keep_hyphen, match.end())
    }
    return (at for at, sign in enumerate(text) if at not in wraps and sign != "\u00ad")


def _plain(sign: str) -> str:
    if sign.isspace():
        return " "
    kind, _, code = unicodedata.decomposition(sign).partition(" ")
    return chr(int(code, 16)) if kind in {"<wide>", "<narrow>"} else sign


def _close(sign: str) -> bool:
    """Whether ``sign`` is written without a space beside its like."""
    return unicodedata.east_asian_width(sign) in "WF"


def _one_of(found: Sequence[tuple[int, int]], chunk: Chunk) -> Citation | Fall:
    clear = [span for span in found if not _touches(chunk, *span)]
    if len(clear) != 1:
        return Fall.AMBIGUOUS if clear else Fall.HEADING
    start, end = _grown(chunk, *clear[0])
    return Citation.cut(chunk, chunk.start + start, chunk.start + end)


def _touches(chunk: Chunk, start: int, end: int) -> bool:
    start, end = chunk.start + start, chunk.start + end
    return any(start < stop and begin < end for begin, stop in chunk.headings)


def _grown(chunk: Chunk, start: int, end: int) -> tuple[int, int]:
    """The span with the rest of each sentence it touches."""
    apart = [(max(0, a - chunk.start), max(0, b - chunk.start)) for a, b in chunk.headings]
    spans = [
        (span.start, span.end)
        for span in sentences(chunk.text, apart=apart)
        if span.start < end and start < span.end
    ]
    grown = min([start, *(a for a, _ in spans)]), max([end, *(b for _, b in spans)])
    return (start, end) if _touches(chunk, *grown) else grown


def _is_spliced(words: str, chunk: Chunk) -> bool:
    pieces = [piece for piece in _ELLIPSIS.split(words) if _weight(piece) >= _SHORTEST]
    return len(pieces) > 1 and all(stands_in(piece, chunk) for piece in pieces)
