"""Conflicts of which the quotes show that they are conflicts, proposed by a model or not.

Both sides stand as claims with located quotes, answer one facet, come from two sources of
the same standing, speak of the same thing, and differ in it. Where a claim quotes one side
of a difference that the extractive reader finds in the evidence, and no claim quotes the
other, the other side is added in its own words: a model does not choose by silence.
"""

from collections.abc import Iterable, Iterator, Sequence

from rag.ports import AnswerRequest
from rag.readers.asking import Wanted, wanted_by
from rag.readers.differences import Difference, differences
from rag.readers.evidence import Sentence
from rag.readers.findings import Desk, asks_for_differences, desk, find
from rag.readers.likeness import alike, values_differ, words
from rag.readers.llm.evidence import named
from rag.readers.llm.quoted import framed
from rag.readers.phrases import as_asked, on_one_line
from rag.readers.quoting import cite
from rag.values import Claim, Conflict, Facet

_SAME_THING = 0.4
_MOST = 4

Claims = tuple[Claim, ...]
Pair = tuple[Claim, Claim]


def with_conflicts(
    claims: Claims, proposed: Sequence[Pair], request: AnswerRequest
) -> tuple[Claims, tuple[Conflict, ...]]:
    """The claims with the sides that were left out, and the conflicts among them."""
    pack = request.pack
    at = desk(pack.evidence, time_state=pack.plan.time_state, day=request.asked_at.date())
    found = _confirmed(proposed, pack.plan.facets, at)
    for each in _differing(request, at):
        sides = _sides(each, claims, at, request)
        if sides and frozenset(side.text for side in sides) not in found:
            claims = tuple(dict.fromkeys((*claims, *sides)))
            conflict = Conflict(about=as_asked(each.about), sides=sides, asked=each.asked)
            found[frozenset(side.text for side in sides)] = conflict
    return claims, tuple(found.values())[:_MOST]


def _confirmed(
    proposed: Sequence[Pair], facets: Sequence[Facet], at: Desk
) -> dict[frozenset[str], Conflict]:
    """The proposed pairs that are conflicts; what each is about is said in the asker's words."""
    found: dict[frozenset[str], Conflict] = {}
    for left, right in proposed:
        facet = _shared(left, right, facets)
        if facet and _clash(left, right, at):
            about = as_asked(facet.text)
            conflict = Conflict(about=about, sides=(left, right), asked=_is_asked(facet))
            found.setdefault(frozenset((left.text, right.text)), conflict)
    return found


def _shared(left: Claim, right: Claim, facets: Iterable[Facet]) -> Facet | None:
    both = set(left.facets) & set(right.facets)
    return next((facet for facet in facets if facet.id in both), None)


def _is_asked(facet: Facet) -> bool:
    """Whether the facet asks for the value that differs."""
    return asks_for_differences(facet.text) or wanted_by(facet.text) is not Wanted.ANY


def _clash(left: Claim, right: Claim, at: Desk) -> bool:
    return any(
        one.source != other.source
        and at.standing(one) is at.standing(other)
        and alike(words(one), words(other), at.rare) >= _SAME_THING
        and _differ(one, other)
        for one in _quoted(left, at)
        for other in _quoted(right, at)
    )


def _quoted(claim: Claim, at: Desk) -> list[Sentence]:
    """The sentences that the claim quotes."""
    return [sentence for sentence in at.reading.sentences if _quotes(claim, sentence)]


def _quotes(claim: Claim, sentence: Sentence) -> bool:
    return any(
        (cited.snapshot, cited.source_id) == (sentence.evidence.chunk.snapshot, sentence.source)
        and sentence.start < cited.end
        and cited.start < sentence.end
        for cited in claim.citations
    )


def _differ(one: Sentence, other: Sentence) -> bool:
    """Another value in one unit; or a denial on one side; or, without values, words of its own."""
    if one.quantities or other.quantities:
        return values_differ(one, other) or one.negated != other.negated
    apart = (words(one).keys() - words(other).keys(), words(other).keys() - words(one).keys())
    return one.negated != other.negated or all(apart)


def _differing(request: AnswerRequest, at: Desk) -> Iterator[Difference]:
    """What the extractive reader finds to differ, for each facet."""
    plan = request.pack.plan
    yield from differences([find(facet, plan.rewritten, at) for facet in plan.facets], at)


def _sides(each: Difference, claims: Claims, at: Desk, request: AnswerRequest) -> Pair | None:
    """The claims of both sides, one of them made here where it has none; None without any."""
    left, right = (
        next((claim for claim in claims if _quotes(claim, side)), None)
        for side in (each.left, each.right)
    )
    if left and right:
        return (left, right) if left != right else None
    if left:
        return left, _own_words(each.right, left.facets, at, request)
    return (_own_words(each.left, right.facets, at, request), right) if right else None


def _own_words(
    sentence: Sentence, facets: tuple[str, ...], at: Desk, request: AnswerRequest
) -> Claim:
    citations = cite(sentence, at.reading)
    words_of = on_one_line(citations[0].quote)
    text = framed(words_of, citations, named(request.pack.evidence), request)
    return Claim(text=text, facets=facets, citations=citations)
