"""A question's words one by one, and which of them a cell, a header or a heading accounts for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rag.readers.words import FUNCTION_WORDS, ZH_FUNCTION, ZH_PROTECTED, closed, folded
from rag.text.tokenise import is_cjk, stem

_WORD = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]"
    r"|[a-z]+\d[a-z\d]*(?:\.\d+)*|\d+(?:[.,]\d+)*|[^\W\d_\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
_PARTS = re.compile(r"\s[-–—]+\s|[,，;；:：/、()（）\[\]【】|]")
_ARTICLES = closed("a an the of")
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SAME = {word: str(value) for value, word in enumerate(_NUMBERS, 2)} | {
    "maximum": "max",
    "minimum": "min",
}
_TELLING = closed("old other another before either neither")
"""Words that seldom carry subject matter, and set a row apart all the same."""
_LIGHT = frozenset(
    stem(word)
    for word in closed(
        "limit limits value allow allows allowed offer offers offered include"
        " includes included provide provides provided come comes need needs needed require"
        " requires required use uses used apply applies give gives given take takes taken handle"
        " handled set exactly please"
    )
)
"""What a question may say beside the names of a row and a column."""
_LIGHT_ZH = re.compile(
    r"上限|最多|需要|提供|支持|使用|具体|时间|数量|号码|为|每|满|工作(?=满|了?\s?\d)"
    "|[室处数量额值号种类项度位限者家人台名个次条份件]"
)


@dataclass(frozen=True)
class Words:
    """A text word by word, each Chinese character one; ``starts`` in the folded text.

    ``telling`` are the places of the words that carry subject matter, ``light`` those of
    the words among them that a table need not say again.
    """

    words: tuple[str, ...]
    starts: tuple[int, ...]
    telling: frozenset[int]
    light: frozenset[int]


@lru_cache(maxsize=4096)
def words_of(text: str) -> Words:
    """``text`` word by word."""
    plain = folded(text)
    found = list(_WORD.finditer(plain))
    starts = tuple(match.start() for match in found)
    words = tuple(_normal(match[0]) for match in found)
    empty = _places(plain, starts, _function_spans(plain))
    telling = {
        at
        for at, match in enumerate(found)
        if at not in empty and (match[0] not in FUNCTION_WORDS or _tells(plain, text, match))
    }
    light = _places(plain, starts, (m.span() for m in _LIGHT_ZH.finditer(plain)))
    light |= {at for at in telling if words[at] in _LIGHT}
    return Words(words, starts, frozenset(telling), frozenset(light) & frozenset(telling))


def named(cell: str, question: Words) -> frozenset[int]:
    """The places in ``question`` that name the cell: all words of it, or of a part of it."""
    best = frozenset[int]()
    for part in dict.fromkeys((cell, *_PARTS.split(cell))):
        said = words_of(part)
        found = _whole(said.words, question) if said.telling else best
        best = max(best, found, key=len)
    lone = len(best) == 1 and is_cjk(question.words[min(best)])
    return best if best & question.telling and not lone else frozenset()


def shared(text: str, question: Words) -> frozenset[int]:
    """The telling places in ``question`` whose words ``text`` has; of Chinese, two in a row."""
    said = words_of(text).words
    pairs = set(pairwise(said))
    found = set[int]()
    for at, word in enumerate(question.words):
        if not is_cjk(word):
            found |= {at} if word in said else set()
        elif (word, *question.words[at + 1 : at + 2]) in pairs:
            found |= {at, at + 1}
    return frozenset(found) & question.telling


def letters(text: str, question: Words) -> frozenset[int]:
    """The places of single Chinese characters in ``question`` that ``text`` has."""
    said = set(words_of(text).words)
    return frozenset(
        at for at in question.telling if is_cjk(question.words[at]) and question.words[at] in said
    )


def _whole(part: Sequence[str], question: Words) -> frozenset[int]:
    """Where all of ``part`` stands in the question, in a row or, of Latin words, in any order."""
    wanted = tuple(word for word in part if word not in _ARTICLES)
    wide = len(wanted)
    for at in range(len(question.words) - wide + 1):
        if wanted and question.words[at : at + wide] == wanted:
            return frozenset(range(at, at + wide))
    loose = wide > 1 and all(len(word) > 1 and not is_cjk(word) for word in wanted)
    if not loose or not set(wanted) <= set(question.words):
        return frozenset()
    return frozenset(question.words.index(word) for word in wanted)


def _tells(plain: str, text: str, match: re.Match[str]) -> bool:
    """Whether a function word sets a row apart: a letter that names (Grade A), "old", "other"."""
    word, at = match[0], match.start()
    if len(word) > 1 or word == "i" or plain[at - 1 : at] in ("'", "’"):
        return word in _TELLING
    return word != "a" or bool(at and len(text) == len(plain) and text[at] == "A")


def _normal(word: str) -> str:
    if word[0].isdigit():
        number = re.sub(r",(?=\d{3}(?!\d))", "", word)
        return re.sub(r"\.0+\Z", "", number) if number.count(".") == 1 else number
    if re.match(r"v\d", word):
        return word[1:]
    return _SAME.get(word) or stem(word)


def _function_spans(plain: str) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(plain):
        protected = ZH_PROTECTED.match(plain, at)
        match = protected or ZH_FUNCTION.match(plain, at)
        if match and not protected:
            yield match.span()
        at = match.end() if match else at + 1


def _places(plain: str, starts: Sequence[int], spans: Iterable[tuple[int, int]]) -> set[int]:
    within = {at for start, end in spans for at in range(start, end)}
    return {at for at, start in enumerate(starts) if start in within and is_cjk(plain[start])}
