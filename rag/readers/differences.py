"""Two sources that state different values, or opposite things, about the same thing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from rag.readers.asking import Wanted
from rag.readers.evidence import Sentence
from rag.readers.findings import Desk, Finding
from rag.readers.likeness import alike, values_differ, words

_ALIGNED = 0.45
_SAME_WORDS = 0.72
_SAME_SUBJECT = 0.16
_NAME = re.compile(r"\b[A-Z][\w-]*[A-Za-z0-9]\b")


@dataclass(frozen=True)
class Difference:
    """Two sentences that cannot both hold. ``asked``: the facet asks for what differs."""

    about: str
    left: Sentence
    right: Sentence
    asked: bool


def differences(findings: list[Finding], at: Desk) -> tuple[Difference, ...]:
    """The differences among what competes to answer each facet, each pair once."""
    compares = any(finding.differences for finding in findings)
    found: dict[frozenset[tuple[str, int, int]], Difference] = {}
    for finding in findings:
        rivals = [each.sentence for each in finding.related[:8]]
        for left, right in combinations(rivals, 2):
            pair = frozenset((left.key, right.key))
            if (
                pair not in found
                and left.source != right.source
                and _clash(left, right, finding, at)
            ):
                is_asked = compares or _asks(finding)
                found[pair] = Difference(finding.facet.text, left, right, is_asked)
    return _one_a_pair_of_sources(list(found.values()))


def _one_a_pair_of_sources(found: list[Difference]) -> tuple[Difference, ...]:
    kept: dict[tuple[str, frozenset[str]], Difference] = {}
    for each in found:
        kept.setdefault((each.about, frozenset((each.left.source, each.right.source))), each)
    return tuple(kept.values())[:4]


def _asks(finding: Finding) -> bool:
    return finding.asked.wanted is not Wanted.ANY


def _clash(left: Sentence, right: Sentence, finding: Finding, at: Desk) -> bool:
    if at.standing(left) is not at.standing(right) or not _same_subject(
        left, right, finding, at.rare
    ):
        return False
    if values_differ(left, right):
        return alike(words(left), words(right), at.rare) >= _ALIGNED
    return (
        left.negated != right.negated
        and not left.quantities
        and not right.quantities
        and alike(words(left), words(right), at.rare) >= _SAME_WORDS
    )


def _same_subject(
    left: Sentence, right: Sentence, finding: Finding, rare: Mapping[str, float]
) -> bool:
    """Both touch the same words of the facet, and neither names what the other does not."""
    weights = {t: share * rare.get(t, rare[""]) for t, share in finding.asked.terms.items()}
    apart = sum(w for t, w in weights.items() if (t in _reach(left)) != (t in _reach(right)))
    if apart > _SAME_SUBJECT * (sum(weights.values()) or 1.0):
        return False
    ours, theirs = _names(left), _names(right)
    return not (ours - theirs and theirs - ours)


def _reach(sentence: Sentence) -> frozenset[str]:
    return sentence.terms | sentence.above


def _names(sentence: Sentence) -> frozenset[str]:
    """Capitalised words after the first: what a sentence is about by name."""
    return frozenset(
        match[0].lower() for match in _NAME.finditer(sentence.text) if match.start() > 0
    )
