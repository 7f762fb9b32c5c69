"""The small words that turn a sentence: denials, modals, "only", "all", and the words they turn.

A text becomes its content words in order (a Chinese character each), clause ends
among them, and its marks, each at the place of the word that follows it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from rag.text.checks.dates import dates
from rag.text.checks.folding import closed
from rag.text.tokenise import stem


class Mark(StrEnum):
    """What a small word does to the words beside it."""

    DENIES = "denies"
    MAY = "may"
    SHOULD = "should"
    MUST = "must"
    FORBIDDEN = "must not"
    SPARED = "need not"
    ONLY = "only"
    ALL = "all"
    SOME = "some"
    MOST = "most"
    FLOOR = "at least"
    CEILING = "at most"


MODAL = frozenset({Mark.MAY, Mark.SHOULD, Mark.MUST, Mark.FORBIDDEN, Mark.SPARED})
REACH = frozenset({Mark.ALL, Mark.SOME, Mark.MOST})
BOUND = frozenset({Mark.FLOOR, Mark.CEILING})
_BESIDE = 2
_FAR = 4
"""So many words on each side tell of a place."""
END = "|"
"""Stands for the end of a clause among the content words."""

_NUMBER_NEXT = (
    r"(?=\s(?:[$€£¥]?\d|(?:a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen"
    r"|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundreds?|thousands?|millions?|half)\b))"
)
_NEUTRAL = (
    r"\bnot (?:only|solely|merely|just)\b|\bno\. ?\d|\bwhether or not\b|\b(?:no|non)-[a-z]+"
    r"|\b(?:the|a) most\b|\bat all\b|\bas (?:soon|much|many|far) as possible\b"
    "|不仅仅?|不但|不过|无论|不论|不管|不同|非常|除非|是不是|能不能|会不会|有没有|南非|北非|非洲|不久|不断|逾期|不勒斯|不莱梅|不丹"
    "|未来|无线|不少|是否|能否|可否|否则|不锈|不列颠|未必|无数|无穷|不妨|不免|差不多"
    "|应用|应对|应急|应届|响应|相应|供应|反应|适应|对应|效应|回应|因应|感应|呼应|答应|應用|應對|響應"
    "|相應|供應|反應|適應|對應|效應|回應|感應|需求|所需|供需|急需|须知|必须品|必需品|内需"
    "|功能|智能|能力|能源|性能|才能|能量|节能|职能|核能|太阳能|技能|机能|效能|动能|潜能|能手|能干|只要|只是"
    "|可用|可靠|许可|认可|可见|可选|可视|可是|可爱|可持续|可读|可写|可执行|可扩展|可行|可变|可分|可比|可观|可怕"
    "|可惜|可见|可乐|可汗|部分地|一部分|组成部分|两部分|三部分|各部分|这部分|该部分|第.部分|部分别"
)
_RULES: tuple[tuple[str, frozenset[Mark]], ...] = (
    (
        r"\b(?:(?:must|may|shall|should|can|will|does|do) ?)?not (?:to )?exceed(?:ing)?\b"
        r"|\b(?:no|not) (?:more|later|longer|greater|higher) than\b|\bat most\b|\bup to\b"
        rf"|\b(?:less|fewer|lower|shorter) than\b|\b(?:under|below){_NUMBER_NEXT}"
        "|不(?:得|应|能|可|可以)?(?:超过|多于|高于|大于|长于)|至多|最多|以下|以内|不足|少于|低于|小于|未满|不满",
        frozenset({Mark.CEILING}),
    ),
    (
        r"\b(?:no|not) (?:less|fewer|earlier|shorter|lower) than\b|\bat least\b"
        rf"|\b(?:more|greater|higher|longer) than\b|\b(?:over|above|exceeding){_NUMBER_NEXT}"
        "|不(?:得|应|能|可|可以)?(?:少于|低于|小于|短于)|至少|最少|以上|超过|多于|高于|大于|逾",
        frozenset({Mark.FLOOR}),
    ),
    (
        r"\bmust(?:n['’]t| not)\b|\bshall not\b|\bshan['’]t\b|\bprohibit(?:ed|s)?\b"
        r"|\bforbid(?:s|den)?\b"
        r"|\b(?:not|[a-z]{2,6}n['’]t) (?:be )?(?:allowed|permitted)\b"
        "|严禁|禁止|不得(?!不)|不准|不许|不允许|不要",
        frozenset({Mark.DENIES, Mark.FORBIDDEN}),
    ),
    (
        r"\b(?:may|could|can) ?not\b|\b(?:can|couldn|mayn)['’]t\b|不可以|不可|不能够|不能|无法",
        frozenset({Mark.DENIES, Mark.FORBIDDEN, Mark.MAY}),
    ),
    (r"\bmight(?: not|n['’]t)\b|可能不", frozenset({Mark.DENIES, Mark.MAY})),
    (
        r"\bshould(?:n['’]t| not)\b|\bought not\b|不应当|不应该|不应|不應",
        frozenset({Mark.DENIES, Mark.FORBIDDEN, Mark.SHOULD}),
    ),
    (
        r"\bneed(?:n['’]t| not)\b|\b(?:do|does|did)(?:n['’]t| not) (?:need|have) to\b"
        r"|\b(?:not|[a-z]{2,6}n['’]t) (?:be )?(?:required|obliged|necessary)\b"
        "|无需|无须|不必|不需要?|毋须|不用",
        frozenset({Mark.DENIES, Mark.SPARED}),
    ),
    (
        r"\b(?:no longer|not any(?:more| longer)|fail(?:s|ed)? to)\b"
        r"|\b(?:refus(?:es|ed)?|declin(?:es|ed)?) to\b"
        r"|\b(?:not|no|never|none|nobody|nothing|neither|nor|without|unable|rarely|seldom|hardly)\b"
        r"|\b[a-z]{2,6}n['’]t\b|(?<=[a-z]-)free\b"
        "|并没有|没有|并不|并未|尚未|从未|没|未|无|非|不",
        frozenset({Mark.DENIES}),
    ),
    (r"只能|仅能", frozenset({Mark.ONLY, Mark.MAY})),
    (
        r"\b(?:should|ought to|(?:recommended|advised) to)\b|建议|最好",
        frozenset({Mark.SHOULD}),
    ),
    ("应当|应该|應當|應該|应|應", frozenset({Mark.SHOULD, Mark.MUST})),
    (
        r"\b(?:must|shall|(?:has|have|had|having|needs?|needed|obliged|obligated) to|requires?"
        r"|required(?: to)?|mandatory|compulsory|necessary)\b"
        "|不得不|必须|必須|必需|务必|須|须|需要|需",
        frozenset({Mark.MUST}),
    ),
    (
        r"\b(?:may|might|can|could|(?:allowed|permitted|able)(?: to)?)\b|可以|可能|能够|允许|可|能",
        frozenset({Mark.MAY}),
    ),
    (
        r"\b(?:only|solely|exclusively|merely)\b|仅仅|仅限|仅|只有|唯有|只|僅",
        frozenset({Mark.ONLY}),
    ),
    (r"\b(?:all|every|each|any)\b|所有|全部|任何|一切|全体", frozenset({Mark.ALL})),
    ("大多数|绝大多数|多数|大部分|绝大部分", frozenset({Mark.MOST})),
    (r"\b(?:some|several|certain|a few)\b|部分|一些|某些|有些|个别", frozenset({Mark.SOME})),
    (r"\b(?:most|majority of)\b", frozenset({Mark.MOST})),
)
_IGNORED = frozenset(
    closed(
        "a an the of to be is are was were been being am has have had do does did will would also"
        " then that there just very quite so as such 的 了 着 过 是 为 被 把 将 已 也 都 就 在 地"
        " 得 所 之 則 则 會 会 曾 於 于 並 并 有 個 个"
    )
)
_SCANNED = re.compile(
    f"(?P<neutral>{_NEUTRAL})|"
    + "|".join(f"(?P<rule{place}>{pattern})" for place, (pattern, _) in enumerate(_RULES))
    + r"|(?P<end>[,.;:!?()，。；：！？（）、\n—–](?!\d))|(?P<word>[^\W\u3400-\u9fff]+)"
    + r"|(?P<han>[\u3400-\u9fff])"
)
_PIECE = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")


@dataclass(frozen=True)
class Turn:
    """One mark: what it does, and the place of the content word that follows it."""

    marks: frozenset[Mark]
    at: int
    written: str


class Marked:
    """The content words of one folded text, with clause ends, and the marks among them."""

    def __init__(self, text: str) -> None:
        self.words = [END]
        self.turns: list[Turn] = []
        self._at = defaultdict[int, list[Turn]](list)
        for match in _SCANNED.finditer(dates(text)[1]):
            self._take(match)
        self._end()

    def _take(self, match: re.Match[str]) -> None:
        group = match.lastgroup or ""
        if group == "end":
            self._end()
        elif group.startswith("rule"):
            marks = _RULES[int(group.removeprefix("rule"))][1]
            self._turn(Turn(marks, len(self.words), match[0]))
        else:
            self.words.extend(_content(match[0]))

    def _turn(self, turn: Turn) -> None:
        if not self.turns or self.turns[-1] != turn:
            self.turns.append(turn)
            self._at[turn.at].append(turn)

    def _end(self) -> None:
        if self.words[-1] != END:
            self.words.append(END)

    @cached_property
    def _spots(self) -> dict[tuple[str, ...], list[int]]:
        spots = defaultdict[tuple[str, ...], list[int]](list)
        for place in range(1, len(self.words)):
            spots[self.words[place - 1], self.words[place]].append(place)
        return spots

    def spots(self, around: list[str]) -> list[int]:
        """The places between these two words."""
        return self._spots.get(tuple(around), [])[:_SPOTS]

    def before(self, at: int) -> list[str]:
        """The words before a place, the nearest first."""
        return self.words[max(0, at - _FAR) : at][::-1]

    def after(self, at: int) -> list[str]:
        """The words behind a place."""
        return self.words[at : at + _FAR]

    def once(self) -> Iterator[Turn]:
        """The marks, those left out that stand among the same words as one before."""
        seen = set()
        for turn in self.turns:
            place = (turn.marks, *self.before(turn.at), *self.after(turn.at))
            if place not in seen:
                seen.add(place)
                yield turn

    def near(self, at: int, kind: frozenset[Mark]) -> Iterator[Turn]:
        """The marks of a kind at a place or right beside it, in the same clause."""
        for spot in range(at - _BESIDE, at + _BESIDE + 1):
            between = self.words[min(spot, at) : max(spot, at)]
            if spot in self._at and END not in between and weight(between) <= _BESIDE:
                yield from (turn for turn in self._at[spot] if turn.marks & kind)


_SPOTS = 100
"""So many places between the same two words are looked at; a text that has more repeats itself."""


def weight(words: list[str]) -> int:
    """What words tell of a place: 2 each, a Chinese character or a clause's end 1."""
    return sum(1 if word == END or word >= "\u3400" else 2 for word in words)


def _content(text: str) -> Iterator[str]:
    for piece in _PIECE.findall(text):
        if piece not in _IGNORED:
            yield stem(piece)
