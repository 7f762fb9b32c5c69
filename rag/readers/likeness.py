"""How alike two sentences are beside their values, and whether their values differ."""

import re
from collections.abc import Mapping

from rag.readers.evidence import Sentence, content
from rag.readers.quantities import Quantity, Sort, quantities

_NUMERAL = re.compile(r"\d")
_CLAUSE = re.compile(r"[，；;]|,(?!\d)")


def values_differ(left: Sentence, right: Sentence) -> bool:
    """Whether both measure something in one unit, and no value of the one is the other's."""
    ours, theirs = _by_unit(left), _by_unit(right)
    shared = ours.keys() & theirs.keys()
    return bool(shared) and any(not ours[unit] & theirs[unit] for unit in shared)


def alike(
    ours: Mapping[str, float], theirs: Mapping[str, float], rare: Mapping[str, float]
) -> float:
    """Rarity-weighted share of the smaller side's words that the other has too."""
    both = sum(share * rare.get(term, 0.0) for term, share in ours.items() if term in theirs)
    smaller = min(_mass(ours, rare), _mass(theirs, rare))
    return both / (smaller or 1.0)


def words(sentence: Sentence) -> dict[str, float]:
    """The sentence's content terms without its numerals, each with its share of weight."""
    return _words(sentence.text)


def measured(sentence: Sentence) -> dict[str, float]:
    """As `words`, of the clauses alone that hold a value, where any does."""
    clauses = [clause for clause in _CLAUSE.split(sentence.text) if quantities(clause)]
    return _words(" ".join(clauses) or sentence.text)


def _words(text: str) -> dict[str, float]:
    return {t: share for t, share in content(text).items() if not _NUMERAL.search(t)}


def _by_unit(sentence: Sentence) -> dict[tuple[Sort, str], set[str]]:
    units: dict[tuple[Sort, str], set[str]] = {}
    for quantity in sentence.quantities:
        units.setdefault(_unit_of(quantity), set()).add(quantity.value)
    return units


def _unit_of(quantity: Quantity) -> tuple[Sort, str]:
    full = quantity.sort is Sort.DATE and "?" not in quantity.value
    return quantity.sort, "day" if full else quantity.unit


def _mass(terms: Mapping[str, float], rare: Mapping[str, float]) -> float:
    return sum(share * rare.get(term, 0.0) for term, share in terms.items())
