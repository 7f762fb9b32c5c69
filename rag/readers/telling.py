"""What a question names, and the sentences that speak of another: no answer from leftover words.

A sentence may be close in words and still be about something else: the other
edition, another quarter, a person the sources never mention.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from rag.readers.evidence import Sentence, all_terms, subject_runs
from rag.readers.words import folded

Rival = Callable[[str], str]
_ITSELF = "itself"
_SIBLING = "sibling"
_SLOT = re.compile(r"[a-z]*\d[\w.-]*")
_COUNTED_ZH = re.compile(r"(?:多少|几)([\u3400-\u9fff]{2,6})")
_CAPITAL = re.compile(
    r"(?<![^\W\u3400-\u9fff])(?<![.-])(?=[a-z]*[A-Z])[^\W\d_\u3400-\u9fff]{2,}(?![\d_-])"
)
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d\Z")
_WORD = re.compile(r"[A-Za-z][\w-]*")
_NAME = re.compile(r"[^.!?\s]\s+[\"“'(]?([A-Z][\w-]+)")
_KIN = 3
_BESIDE = 2
_PLACES = 20


def unknown(facet: str, sentences: Sequence[Sentence]) -> bool:
    """Whether ``facet`` names something, or counts something, that occurs in no candidate."""
    seen = frozenset[str]().union(*(each.terms | each.whole for each in sentences))
    names = frozenset[str]().union(*map(all_terms, _names(facet)))
    return bool(sentences) and (not names <= seen or _unseen_count(facet, seen))


def _names(facet: str) -> list[str]:
    """Words with a capital; the first word of a sentence has one whatever it is."""
    return [match[0] for match in _CAPITAL.finditer(facet) if match.start() > 0]


def rivals(facet: str, sentences: Sequence[Sentence]) -> tuple[Rival, ...]:
    """For each name in ``facet``, whether a text carries a sibling of it and not the name."""
    texts = tuple(dict.fromkeys(_reach(each) for each in sentences))
    return (*_codes(facet), *_kin(facet, texts), *_paired(facet, texts))


def speaks_of_another(sentence: Sentence, named: Sequence[Rival]) -> bool:
    """Whether ``sentence`` is about a sibling of a name in the question.

    What the sentence says of itself counts before its headings, and these before its title.
    """
    levels = _levels(sentence)
    return any(next(filter(None, map(rival, levels)), "") == _SIBLING for rival in named)


def _levels(sentence: Sentence) -> tuple[str, ...]:
    evidence = sentence.evidence
    return (sentence.text, *reversed(evidence.chunk.heading_path), evidence.source.title)


def _reach(sentence: Sentence) -> str:
    return "\n".join(_levels(sentence))


def _told(*, itself: bool, sibling: bool) -> str:
    return _ITSELF if itself else _SIBLING if sibling else ""


def _unseen_count(facet: str, seen: frozenset[str]) -> bool:
    """Whether what the facet counts (多少种 X) occurs in no candidate.

    A Chinese pair may straddle two words, so only one with a stranger on both
    sides is a word of its own.
    """
    counted = _COUNTED_ZH.search(facet)
    runs = subject_runs(counted[1]) if counted else ()
    return any(_unseen_within(run, seen) for run in runs)


def _unseen_within(run: str, seen: frozenset[str]) -> bool:
    pairs = [run[i : i + 2] in seen for i in range(len(run) - 1)]
    lone = [not (i and pairs[i - 1]) and not (i < len(pairs) and pairs[i]) for i in range(len(run))]
    strange = [not {run[i], run[i + 1]} <= seen for i in range(len(pairs))]
    return any(lone[i] and lone[i + 1] and strange[i] for i in range(len(pairs)))


def _codes(facet: str) -> list[Rival]:
    """Codes and years: another of the same letters and length is a sibling (Q3 and Q2)."""
    return [
        _other_code(code)
        for code in _SLOT.findall(folded(facet))
        if not code[0].isdigit() or _YEAR.match(code)
    ]


def _other_code(code: str) -> Rival:
    shape = _shape(code)

    def other(text: str) -> str:
        found = _SLOT.findall(folded(text))
        return _told(itself=code in found, sibling=shape in map(_shape, found))

    return other


def _shape(code: str) -> str:
    return re.sub(r"\d", "#", code)


def _kin(facet: str, texts: Sequence[str]) -> list[Rival]:
    """Three characters of which the last names the kind (标准版): 企业版 is a sibling.

    A sibling ends in the same character and stands somewhere beside the very
    neighbours the name has (Harbor 标准版每台, Harbor 企业版每台).
    """
    whole = "\n".join(texts)
    grams = {run[i : i + _KIN] for run in subject_runs(facet) for i in range(len(run) - 2)}
    return [_without(gram[:2], kin) for gram in sorted(grams) if (kin := _kin_of(gram, whole))]


def _kin_of(gram: str, whole: str) -> frozenset[str]:
    places = [match.start() for match in re.finditer(re.escape(gram), whole)][:_PLACES]
    before = {whole[at - _BESIDE : at] for at in places if at >= _BESIDE}
    after = {whole[at + _KIN : at + _KIN + _BESIDE] for at in places}
    other = rf"(?=([\u3400-\u9fff]{{2}}{gram[-1]}))"
    led = _found(other, [f"(?<={re.escape(each)})" for each in sorted(before)], whole)
    followed = _found(other, [f"(?=.{{3}}{re.escape(each)})" for each in sorted(after)], whole)
    return frozenset(k for k in led & followed if k[0] != gram[0] and k[1] != gram[1])


def _found(other: str, places: Sequence[str], whole: str) -> set[str]:
    return set(re.findall(f"(?:{'|'.join(places)}){other}", whole)) if places else set()


def _paired(facet: str, texts: Sequence[str]) -> list[Rival]:
    """A capitalised name: another is a sibling that stands beside two of the same words.

    Atlas Standard, Atlas Enterprise, Harbor Standard, Harbor Enterprise: Standard
    and Enterprise are siblings, and so are Atlas and Harbor.
    """
    after, before = _neighbours(texts)
    found = []
    for name in dict.fromkeys(match[1] for match in _NAME.finditer(facet)):
        kin = _sharing(name, after) | _sharing(name, before)
        kin -= set(_WORD.findall(facet))
        found += [_without(name, frozenset(kin))] if kin else []
    return found


def _neighbours(texts: Sequence[str]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """For each capitalised word, the capitalised words that follow it, and that precede it."""
    after: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    for first, second in (pair for text in texts for pair in pairwise(_WORD.findall(text))):
        if first[0].isupper() and second[0].isupper():
            after.setdefault(first, set()).add(second)
            before.setdefault(second, set()).add(first)
    return after, before


def _sharing(name: str, beside: Mapping[str, set[str]]) -> set[str]:
    ours = beside.get(name, set())
    return {other for other, theirs in beside.items() if len(theirs & ours) > 1}


def _without(name: str, kin: frozenset[str]) -> Rival:
    return lambda text: _told(itself=name in text, sibling=any(each in text for each in kin))
