"""Numbers and codes as Chinese and English write them, spelled-out small numbers among them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from rag.text.checks.folding import HAN_DIGIT, SCALES, closed, han_value
from rag.text.checks.units import LOOSE, NAMES, unit_of

_TEENS = closed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = closed("twenty thirty forty fifty sixty seventy eighty ninety")
_NTH = closed(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
)
_WORDS = {word: value for value, word in enumerate(_TEENS)}
_WORDS |= {word: 10 * place for place, word in enumerate(_TENS, 2)}
_SMALL = "|".join(sorted(_TEENS, key=len, reverse=True))
_BELOW_100 = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_TEENS[1:10])}))?|{_SMALL})"
_SPELLED = re.compile(
    rf"\b(?P<lead>{_BELOW_100}\b|a(?=[\s-]hundred\b))"
    rf"(?P<hundred>[\s-]hundred\b(?:\s(?:and\s)?(?P<rest>{_BELOW_100})\b)?)?(?!-[a-z]+-)"
)
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_NTH[1:])})\b")
_TOKEN = re.compile(r"[a-z0-9]+(?:[-_./:][a-z0-9]+)*", re.ASCII)
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_JOINED = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?:st|nd|rd|th|-?(?P<word>[a-z]+))", re.ASCII)
_RANGE = re.compile(r"(\d+(?:\.\d+)?)[-x](\d+(?:\.\d+)?)(?:-?[a-z]+)?", re.ASCII)
_NTH_AFTER = re.compile(r"(?:st|nd|rd|th)\b")
_SCALE_AFTER = re.compile(
    r"[\s-]?(thousand|million|billion|trillion|百万|千万|十万|[万萬亿億千百十])(?![a-z克米瓦分])"
)
_COUNTERS = "个個种種项項条條款章节節级級层層届屆份件家座所篇只间間组組张張套部辆辆本岁"
_HAN_UNITS = "|".join(sorted((w for w in NAMES if w >= "\u4e00"), key=len, reverse=True))
_HAN = re.compile(
    rf"百分之(?P<percent>[{HAN_DIGIT}十百]{{1,5}})"
    rf"|第(?P<nth>[{HAN_DIGIT}十百千]{{1,6}})"
    rf"|(?<![{HAN_DIGIT}十百千第数數几幾])(?P<counted>[{HAN_DIGIT}十百千]{{1,6}})"
    rf"(?P<large>[万亿萬億])?(?=\s?(?:[个個]?(?:{_HAN_UNITS})|[{_COUNTERS}]))"
)
_VAGUE = frozenset({"", *LOOSE, "line"})
"""With these ``一`` is an article rather than a number."""


@dataclass(frozen=True)
class Number:
    """A value with its unit. ``counted``: the word it counts where no unit is known."""

    value: Decimal
    unit: str
    counted: str
    written: str = field(compare=False)

    @property
    def spelled(self) -> bool:
        """Whether it is written in words rather than in figures."""
        return not any(sign.isdecimal() for sign in self.written)


def numbers(text: str) -> Iterator[Number]:
    """Every number of folded ``text`` from which dates were taken out."""
    for token in _TOKEN.finditer(text):
        for start, end in _figures(token):
            yield _number(text, start, end, Decimal(text[start:end]))
    yield from _spelled(text)
    yield from _in_han(text)
    for found in _ORDINAL.finditer(text):
        value = Decimal(_NTH.index(found[0]))
        yield Number(value, "", "", found[0])


def codes(text: str) -> dict[str, str]:
    """What mixes letters and digits and names something, joined up, and as written."""
    return {
        re.sub(r"[-_./]", "", token[0]): token[0]
        for token in _TOKEN.finditer(text)
        if any(sign.isdigit() for sign in token[0]) and not any(_figures(token))
    }


def _figures(token: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Where the numbers of one token stand; none when it is a code."""
    at = token.start()
    if _PLAIN.fullmatch(token[0]):
        yield at, token.end()
    elif joined := _JOINED.fullmatch(token[0]):
        yield at, at + joined.end("number")
    elif both := _RANGE.fullmatch(token[0]):
        yield at, at + both.end(1)
        yield at + both.start(2), at + both.end(2)


def _number(text: str, start: int, end: int, value: Decimal) -> Number:
    nth = _NTH_AFTER.match(text, end)
    stop = nth.end() if nth else end
    scale = _SCALE_AFTER.match(text, stop)
    if scale:
        value, stop = value * SCALES[scale[1]], scale.end()
    unit, counted, last = unit_of(text, start, stop)
    return Number(value.normalize(), unit, counted, text[start:last].strip())


def _spelled(text: str) -> Iterator[Number]:
    for match in _SPELLED.finditer(text):
        value = _worth(match["lead"]) * (100 if match["hundred"] else 1) + _worth(match["rest"])
        number = _number(text, match.start(), match.end(), Decimal(value))
        if match[0] != "one" or number.unit:
            yield number


def _worth(words: str | None) -> int:
    if not words:
        return 0
    return 1 if words == "a" else sum(_WORDS[word] for word in re.split(r"[\s-]", words))


def _in_han(text: str) -> Iterator[Number]:
    for match in _HAN.finditer(text):
        group = match.lastgroup if match.lastgroup != "large" else "counted"
        start, end = match.start(), match.end(group or 0)
        value = Decimal(han_value(match[group or 0]))
        if group == "percent":
            yield Number(value, "percent", "", match[0])
            continue
        number = _number(text, start, end, value)
        if match[0] != "一" or number.unit not in _VAGUE:
            yield number
