"""Dates as Chinese and English write them, brought to year, month and day."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag.text.checks.folding import HAN_DIGIT, closed, han_value

_NAMES = closed(
    "january february march april may june july august september october november december"
)
_MONTHS = {name: place for place, name in enumerate(_NAMES, 1)}
_MONTHS |= {name[:3]: place for name, place in _MONTHS.items()} | {"sept": 9}
_MON = r"(?P<mon>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_NTH = r"(?:st|nd|rd|th)?"
_AND = r"\s?(?:-|–|—|~|to|and|至|到|、|及|和)\s?"
_Y4 = r"(?P<y>1\d{3}|2[01]\d{2})"
_HAN_DAY = rf"(?:\d{{1,2}}|[{HAN_DIGIT}十]{{1,3}})"
_HAN_YEAR = rf"(?P<y>\d{{4}}|[{HAN_DIGIT}]{{4}})\s?年"
_DAYS_HAN = rf"(?P<d>{_HAN_DAY})\s?[日号號]?(?:{_AND}(?P<e>{_HAN_DAY})\s?[日号號])?"
_PATTERNS = (
    re.compile(rf"(?<![\d.]){_Y4}(?P<by>[-/.])(?P<m>\d{{1,2}})(?P=by)(?P<d>\d{{1,2}})(?!\d)"),
    re.compile(rf"(?<![\d.])(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})/{_Y4}(?!\d)"),
    re.compile(rf"(?:{_HAN_YEAR}\s?)(?P<m>{_HAN_DAY})\s?月\s?{_DAYS_HAN}(?<=[日号號])"),
    re.compile(rf"{_HAN_YEAR}\s?(?P<m>{_HAN_DAY})\s?月"),
    re.compile(rf"(?P<m>{_HAN_DAY})\s?月\s?{_DAYS_HAN}(?<=[日号號])"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}}){_NTH}(?:{_AND}(?P<e>\d{{1,2}}){_NTH})? (?:of )?{_MON}"
        rf"(?:,? {_Y4})?\b"
    ),
    re.compile(
        rf"\b{_MON} (?:the )?(?P<d>\d{{1,2}}){_NTH}\b(?!:)(?:{_AND}(?P<e>\d{{1,2}}){_NTH}\b)?"
        rf"(?:,? {_Y4}\b)?"
    ),
    re.compile(rf"\b{_MON},? (?:of )?{_Y4}\b"),
    re.compile(
        r"(?:\b(?:in|by|since|until|till|from|of|through|during|before|after|early|late|mid|every"
        rf"|each|and|to|between|last|next|this)[\s-]){_MON}(?![a-z'’])"
    ),
    re.compile(
        r"\b(?P<mon>january|february|april|june|july|august|september|october|november|december)\b"
    ),
    re.compile(rf"(?P<m>{_HAN_DAY})\s?月(?!球|亮|饼|薪|经|子)"),
    re.compile(rf"{_HAN_YEAR}(?!内|以|期|代|间|前|后|的时间)"),
)
_WEEKDAY = re.compile(
    r"\b(?P<en>mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜|週)(?P<han>[一二三四五六日天])"
)
_WEEK_HAN = "一二三四五六日天"
_WEEK = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")


@dataclass(frozen=True)
class Day:
    """A date as far as it is told; 0 stands for what it leaves out."""

    year: int
    month: int
    day: int
    written: str = field(compare=False)

    def inside(self, other: "Day") -> bool:
        """Whether month and day are those of ``other`` as far as they are told."""
        return self.month in {0, other.month} and self.day in {0, other.day}


def dates(text: str) -> tuple[list[Day], str]:
    """The dates of folded ``text``, and the text with blanks in their place."""
    found: list[Day] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            found.extend(_days(match))
        text = pattern.sub(_kept_or_blank, text)
    return list(dict.fromkeys(found)), text


def weekdays(text: str) -> dict[int, str]:
    """The days of the week that folded ``text`` names (Monday is 0), as written."""
    return {_weekday(match): match[0] for match in _WEEKDAY.finditer(text)}


def _weekday(match: re.Match[str]) -> int:
    return _WEEK.index(match["en"]) if match["en"] else min(_WEEK_HAN.index(match["han"]), 6)


def _kept_or_blank(match: re.Match[str]) -> str:
    return " " * len(match[0]) if any(_days(match)) else match[0]


def _days(match: re.Match[str]) -> Iterator[Day]:
    """The day or days of one match; none where no calendar has it. 3/4/2026 is read both ways."""
    parts = match.groupdict()
    year, month = _worth(parts.get("y")), _worth(parts.get("m"))
    month = month or _MONTHS.get(parts.get("mon") or "", 0)
    for named in ("d", "e"):
        day = _worth(parts.get(named))
        if month <= 12 and day <= 31 and (day or named == "d"):
            yield Day(year, month, day, match[0].strip())
        if "/" in match[0] and not parts.get("by") and day <= 12 and month <= 31 and day:
            yield Day(year, day, month, match[0].strip())


def _worth(written: str | None) -> int:
    if not written:
        return 0
    return int(written) if written.isdigit() else han_value(written)
