"""How well a sentence answers a facet: rarity-weighted overlap, kind of value, surroundings.

Rarity is counted over the sentences at hand (the inverse document frequency of
Robertson and Spärck Jones), so a term the candidates never use weighs most and
its absence counts against every sentence.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from rag.readers.asking import Asked, Wanted, holds
from rag.readers.evidence import Sentence
from rag.readers.words import HAN
from rag.text.sentences import Form
from rag.text.tokenise import is_cjk

NEAR = 0.5
TITLED = 0.8
UNSEEN = 12
"""Sentences imagined beside those at hand, so that among few of them a shared word still weighs."""
STRADDLING = 0.8
ABOVE = 0.7
ASKED = 0.9
"""How far a term that the document's own question holds is in the first sentence of its answer."""
ANSWERED = 0.85
"""From this share of the facet in that question on, the answer is one to the facet."""
THRESHOLD = 0.62
THRESHOLD_ZH = 0.53
"""Below these no sentence answers. Set on the even halves of public question sets
with and without an answer, where Chinese pairs overlap by chance less often
than English words.
"""


@dataclass(frozen=True)
class Scored:
    """A sentence with its score for one facet and the features that made it up.

    Of a table's row that answers, ``columns`` are the cells that do, ``names`` those it is
    named by; ``called`` as in `rag.readers.tables.lookup`.
    """

    sentence: Sentence
    score: float
    features: Mapping[str, float]
    columns: tuple[int, ...] = ()
    names: tuple[int, ...] = ()
    called: bool = True


def rarity(sentences: Sequence[Sentence]) -> dict[str, float]:
    """The weight of each term that occurs; `weight` gives that of one that does not."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(sentence.terms)
    total = len(sentences)
    return {term: _idf(count, total) for term, count in counts.items()} | {"": _idf(0, total)}


def _idf(count: int, total: int) -> float:
    return math.log(1 + (total + UNSEEN - count + 0.5) / (count + 0.5))


def weights_of(words: Mapping[str, float], rare: Mapping[str, float]) -> dict[str, float]:
    """Each term's share times its rarity."""
    return {term: share * rare.get(term, rare[""]) for term, share in words.items()}


def rank(facet: Asked, sentences: Sequence[Sentence], rare: Mapping[str, float]) -> list[Scored]:
    """All sentences that share a term with the facet, best first, then in reading order."""
    full, bare = weights_of(facet.terms, rare), weights_of(facet.bare, rare)
    scored = [score(facet, s, full=full, bare=bare) for s in sentences if not s.header]
    return sorted((s for s in scored if s.features["own"] > 0), key=lambda s: -s.score)


def score(
    facet: Asked, sentence: Sentence, *, full: Mapping[str, float], bare: Mapping[str, float]
) -> Scored:
    """Score one sentence; every feature lies within 0 and 1."""
    typed = facet.wanted not in {Wanted.ANY, Wanted.YES_OR_NO, Wanted.WHERE}
    right = typed and holds(facet.wanted, sentence, facet)
    told = _told(sentence, full)
    features = _features(facet, sentence, bare if right else full, told=told)
    lacks = typed and not right and facet.wanted is not Wanted.MEANING and not told
    features |= {"kind": float(right), "lacks": float(lacks)}
    total = (
        0.62 * features["own"]
        + 0.30 * features["around"]
        + 0.10 * features["names"]
        + 0.05 * features["headed"]
        + 0.04 * features["tongue"]
        + 0.05 * features["context"]
        + 0.12 * features["kind"]
        - 0.25 * features["lacks"]
        - 0.40 * features["stray"]
        - 0.06 * features["terse"]
    )
    return Scored(sentence=sentence, score=round(total, 6), features=features)


def _told(sentence: Sentence, weights: Mapping[str, float]) -> bool:
    """Whether the document asks what the facet asks, and the sentence begins its answer.

    Its headings and title may say the rest; no word of the facet may be left unsaid.
    """
    if not sentence.asked:
        return False
    said = _within(sentence.asked | sentence.terms | sentence.above, weights)
    unsaid = any(not there and not is_cjk(term) for term, there in said.items())
    share = sum(weight * said[term] for term, weight in weights.items())
    return not unsaid and share >= ANSWERED * sum(weights.values())


def _features(
    facet: Asked, sentence: Sentence, weights: Mapping[str, float], *, told: bool
) -> dict[str, float]:
    total = sum(weights.values()) or 1.0
    inside = _inside(sentence, weights, told=told)
    own = sum(w * inside[term] for term, w in weights.items())
    named = sum(w for term, w in weights.items() if not inside[term] and term in sentence.title)
    around = sum(w * max(inside[term], _beside(term, sentence)) for term, w in weights.items())
    return {
        "own": own / ((total - TITLED * named) or 1.0),
        "around": around / total,
        "headed": sum(w for term, w in weights.items() if term in sentence.head) / total,
        "names": _share(facet.names, sentence),
        "context": _share(facet.context, sentence),
        "tongue": float(bool(HAN.search(facet.text)) == bool(HAN.search(sentence.text))),
        "stray": sum(1 for n in facet.names if n not in sentence.whole) / (len(facet.names) or 1),
        "terse": float(len(sentence.text) < 12 and sentence.form is not Form.ROW),
    }


def _inside(sentence: Sentence, weights: Mapping[str, float], *, told: bool) -> dict[str, float]:
    """How far each term is in the sentence, or in the question it was ``told`` to answer."""
    inside = _within(sentence.terms, weights)
    if told:
        asked = _within(sentence.asked, weights)
        inside = {term: max(there, ASKED * asked[term]) for term, there in inside.items()}
    return inside


def _within(terms: Set[str], weights: Mapping[str, float]) -> dict[str, float]:
    """How far each term is among ``terms``; a pair of characters that two words share counts.

    Pairs that straddle two Chinese words need not occur when both words do.
    """
    inside = {term: float(term in terms) for term in weights}
    met = {c for term, there in inside.items() if there and _is_pair(term) for c in term}
    for term, there in inside.items():
        if not there and _is_pair(term) and term[0] in met and term[1] in met:
            inside[term] = STRADDLING
    return inside


def _is_pair(term: str) -> bool:
    return len(term) == 2 and is_cjk(term)


def _beside(term: str, sentence: Sentence) -> float:
    if term in sentence.terms:
        return 1.0
    if term in sentence.above:
        return ABOVE
    return NEAR if term in sentence.near else 0.0


def _share(wanted: frozenset[str], sentence: Sentence) -> float:
    if not wanted:
        return 0.0
    return sum(_beside(term, sentence) for term in wanted) / len(wanted)


def likeness(proposal: Sentence, current: Sentence, rare: Mapping[str, float]) -> float:
    """How much of the smaller one's rare words two share; 0 where they measure different things."""
    units = {(q.sort, q.unit) for q in proposal.quantities}
    if units and not units & {(q.sort, q.unit) for q in current.quantities}:
        return 0.0
    shared = sum(rare.get(term, 0.0) for term in proposal.terms & current.terms)
    smaller = min(
        sum(rare.get(term, 0.0) for term in proposal.terms),
        sum(rare.get(term, 0.0) for term in current.terms),
    )
    return shared / (smaller or 1.0)
