"""What changes: each rule to come, or the present one, beside the rule it takes the place of."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.readers.asking import Asked
from rag.readers.evidence import Sentence
from rag.readers.words import folded

_AHEAD = re.compile(
    r"\bwhat (?:changes|will change)\b|\bwhat(?:'s| is| are) (?:changing|going to change)\b"
    r"|(?:会|将|要)有?(?:什么|哪些|何)(?:变化|改变|变动|变更)"
)
_BEHIND = re.compile(r"\bwhat (?:has |was )?changed\b|[改变]了什么")
_EITHER = re.compile(r"有(?:什么|哪些|何)(?:变化|改变|变动|变更)")
_ASKED = (_AHEAD, _BEHIND, _EITHER)
_SPAN = 4
"""How many changed sentences are told of one source."""


Nearest = Callable[[Sentence, Sequence[Sentence]], "Sentence | None"]
"""The sentence that speaks of the same as the first one; None where none does."""


@dataclass(frozen=True)
class Change:
    """``after`` takes the place of ``before``."""

    after: Sentence
    before: Sentence


def asks_for_changes(text: str) -> bool:
    """Whether a facet asks what becomes, or became, of the rules themselves."""
    plain = folded(text)
    return any(pattern.search(plain) for pattern in _ASKED)


def looks_back(text: str) -> bool:
    """Whether it asks only for what has changed already."""
    plain = folded(text)
    return bool(_BEHIND.search(plain)) and not _AHEAD.search(plain)


def subject(text: str) -> str:
    """The facet without the words that ask for changes."""
    plain = text
    for pattern in _ASKED:
        plain = re.sub(pattern.pattern, " ", plain, flags=re.IGNORECASE)
    return plain.strip(" ?？。.!！") or text


def changes(
    after: Sequence[Sentence], before: Sequence[Sentence], wanted: Asked, nearest: Nearest
) -> list[Change]:
    """Sentences of sources about what is asked that say another thing than what stood before."""
    about = {one.source for one in after if _touches(one, wanted)}
    told: dict[str, list[Change]] = {}
    for one in after:
        if one.source not in about or one.header:
            continue
        old = nearest(one, before)
        if old is not None and folded(old.text) != folded(one.text):
            told.setdefault(one.source, []).append(Change(one, old))
    rows = [found[:_SPAN] for found in told.values()]
    return [row[place] for place in range(_SPAN) for row in rows if place < len(row)]


def _touches(sentence: Sentence, wanted: Asked) -> bool:
    weight = sum(wanted.terms.values())
    seen = sentence.whole | sentence.title
    return (
        weight > 0
        and sum(share for term, share in wanted.terms.items() if term in seen) >= weight / 2
    )
