"""Conflicts that a model proposes, of which the quotes show that they are conflicts.

Both sides stand as claims with located quotes, answer one facet, come from two sources of
the same standing, speak of the same thing, and differ in it.
"""

from collections.abc import Iterable, Sequence

from rag.ports import AnswerRequest
from rag.readers.asking import Wanted, wanted_by
from rag.readers.evidence import Sentence
from rag.readers.findings import Desk, asks_for_differences, desk
from rag.readers.likeness import alike, values_differ, words
from rag.readers.phrases import as_asked
from rag.values import Claim, Conflict, Facet

_SAME_THING = 0.4
_MOST = 4


def conflicts(pairs: Sequence[tuple[Claim, Claim]], request: AnswerRequest) -> tuple[Conflict, ...]:
    """The proposed pairs that are conflicts; what each is about is said in the asker's words."""
    if not pairs:
        return ()
    pack = request.pack
    at = desk(pack.evidence, time_state=pack.plan.time_state, day=request.asked_at.date())
    found: dict[frozenset[str], Conflict] = {}
    for left, right in pairs:
        facet = _shared(left, right, pack.plan.facets)
        if facet and _clash(left, right, at):
            about = as_asked(facet.text)
            conflict = Conflict(about=about, sides=(left, right), asked=_is_asked(facet))
            found.setdefault(frozenset((left.text, right.text)), conflict)
    return tuple(found.values())[:_MOST]


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
    return [
        sentence
        for sentence in at.reading.sentences
        for cited in claim.citations
        if sentence.evidence.chunk.snapshot == cited.snapshot
        and sentence.evidence.source.source_id == cited.source_id
        and sentence.start < cited.end
        and cited.start < sentence.end
    ]


def _differ(one: Sentence, other: Sentence) -> bool:
    """Another value in one unit; or a denial on one side; or, without values, words of its own."""
    if one.quantities or other.quantities:
        return values_differ(one, other) or one.negated != other.negated
    apart = (words(one).keys() - words(other).keys(), words(other).keys() - words(one).keys())
    return one.negated != other.negated or all(apart)
