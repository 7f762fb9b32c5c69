"""Search terms: one tokeniser for index and query.

Latin words lower-cased and stemmed (Snowball English), numbers and codes kept
whole and in parts, runs of Han, kana and hangul as single characters and
overlapping pairs (bigrams), full and half width folded by NFKC. Folding serves
search only: no text that is shown passes through here.
"""

import re
import unicodedata
from functools import lru_cache

from snowballstemmer import stemmer as _snowball

VERSION = "1"

_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0003134f"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:[-_./:][^\W_{_CJK}]+)*")
_IS_CJK = re.compile(rf"[{_CJK}]")
_PART = re.compile(rf"\d+(?:\.\d+)*|[^\W\d_{_CJK}]+")
_LATIN = re.compile(r"[a-z]+\Z")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The English stem of a lower-case word; other scripts come back unchanged."""
    if len(word) < 4 or not _LATIN.match(word):
        return word
    return str(_snowball("english").stemWord(word))


def _pairs(run: str) -> list[str]:
    return [*run, *(run[i : i + 2] for i in range(len(run) - 1))]


def _word_terms(run: str) -> list[str]:
    parts = [stem(part) for part in _PART.findall(run)]
    return [run, *parts] if len(parts) > 1 else parts or [run]


def terms(text: str) -> list[str]:
    """The search terms of ``text`` in order, repeats kept.

    ``"D-204 付款"`` gives ``["d-204", "d", "204", "付", "款", "付款"]``.
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    found: list[str] = []
    for run in _RUN.findall(folded):
        found.extend(_pairs(run) if _IS_CJK.match(run) else _word_terms(run))
    return found


def is_cjk(text: str) -> bool:
    """Whether the first character is Han, kana or hangul."""
    return bool(_IS_CJK.match(text))
