"""Words that stand for the opposite of each other, rates, signs and fractions, one for another.

Where a claim has one word of a pair that none of its quotes has, and they have the
other, it says the opposite of them. Words that a paraphrase may turn about ("X
before Y" is "Y after X") count only where the same word stands beside them.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from rag.text.checks.folding import HAN_DIGIT

_PAIRS = tuple(
    (re.compile(one), re.compile(other))
    for one, other in (
        (r"\d\s?a\.?m\b|上午|早上|凌晨", r"\d\s?p\.?m\b|下午|晚上|傍晚"),
        (r"\b(?:rais|increas|rise[sn]?\b|rose\b)", r"\b(?:lower(?:ed|s)\b|decreas|reduc|fell\b)"),
        (r"提高|上调|增加|提升", r"降低|下调|减少|下降"),
        (r"\blengthen|\bextend(?:ed|s)?\b|延长", r"\bshorten|缩短"),
        (r"°\s?c\b|\bcelsius\b|摄氏", r"°\s?f\b|\bfahrenheit\b|华氏"),
        (r"\bvalid\b|(?<!无)有效", r"\binvalid\b|无效|失效"),
        (r"\bexempt(?:ed|s|ion)?\b|豁免|免除", r"\bsubject to\b|适用于|须接受"),
        (r"\bfull-?time\b|全职", r"\bpart-?time\b|兼职"),
        (r"\bpermanent\b|永久", r"\btemporar(?:y|ily)\b|临时"),
        (r"\binternal(?:ly)?\b|内部", r"\bexternal(?:ly)?\b|外部"),
        (r"\bdoubl(?:e|es|ed)\b|双倍|两倍", r"\btripl(?:e|es|ed)\b|三倍"),
        (
            r"\bexactly\b|恰好|正好",
            r"\b(?:about|approximately|roughly|around)(?= \d)|大约|约(?=\d)",
        ),
    )
)
_ARTICLE = r"(?:(?:the|a|an|your|their|his|her|its|our) )?"
_BESIDE = tuple(
    (re.compile(one), re.compile(other))
    for one, other in (
        (rf"\bbefore {_ARTICLE}(\w+)", rf"\bafter {_ARTICLE}(\w+)"),
        (r"(\w{2})(?:以|之)前", r"(\w{2})(?:以|之)后"),
        (r"\bif (?:the )?(\w+ \w+ \w+)", r"\bunless (?:the )?(\w+ \w+ \w+)"),
        (rf"\bwith {_ARTICLE}(\w+)", rf"\bwithout {_ARTICLE}(\w+)"),
        (rf"(\w+) and {_ARTICLE}(\w+)", rf"(\w+) or {_ARTICLE}(\w+)"),
        (
            r"([\u3400-\u9fff])(?:和|与|及)([\u3400-\u9fff])",
            r"([\u3400-\u9fff])或者?([\u3400-\u9fff])",
        ),
    )
)
_RATE = re.compile(
    r"\b(?:per|each|every) (?P<en>hour|day|week|month|quarter|year)\b"
    r"|\b(?P<ly>hourly|daily|weekly|monthly|quarterly|yearly|annually)\b|\bper (?P<annum>annum)\b"
    r"|每(?:个|一)?(?P<han>小时|天|日|周|星期|月|季度|年)(?!末|初|底|薪|报|会)"
)
_PERIODS = {"小时": "hour", "天": "day", "日": "day", "周": "week", "星期": "week"} | {
    "月": "month",
    "季度": "quarter",
    "年": "year",
    "daily": "day",
    "annually": "year",
    "annum": "year",
}
_NEGATIVE = re.compile(r"(?:(?<![\w)%°.,-])[-\u2212–]|\bminus |零下|负)\s?(\d+(?:\.\d+)?)")
_BARE = re.compile(r"(?<![\w.\u2212-])(\d+(?:\.\d+)?)")
_FRACTION = re.compile(rf"([{HAN_DIGIT}十]{{1,3}})分之([{HAN_DIGIT}十]{{1,3}})")


def opposed(claim: str, held: Sequence[str]) -> Iterator[str]:
    """One reason for each thing that folded ``claim`` turns into its opposite or its neighbour."""
    quotes = "\n".join(held)
    for one, other in _PAIRS:
        yield from _instead(claim, quotes, one, other)
        yield from _instead(claim, quotes, other, one)
    for one, other in _BESIDE:
        yield from _beside(claim, quotes, one, other)
        yield from _beside(claim, quotes, other, one)
    yield from _other_than(claim, quotes, _rates)
    yield from _other_than(claim, quotes, _fractions)
    yield from _signs(claim, quotes)


def _instead(
    claim: str, quotes: str, one: re.Pattern[str], other: re.Pattern[str]
) -> Iterator[str]:
    said, stands = one.search(claim), other.search(quotes)
    if said and stands and not one.search(quotes) and not other.search(claim):
        yield f"the quotes say {stands[0].strip()}, not {said[0].strip()}"


def _beside(claim: str, quotes: str, one: re.Pattern[str], other: re.Pattern[str]) -> Iterator[str]:
    same = {found.groups() for found in one.finditer(quotes)}
    turned = {found.groups(): found[0] for found in other.finditer(quotes)}
    for found in one.finditer(claim):
        if found.groups() in turned and found.groups() not in same:
            yield f"the quotes say {turned[found.groups()]}, not {found[0]}"


def _other_than(claim: str, quotes: str, read: Callable[[str], dict[str, str]]) -> Iterator[str]:
    """What is read in the claim and not in quotes that have something of that kind."""
    said, stands = read(claim), read(quotes)
    for value, written in said.items():
        if stands and value not in stands:
            yield f"the quotes say {next(iter(stands.values()))}, not {written}"


def _rates(text: str) -> dict[str, str]:
    return {_period(found): found[0] for found in _RATE.finditer(text)}


def _period(found: re.Match[str]) -> str:
    word = next(each for each in found.groups() if each)
    return _PERIODS.get(word, word.removesuffix("ly"))


def _fractions(text: str) -> dict[str, str]:
    return {found[0]: found[0] for found in _FRACTION.finditer(text) if found[1] != "百"}


def _signs(claim: str, quotes: str) -> Iterator[str]:
    """A value that is negative on the one side and only ever positive on the other."""
    for value in _below(claim) & _above(quotes) - _below(quotes):
        yield f"the quotes say {value}, not minus {value}"
    for value in _above(claim) & _below(quotes) - _below(claim) - _above(quotes):
        yield f"the quotes say minus {value}, not {value}"


def _below(text: str) -> set[str]:
    return {found[1] for found in _NEGATIVE.finditer(text)}


def _above(text: str) -> set[str]:
    return {found[1] for found in _BARE.finditer(_NEGATIVE.sub(" ", text))}
