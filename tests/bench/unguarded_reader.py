"""The guards of the reader that asks a model: what stands in each one's place, and its tests."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rag.readers.llm import (
    addresses,
    answer,
    borrowed,
    clarify,
    conflicts,
    evidence,
    locate,
    material,
    plan,
    quoted,
    support,
)
from rag.values import Citation, ClaimVerdict

_TESTS = "tests/rag/readers/llm"


def _same(words: str) -> str:
    return words


def _true(*_given: Any) -> bool:
    return True


def _false(*_given: Any) -> bool:
    return False


def _nothing(*_given: Any) -> None:
    return None


def _none_at_all(*_given: Any) -> Iterator[Any]:
    yield from ()


def _anywhere(words: str, chunk: Any) -> Citation:
    return Citation.cut(chunk, chunk.end - 1, chunk.end)


def _the_first(found: Any, chunk: Any) -> Citation:
    return Citation.cut(chunk, chunk.start + found[0][0], chunk.start + found[0][1])


def _as_found(chunk: Any, start: int, end: int) -> tuple[int, int]:
    return start, end


def _any_chunk(evidence: Any, name: str) -> Any:
    return next(iter(evidence.values()))


def _any_facet(names: Any, asked: Any) -> Any:
    return tuple(names)


def _as_proposed(request: Any, proposed: Any) -> Any:
    return proposed


def _its_own_queries(rewritten: str, proposed: Any) -> Any:
    return proposed[:3]


def _guessed(request: Any) -> str:
    return ""


def _always_supported(number: int, claim: Any, judged: Any) -> ClaimVerdict:
    return ClaimVerdict(claim=number)


def _unframed(text: str, citations: Any, evidence: Any, request: Any) -> str:
    return text


def _mended(text: str, quotes: Any, request: Any) -> str:
    return ""


Switch = tuple[Callable[..., object], Callable[..., object], str]
"""A function, what stands in its place, and the tests that must notice."""

READER: Mapping[str, Switch] = {
    "prompt: delimiters": (material.escaped, _same, _TESTS),
    "reply: the invisible": (material.plain, _same, _TESTS),
    "reply: quotes are found": (locate.locate, _anywhere, _TESTS),
    "reply: quotes are found once": (locate._one_of, _the_first, _TESTS),
    "reply: quotes are whole sentences": (locate._grown, _as_found, _TESTS),
    "reply: headings": (locate._touches, _false, _TESTS),
    "reply: chunks that were given": (evidence.meant, _any_chunk, _TESTS),
    "reply: facets that were given": (evidence.known, _any_facet, _TESTS),
    "reply: the asker's words": (borrowed.borrowed, _true, _TESTS),
    "reply: addresses": (addresses.addresses, _none_at_all, _TESTS),
    "reply: secrets asked for": (clarify._harmless, _true, _TESTS),
    "reply: references left open": (clarify._left_open, _guessed, _TESTS),
    "reply: time": (plan._time_state, _as_proposed, _TESTS),
    "reply: the question is searched": (plan._queries, _its_own_queries, _TESTS),
    "reply: current sources": (quoted._may_carry, _true, _TESTS),
    "reply: proposals say so": (quoted.framed, _unframed, _TESTS),
    "reply: conflicts are conflicts": (conflicts._clash, _true, _TESTS),
    "reply: the silent side": (conflicts._differing, _none_at_all, _TESTS),
    "reply: language": (answer._in_language, _nothing, _TESTS),
    "reply: what was sent back": (quoted._unmended, _mended, _TESTS),
    "reply: verdicts": (support._verdict, _always_supported, _TESTS),
}
