"""The cells that answer a facet: a row that it names, in a column that it names or asks for.

Nothing is answered by likeness. Every telling word of the facet must be accounted for by the
names of the row and the column, the value, or what stands above the table.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rag.readers.asking import Asked, Wanted
from rag.readers.evidence import Sentence
from rag.readers.scoring import Scored
from rag.readers.tables.kinds import fits, names_kind, spare, wanted_of
from rag.readers.tables.naming import Words, letters, named, shared, words_of
from rag.readers.tables.ranges import within
from rag.readers.words import folded
from rag.text.rows import is_blank
from rag.values import SourceStatus

MOST = 3
"""Rows that are told together; more are no answer to a question about one."""
_SURE = 1.2
_FEATURES = {"own": 1.0, "around": 1.0, "names": 1.0, "stray": 0.0, "lacks": 0.0, "row": 1.0}
_SENTENCE = re.compile(
    r"(?:\S+ ){4}.*[.!?](?:\s|$)|(?:\S+ ){11}\S"
    r"|[\u3400-\u9fff，、]{6}.*[。！？；]|[\u3400-\u9fff，、]{24}"
)
_NUMERAL = re.compile(r"[\d.,%\s]+")
_VALUE = re.compile(
    r"[$€£¥￥]?\s?\d.*|yes|no|none|true|false|free|unlimited|required|optional"
    r"|是|否|有|无|不限|免费|支持|不支持|可以|不可以|必填|选填"
)
"""Cells that many rows have in several columns; alone they name no row."""
_STANDINGS = {
    SourceStatus.PROPOSED: "proposed proposal draft planned pending future 提案 草案 拟议 提议",
    SourceStatus.SUPERSEDED: "previous previously former formerly old before change"
    " 以前 之前 旧版 原来",
}
"""What a question may call a source by its standing."""


@dataclass(frozen=True)
class Found:
    """A row with the columns whose cells answer, and those that name it.

    ``sure``: how many words of the facet name it. ``called``: the columns are meant by what
    they are called, so that this may be told.
    """

    row: Sentence
    columns: tuple[int, ...]
    names: tuple[int, ...]
    sure: int
    called: bool = True


def rows_for(asked: Asked, sentences: Sequence[Sentence]) -> list[Scored]:
    """The rows that answer ``asked``, each with its columns, above any score of a sentence."""
    return [
        Scored(each.row, _SURE, _FEATURES, each.columns, each.names, called=each.called)
        for each in look_up(asked, sentences)
    ]


def prose_of(sentences: Sequence[Sentence]) -> list[Sentence]:
    """What may answer by its words: no row, unless it holds sentences, and no table's caption."""
    captions = {(each.evidence.chunk.snapshot, each.evidence.chunk.caption) for each in sentences}
    return [
        each
        for each in sentences
        if (not each.cells or any(map(_SENTENCE.search, each.cells)))
        and (each.evidence.chunk.snapshot, each.text) not in captions
    ]


def look_up(asked: Asked, sentences: Sequence[Sentence]) -> tuple[Found, ...]:
    """The rows that answer ``asked``; none where none does, or too many do."""
    question = words_of(asked.text)
    hits: list[Found] = []
    for rows in _tables(sentences):
        hits += [hit for row in rows for hit in _in_row(row, asked, question)]
        hits += _across(rows, asked, question)
    best = max((each.sure for each in hits), default=0)
    told: dict[tuple[str, int, int], Found] = {}
    for each in hits:
        if each.sure == best:
            told.setdefault(each.row.key, each)
    return tuple(told.values()) if len(told) <= MOST else ()


def _tables(sentences: Sequence[Sentence]) -> list[list[Sentence]]:
    """The rows that stand under one header of one snapshot; those without one by their chunk."""
    tables: dict[tuple[str, ...], list[Sentence]] = {}
    for each in sentences:
        if each.cells and not each.header and not _continues(each):
            chunk = each.evidence.chunk
            name = (chunk.snapshot, *(each.columns or (chunk.id, str(len(each.cells)))))
            tables.setdefault(name, []).append(each)
    return list(tables.values())


def _continues(row: Sentence) -> bool:
    """Whether a row leaves its name to the row above, as below a cell that spans several rows."""
    return bool(row.columns and row.columns[0]) and is_blank(row.cells[0])


def _in_row(row: Sentence, asked: Asked, question: Words) -> Iterator[Found]:
    """The row is named, and of its columns some are asked for."""
    names = _names(row, asked, question)
    if names:
        headers = _headers(row)
        columns = _chosen(headers, _values(row), names, asked=asked, question=question)
        beside = () if columns else _beside(row, names, wanted_of(asked))
        hit = _accounted(row, columns or beside, names, headers, asked=asked, question=question)
        if hit:
            yield replace(hit, called=bool(columns))


def _beside(row: Sentence, names: Collection[int], wanted: Wanted) -> tuple[int, ...]:
    """The cell beside the name where there are but two, whatever its column is called."""
    left = [at for at, cell in _values(row).items() if at not in names and fits(wanted, cell, "")]
    return tuple(left) if len(row.cells) == 2 else ()


