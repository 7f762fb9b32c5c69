"""Names that a claim uses and that neither its quotes, the question nor a cited title has.

A name is what is written with a capital letter inside a sentence, a Latin word
inside Chinese text, and of Chinese words those that show that they are one: a
title in 《》, a transliteration with ``·``, an office, place or company by its
last character. A text in another script than all of the quotes is not compared:
there a name cannot be found again as it is written.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from rag.text.checks.folding import closed, in_han
from rag.text.checks.units import NAMES
from rag.text.tokenise import stem

_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+(?:['’][^\W\d_]+)?")
_OPENS = re.compile(r"(?:^|[.!?:;\n\"“‘'(\[•|]|[-–—*/])\s*\Z")
_KINDS = (
    "省|市|县|州|局|厅|大学|医院|公司|银行|委员会|条例|协会|集团|办公室|法院|检察院"
    "|部(?![门分署件队位长落属])"
)
_HAN_NAMES = (
    re.compile(r"《([^》]{2,30})》"),
    re.compile(r"([\u3400-\u9fff](?:·[\u3400-\u9fff]{1,6})*·[\u3400-\u9fff])"),
    re.compile(rf"(?=(?P<name>(?![的一该本各某和与及在由向])[\u3400-\u9fff]{{2}}(?:{_KINDS})))"),
)
_NOT_NAMED = re.compile(r"[的一该本各某和与及在由向全内外干总这那级]|有限|责任|股份|上市|城|都")
_NO_NAMES = frozenset(
    closed(
        "i i'm i'd i'll i've ok january february march april may june july august september october"
        " november december monday tuesday wednesday thursday friday saturday sunday"
        " jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun"
    )
)
_TITLES = frozenset(closed("mr mrs ms dr prof sir lady lord st"))
_ROOT = 5


def stray_names(said: str, held: Sequence[str], granted: Sequence[str]) -> Iterator[str]:
    """One reason for each name of ``said`` that is in none of ``held`` and ``granted``."""
    claim = unicodedata.normalize("NFKC", said)
    known = [unicodedata.normalize("NFKC", text) for text in (*held, *granted)]
    scripts = {in_han(text) for text in known[: len(held)]}
    if True in scripts:
        for name in _han_names(claim):
            if not any(name in text for text in known):
                yield f"{name} is named in none of the quotes"
    if False in scripts or in_han(claim):
        known_words = _Known(known)
        for name in dict.fromkeys(_latin_names(claim)):
            if not known_words.has(name):
                yield f"{name} is named in none of the quotes"


def _han_names(claim: str) -> Iterator[str]:
    for pattern in _HAN_NAMES:
        for match in pattern.finditer(claim):
            name = match[match.lastindex or 0]
            if pattern is not _HAN_NAMES[-1] or not _NOT_NAMED.search(name[:2]):
                yield name


def _latin_names(claim: str) -> Iterator[str]:
    """Every Latin word of Chinese text; of other text what a capital letter marks as a name."""
    chinese = in_han(claim)
    words = list(_WORD.finditer(claim))
    for word, after in zip(words, [*words[1:], None], strict=False):
        text = re.sub(r"['’]s?\Z", "", word[0])
        if len(text) < 2 or text.lower() in _NO_NAMES | _TITLES:
            continue
        if (chinese and text.lower() not in NAMES) or _is_name(claim, word, after):
            yield text


def _is_name(claim: str, word: re.Match[str], after: re.Match[str] | None) -> bool:
    """A capital inside a sentence or a word; at its beginning only before another name."""
    if any(sign.isupper() for sign in word[0][1:]):
        return True
    if not word[0][0].isupper():
        return False
    if not _OPENS.search(claim[: word.start()]):
        return True
    beside = after is not None and claim[word.end() : after.start()] == " "
    return bool(beside and after and after[0][0].isupper() and stem(word[0].lower()) not in _COMMON)


_COMMON = frozenset(
    stem(word)
    for word in closed(
        "a an the this that these those all any each every no some most many both either neither"
        " in on at to for from by with of as if when while after before since until unless because"
        " although though however and or but so yet there here it its they their he his she her we"
        " our you your who what which where how why under over during between among through about"
        " both other another such only also then now according current former new total each"
    )
)


class _Known:
    """The words that may be named."""

    def __init__(self, texts: Sequence[str]) -> None:
        words = [word for text in texts for word in _WORD.findall(text)]
        self._written = [word.lower() for word in words]
        self._stems = frozenset(stem(re.sub(r"['’]s?\Z", "", word)) for word in self._written)
        self._short = frozenset(word.lower() for word in words if word.isupper())
        self._initials = "".join(word[0] for word in self._written)

    def has(self, name: str) -> bool:
        """As the same word, as a longer or shorter form of one, or by its first letters."""
        low = name.lower()
        if stem(low) in self._stems:
            return True
        if name.isupper() and len(name) > 1:
            return low in self._initials
        return len(low) > _ROOT and any(word[:_ROOT] == low[:_ROOT] for word in self._written)
