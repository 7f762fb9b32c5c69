"""Candidates read once: sentences with their terms, quantities and surroundings."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from rag.readers.quantities import COUNTED, Quantity, quantities
from rag.readers.words import FUNCTION_WORDS, ZH_FUNCTION, ZH_PROTECTED, folded, negated
from rag.text.enrich.questions import heads_an_answer
from rag.text.rows import cells, in_rows
from rag.text.sentences import Form
from rag.text.tokenise import is_cjk, terms
from rag.values import Evidence, SourceStatus

_CHARACTER = 0.3
_PART = 0.3
_TOKEN = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0003134f]+"
    r"|[^\s\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\uff00-\uffef]+"
)
_ENGLISH = re.compile(r"(?<![\w./-])[a-z]+(?:['’][a-z]+)?(?![\w/-])")


@dataclass(frozen=True)
class Sentence:
    """One sentence at absolute snapshot offsets, with what surrounds it.

    ``near`` are the terms of the sentence before, ``above`` those of the
    headings over it and of the title, ``head`` those of the nearest heading,
    ``asked`` those of the question that it begins to answer, ``whole`` those of
    the chunk and its headings. ``cells`` are those of a table's row whose cells
    can be told apart, and ``columns`` those of the header over it, as many.
    """

    evidence: Evidence
    order: int
    start: int
    end: int
    text: str
    form: Form
    header: bool
    terms: frozenset[str]
    near: frozenset[str]
    above: frozenset[str]
    head: frozenset[str]
    asked: frozenset[str]
    title: frozenset[str]
    whole: frozenset[str]
    quantities: tuple[Quantity, ...]
    negated: bool
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return self.evidence.source.source_id

    @property
    def key(self) -> tuple[str, int, int]:
        """Names the sentence whichever chunk it was read from."""
        return self.evidence.chunk.snapshot, self.start, self.end


def content(text: str) -> dict[str, float]:
    """The terms of ``text`` that carry subject matter, each with its share of weight.

    Single characters of a Chinese word and parts of a code weigh less than the
    word or code they belong to.
    """
    plain = _ENGLISH.sub(_without_function_word, folded(text))
    found = {f"={quantity.value}": 1.0 for quantity in quantities(text)}
    plain = _without_zh_function(COUNTED.sub(r" \g<unit> ", plain))
    for token in _TOKEN.findall(plain):
        for position, term in enumerate(terms(token)):
            share = _share(term, position, alone=len(token) == 1)
            found[term] = max(share, found.get(term, 0.0))
    return found


def subject_runs(text: str) -> tuple[str, ...]:
    """The Chinese runs of ``text`` left when function and question words are gone."""
    plain = _without_zh_function(COUNTED.sub(r" \g<unit> ", folded(text)))
    return tuple(run for run in _TOKEN.findall(plain) if is_cjk(run))


def _without_function_word(match: re.Match[str]) -> str:
    word = match[0].replace("’", "'")
    return " " if word in FUNCTION_WORDS or word.split("'")[0] in FUNCTION_WORDS else word


def _without_zh_function(text: str) -> str:
    kept, at = [], 0
    while at < len(text):
        protected = ZH_PROTECTED.match(text, at)
        match = protected or ZH_FUNCTION.match(text, at)
        kept.append(text[at] if match is None else match[0] if protected else " ")
        at = match.end() if match else at + 1
    return "".join(kept)


def _share(term: str, position: int, *, alone: bool) -> float:
    if is_cjk(term):
        return 1.0 if len(term) > 1 or alone else _CHARACTER
    return 1.0 if position == 0 else _PART


@lru_cache(maxsize=4096)
def all_terms(text: str) -> frozenset[str]:
    """Every term of ``text``, its normalised quantities among them."""
    return frozenset(terms(text)) | {f"={quantity.value}" for quantity in quantities(text)}


@dataclass(frozen=True)
class Reading:
    """All candidates read: each sentence once, and each chunk's own in order."""

    sentences: tuple[Sentence, ...]
    chunks: dict[str, tuple[Sentence, ...]]

    def of(self, sentence: Sentence) -> tuple[Sentence, ...]:
        """The sentences of the chunk that ``sentence`` was read from."""
        return self.chunks[sentence.evidence.chunk.id]


def read(evidence: Sequence[Evidence]) -> Reading:
    """The sentences of all candidates, the overlap of two chunks counted once."""
    chunks = {piece.chunk.id: tuple(_sentences_of(piece)) for piece in evidence}
    once: dict[tuple[str, int, int], Sentence] = {}
    for sentences_of in chunks.values():
        for sentence in sentences_of:
            once.setdefault(sentence.key, sentence)
    return Reading(sentences=tuple(once.values()), chunks=chunks)


def _sentences_of(evidence: Evidence) -> Iterable[Sentence]:
    chunk = evidence.chunk
    apart = [(begin - chunk.start, stop - chunk.start) for begin, stop in chunk.headings]
    apart = [(max(0, begin), stop) for begin, stop in apart if stop > 0]
    above = all_terms(f"{evidence.source.title} {chunk.above}")
    title = all_terms(evidence.source.title)
    whole = frozenset(terms(chunk.text)) | above
    path = all_terms(" ".join(chunk.heading_path[-1:]))
    near: frozenset[str] = frozenset()
    headed = iter(sorted(apart))
    heading, over = next(headed, None), frozenset[str]()
    header = chunk.table_header
    spans = in_rows(
        chunk.text, apart=apart, headed=bool(header), table=chunk.content_type == "table"
    )
    for order, span in enumerate(spans):
        asked = frozenset[str]()
        while heading and heading[1] <= span.start:
            words = chunk.text[heading[0] : heading[1]]
            over, near = all_terms(words), frozenset()
            asked = over if heads_an_answer(words) else frozenset()
            heading = next(headed, None)
        text = chunk.text[span.start : span.end]
        own = all_terms(text)
        row = span.form is Form.ROW
        if span.header or not row:
            header = text if span.header else chunk.table_header
        yield Sentence(
            evidence=evidence,
            order=order,
            start=chunk.start + span.start,
            end=chunk.start + span.end,
            text=text,
            form=span.form,
            header=span.header,
            terms=own | all_terms(header if row else ""),
            near=near,
            above=above | over,
            head=over or path,
            asked=asked,
            title=title,
            whole=whole,
            quantities=quantities(text),
            negated=negated(text),
            cells=cells(text, header=header) if row else (),
            columns=cells(header, header=header) if row and header else (),
        )
        near = own


def standing(evidence: Evidence, day: date) -> SourceStatus:
    """The standing of a pinned source on ``day``."""
    source = evidence.source
    if source.status is not SourceStatus.CURRENT:
        return source.status
    if source.effective_from and day < source.effective_from:
        return SourceStatus.PROPOSED
    if source.effective_until and day > source.effective_until:
        return SourceStatus.SUPERSEDED
    return SourceStatus.CURRENT
