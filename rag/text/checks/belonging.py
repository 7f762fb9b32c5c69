"""Whether a claim gives a number to what its quotes give it to, and keeps their exceptions.

Both look at clauses: a number belongs to the words of its clause; an exception
limits the sentence that it stands in.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.text.checks.dates import dates
from rag.text.checks.marks import END, Marked
from rag.text.checks.numbers import Number, numbers

_CLAUSE = re.compile(r"[,;.!?](?!\d)|[，；。！？、\n|]|\b(?:and|while|but|whereas)\b|而")
_SENTENCE = re.compile(r"[.!?;](?!\d)|[。！？；\n]")
_POINTING = re.compile(
    r"\b(?:it|its|this|that|they|these|those|which|who)\b|[其该此这它]|上述|前者|后者"
)
_EXCEPTION = re.compile(
    r"\b(?:unless|except|excepting|excluding|apart from)\b[^,.;()]*"
    r"|除非[^，。；]*|除(?!了[^，。；]*还)[^，。；]{1,30}?外|[^，。；]{1,20}除外"
)
_LIMITED = re.compile(
    r"\b(?:unless|except|excluding|apart|other than|if|when|where|provided|only|without|not|no)\b"
    r"|除|如|若|但|只|仅|不|未|非|例外"
)
_COVERED = 2 / 3
"""So much of a sentence's words a claim repeats where it tells that sentence again."""
_FEW = 2


@dataclass(frozen=True)
class _Clause:
    words: frozenset[str]
    numbers: tuple[Number, ...]
    pointing: bool


def misplaced(claim: str, held: Sequence[str]) -> Iterator[str]:
    """One reason for each number of folded ``claim`` that the quotes give to something else."""
    stand = [clause for quote in held for clause in _clauses(quote)]
    for said in _clauses(claim):
        if len(said.numbers) == 1 and said.words and _elsewhere(said, stand):
            yield f"{said.numbers[0].written} is said of something else in the quotes"


def _elsewhere(said: _Clause, stand: Sequence[_Clause]) -> bool:
    """Whether those words have another number of that kind, and the number has other words."""
    number = said.numbers[0]
    same = [each for each in stand if _kind(number) in map(_kind, each.numbers)]
    own = [each for each in same if number.value in {other.value for other in each.numbers}]
    rivals = [each for each in same if each not in own and said.words <= each.words]
    others = own and all(
        each.words - said.words and not each.pointing and not said.words <= each.words
        for each in own
    )
    return bool(rivals and others)


def _kind(number: Number) -> tuple[str, str]:
    return (number.unit, number.counted)


def _clauses(text: str) -> list[_Clause]:
    return [_clause(part) for part in _CLAUSE.split(text) if part.strip()]


def _clause(text: str) -> _Clause:
    found = tuple(dict.fromkeys(numbers(dates(text)[1])))
    bare = text
    for number in found:
        bare = bare.replace(number.written, " ")
    return _Clause(_words(bare), found, bool(_POINTING.search(text)))


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in Marked(text).words if word != END and not word.isdigit())


def excepted(claim: str, held: Sequence[str]) -> Iterator[str]:
    """One reason for each exception of the quotes that a claim of the same sentence leaves out."""
    if _LIMITED.search(claim):
        return
    said = _words(claim)
    sentences = [part for quote in held for part in _SENTENCE.split(quote) if part.strip()]
    whole = [part for part in sentences if not _EXCEPTION.search(part)]
    if any(_covered(_words(part), said) for part in whole):
        return
    for part in sentences:
        exception = _EXCEPTION.search(part)
        if exception and _covered(_words(_EXCEPTION.sub(" ", part)), said):
            yield f"the quote makes an exception and the claim does not: {exception[0].strip()}"


def _covered(words: frozenset[str], said: frozenset[str]) -> bool:
    return len(words) >= _FEW and len(words & said) >= _COVERED * len(words)