def _across(rows: Sequence[Sentence], asked: Asked, question: Words) -> Iterator[Found]:
    """A column is named, and a row is what is asked for of it: its first cell is a header."""
    names = {at: named(header, question) for at, header in _headers(rows[0]).items() if at}
    most = max(map(len, names.values()), default=0)
    best = [at for at, places in names.items() if most and len(places) == most]
    if len(best) != 1:
        return
    (column,) = best
    firsts = {number: row.cells[0] for number, row in enumerate(rows)}
    values = {n: cell for n, row in enumerate(rows) if (cell := _values(row).get(column))}
    chosen = _chosen(firsts, values, {-1: names[column]}, asked=asked, question=question)
    if len(chosen) == 1:
        row = rows[chosen[0]]
        over = {column: row.cells[0]}
        hit = _accounted(row, best, {0: names[column]}, over, asked=asked, question=question)
        yield from [hit] if hit else []


def _headers(row: Sentence) -> dict[int, str]:
    return dict(enumerate(row.columns or [""] * len(row.cells)))


def _values(row: Sentence) -> dict[int, str]:
    """The cells that say something; none below a name that spans several columns."""
    wide = (*row.columns[1:], "-")
    spanned = {at for at, after in enumerate(wide) if at and not (after and row.columns[at])}
    return {
        at: cell for at, cell in enumerate(row.cells) if not is_blank(cell) and at not in spanned
    }


def _names(row: Sentence, asked: Asked, question: Words) -> dict[int, frozenset[int]]:
    """By column, the places in the question that name the row by its cell there.

    Words that are a part of the name of a column in the question name no row.
    """
    headers = _headers(row)
    found = {}
    for at, cell in enumerate(row.cells):
        places = named(cell, question)
        if places and (_NUMERAL if at == 0 else _VALUE).fullmatch(folded(cell)):
            places = places if _introduced(places, headers[at], question) else frozenset()
        places = places or within(cell, headers[at], question, asked.text)
        if places and not any(places < named(header, question) for header in row.columns):
            found[at] = places
    return found


def _introduced(places: frozenset[int], header: str, question: Words) -> bool:
    """Whether a value in the question stands beside the name of its column, or names by itself.

    Versions do, and years and other numbers of four digits and more.
    """
    words = [question.words[at] for at in places]
    if any("." in word or (word.isdigit() and len(word) > 3) for word in words):
        return True
    beside = {min(places) - 1, max(places) + 1}
    return bool(shared(header, question) & beside)


def _chosen(
    headers: Mapping[int, str],
    values: Mapping[int, str],
    names: Mapping[int, frozenset[int]],
    *,
    asked: Asked,
    question: Words,
) -> tuple[int, ...]:
    """The columns that the question asks for: those it names best, or the one of its kind."""
    wanted = wanted_of(asked)
    fitting = [at for at, value in values.items() if fits(wanted, value, headers[at])]
    called = _called(fitting, headers, names, question)
    if called:
        best = max(rank for rank, _ in called.values())
        ties = {at: places for at, (rank, places) in called.items() if rank == best}
        return tuple(ties) if len(set(ties.values())) == 1 else ()  # else two things are asked of
    left = [at for at in fitting if at not in names]
    kind = [at for at in left if names_kind(wanted, headers[at])]
    return tuple(kind) if len(kind) == 1 else ()


def _called(
    columns: Sequence[int],
    headers: Mapping[int, str],
    names: Mapping[int, frozenset[int]],
    question: Words,
) -> dict[int, tuple[tuple[bool, int], frozenset[int]]]:
    """The columns that the question calls by name beside the row: how well, and in which places."""
    found = {}
    for at in columns:
        others = frozenset[int]().union(*(p for other, p in names.items() if other != at))
        whole = named(headers[at], question) - others
        hits = shared(headers[at], question) - others
        if others and (whole or hits - question.light):
            found[at] = (bool(whole), len(hits - question.light)), hits
    return found


def _accounted(
    row: Sentence,
    columns: Sequence[int],
    names: Mapping[int, frozenset[int]],
    headers: Mapping[int, str],
    *,
    asked: Asked,
    question: Words,
) -> Found | None:
    """The finding, when every telling word of the question has its place in the table."""
    keys = {at: places for at, places in names.items() if at not in columns}
    if not columns or not keys or len(columns) > MOST:
        return None
    naming = frozenset[int]().union(*keys.values())
    chunk = row.evidence.chunk
    source = row.evidence.source
    texts = [source.title, *chunk.heading_path, chunk.caption, _STANDINGS.get(source.status, "")]
    texts += [_headers(row)[at] for at in {0, *keys}] + [headers[at] for at in columns]
    texts += [row.cells[at] for at in columns]
    told = naming.union(*(shared(text, question) for text in texts))
    told |= frozenset[int]().union(*(letters(headers[at], question) for at in columns))
    told |= spare(wanted_of(asked), question)
    if question.telling - question.light - told:
        return None
    return Found(row=row, columns=tuple(columns), names=tuple(keys), sure=len(naming))
