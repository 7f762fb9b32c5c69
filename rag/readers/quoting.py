"""Citations cut around a sentence: with what it leans on, what limits it and what introduces it."""

from collections.abc import Sequence

from rag.readers.evidence import Reading, Sentence
from rag.readers.words import EXCEPTION, LEANING
from rag.text.sentences import Form
from rag.values import Citation

_LONGEST = 900
_ITEMS = 12
_ROWS = 200


def cite(sentence: Sentence, reading: Reading) -> tuple[Citation, ...]:
    """The quote of a sentence first, then its list's lead-in or its table's header."""
    own = reading.of(sentence)
    at = next(i for i, other in enumerate(own) if other.key == sentence.key)
    first, last = _first(own, at), _last(own, at)
    chunk = sentence.evidence.chunk
    cited = [Citation.cut(chunk, own[first].start, own[last].end)]
    lead = _lead(own, first) or header_elsewhere(sentence, reading)
    if lead is not None:
        cited.append(Citation.cut(lead.evidence.chunk, lead.start, lead.end))
    return tuple(cited)


def header_elsewhere(row: Sentence, reading: Reading) -> Sentence | None:
    """The header of a row's table that stands in another chunk, where that one is at hand."""
    chunk = row.evidence.chunk
    if not row.cells or not chunk.table_header:
        return None
    same = (each for each in reading.sentences if each.header and each.cells == row.columns)
    return next((each for each in same if each.evidence.chunk.snapshot == chunk.snapshot), None)


def _first(own: Sequence[Sentence], at: int) -> int:
    leans = own[at].form is Form.TEXT and LEANING.match(own[at].text)
    limits = own[at].form is Form.TEXT and EXCEPTION.match(own[at].text)
    if at and (leans or limits) and _joinable(own, at - 1, at):
        return at - 1
    return at


def _last(own: Sequence[Sentence], at: int) -> int:
    end = at
    if own[at].form is not Form.ROW and own[at].text.rstrip().endswith((":", "：")):
        while end + 1 < len(own) and end - at < _ITEMS and _listed(own, at, end + 1):
            end += 1
        return end
    while (
        end + 1 < len(own) and EXCEPTION.match(own[end + 1].text) and _joinable(own, end, end + 1)
    ):
        if own[end + 1].end - own[at].start > _LONGEST:
            break
        end += 1
    return end


def _listed(own: Sequence[Sentence], lead: int, at: int) -> bool:
    if own[at].end - own[lead].start > _LONGEST or not _contiguous(own, lead, at):
        return False
    return own[at].form is not Form.TEXT or at == lead + 1


def _joinable(own: Sequence[Sentence], left: int, right: int) -> bool:
    same = own[left].form not in {Form.ROW, Form.CODE} and own[right].form not in {
        Form.ROW,
        Form.CODE,
    }
    length = own[right].end - own[left].start
    return same and length <= _LONGEST and _contiguous(own, left, right)


def _contiguous(own: Sequence[Sentence], left: int, right: int) -> bool:
    """No heading and no new paragraph lies between the two."""
    chunk = own[left].evidence.chunk
    start, end = own[left].end, own[right].start
    if any(begin < own[right].end and own[left].start < stop for begin, stop in chunk.headings):
        return False
    between = chunk.text[start - chunk.start : end - chunk.start] if right == left + 1 else ""
    return "\n\n" not in between.replace(" ", "") or own[right].form is not Form.TEXT


def _lead(own: Sequence[Sentence], at: int) -> Sentence | None:
    """The header of a row's table, or the sentence that introduces an item's list."""
    form = own[at].form
    if form not in {Form.ROW, Form.ITEM}:
        return None
    for other in reversed(own[max(0, at - _ROWS) : at]):
        if form is Form.ROW and (other.header or other.form is not Form.ROW):
            return other if other.header else None
        if form is Form.ITEM and other.form is not Form.ITEM:
            return other if other.text.rstrip().endswith((":", "：")) else None
    return None
