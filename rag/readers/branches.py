"""Conditions a question leaves open: the same thing said of several, with another value each.

A question that names no edition is answered for every edition: one sentence alone
would be true and still mislead.
"""

from collections.abc import Mapping, Sequence

from rag.readers.asking import Asked
from rag.readers.evidence import Sentence
from rag.readers.likeness import alike, measured, values_differ
from rag.readers.scoring import Scored

MOST = 4
_CLOSE = 0.8
_PARALLEL = 0.6


def branches(
    wanted: Asked, best: Scored, rivals: Sequence[Scored], rare: Mapping[str, float]
) -> list[Scored]:
    """The rivals that say of another condition what ``best`` says of its own, at most `MOST`.

    Neither condition is named in the question, or the question would have chosen.
    """
    found: list[Scored] = []
    for each in rivals:
        told = [best, *found]
        if each.score >= best.score * _CLOSE and all(
            _parallel(wanted, other.sentence, each.sentence, rare) for other in told
        ):
            found.append(each)
    return found[:MOST]


def _parallel(wanted: Asked, left: Sentence, right: Sentence, rare: Mapping[str, float]) -> bool:
    ours, theirs = measured(left), measured(right)
    apart = (ours.keys() - theirs.keys(), theirs.keys() - ours.keys())
    return (
        all(apart)
        and not any(side & wanted.terms.keys() for side in apart)
        and values_differ(left, right)
        and alike(ours, theirs, rare) >= _PARALLEL
    )
