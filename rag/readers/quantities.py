"""Numbers with their units and dates, read out of Chinese and English text.

Values are normalised so that ``四小时``, ``4 小时`` and ``four hours`` compare
equal; the characters quoted are never touched.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from rag.readers.words import folded
from rag.text.checks.folding import han_value


class Sort(StrEnum):
    """What a number measures."""

    DURATION = "duration"
    MONEY = "money"
    PERCENT = "percent"
    SIZE = "size"
    DATE = "date"
    TIME = "time"
    COUNT = "count"


@dataclass(frozen=True)
class Quantity:
    """A normalised value with its unit; ``start`` is its place in the text read."""

    sort: Sort
    value: str
    unit: str
    start: int


_WORD_VALUES = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}
_EN_UNITS = {
    Sort.DURATION: "second minute hour day week month year quarter decade century h d hr hrs min "
    "mins"
    " sec secs ms s night",
    Sort.MONEY: "yuan rmb cny dollar usd euro eur pound gbp yen cent",
    Sort.PERCENT: "percent",
    Sort.SIZE: "byte b kb mb gb tb bit kilobyte megabyte gigabyte km m cm mm kilometre kilometer"
    " metre meter mile foot feet kg g gram ton tonne litre liter acre hectare character token",
}
_ZH_UNITS = {
    Sort.DURATION: "个小时 小时 分钟 秒钟 秒 个工作日 工作日 个自然日 自然日 个月 个星期 星期 "
    "个季度 日内 天内 天 日"
    " 周 周年 年内 年 世纪",
    Sort.MONEY: "万元 亿元 美元 欧元 日元 港元 英镑 元 块钱",
    Sort.PERCENT: "个百分点",
    Sort.SIZE: "个字节 字节 公里 千米 厘米 毫米 米 千克 公斤 克 吨 升 公顷 平方公里 平方米 "
    "摄氏度 个字符 字符 瓦 伏",
    Sort.COUNT: "名 人 台 次 个 家 条 份 件 位 项 倍 档 节 页 款 种 本 辆 套 部 张 座 所 篇 只 "
    "间 级 岁 组 层 届",
}
_UNIT_SORT = {unit: sort for sort, units in _ZH_UNITS.items() for unit in units.split()}
_EN_SORT = {unit: sort for sort, units in _EN_UNITS.items() for unit in units.split()}
_SAME = {
    "个小时": "hour", "小时": "hour", "h": "hour", "hr": "hour", "hrs": "hour",
    "分钟": "minute", "min": "minute", "mins": "minute", "秒钟": "second", "秒": "second",
    "s": "second", "sec": "second", "secs": "second", "天": "day", "日": "day", "天内": "day",
    "日内": "day", "d": "day", "个月": "month", "周": "week", "星期": "week", "个星期": "week",
    "年": "year", "年内": "year", "周年": "year",
    "个工作日": "working day", "工作日": "working day",
    "个自然日": "day", "自然日": "day", "个季度": "quarter", "世纪": "century",
    "元": "yuan", "块钱": "yuan", "rmb": "yuan", "cny": "yuan", "美元": "dollar", "usd": "dollar",
    "欧元": "euro", "eur": "euro", "英镑": "pound", "gbp": "pound", "日元": "yen",
    "个字节": "byte", "字节": "byte", "b": "byte", "名": "person", "人": "person", "位": "person",
    "公里": "kilometre", "千米": "kilometre", "km": "kilometre", "kilometer": "kilometre",
    "个字符": "character", "字符": "character",
}  # fmt: skip
_ZH_UNIT_PATTERN = "|".join(sorted(_UNIT_SORT, key=len, reverse=True))
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_UNIT_AFTER = re.compile(
    rf"[\s-]{{0,2}}(?:(?P<scale>thousand|million|billion|trillion|万|亿|千|百)[\s-]{{0,2}})?"
    rf"(?P<percent>%|‰|percent\b|per cent\b)?(?:utf-8\s?)?(?:个 ?utf-8 ?)?"
    rf"(?P<zh>{_ZH_UNIT_PATTERN})?(?P<en>[a-z]{{1,12}}(?![\da-z]))?(?:[\s-]{{1,2}}(?P<next>[a-z]{{1,12}}(?![\da-z])))?"
)
_ZH_NUMBER = re.compile(
    r"(?<!第)([零〇一二三四五六七八九两十百千]{1,8})"
    rf"(?=\s?(?:万|亿)?(?:{_ZH_UNIT_PATTERN}))"
)
COUNTED = re.compile(
    r"(?<![a-z0-9_./-])(?:\d[\d,.]{0,20}|[零〇一二三四五六七八九两十百千]{1,8})"
    rf"\s?(?:万|亿)?\s?(?P<unit>{_ZH_UNIT_PATTERN})"
)
"""A number with its Chinese unit, in folded text."""
_EN_NUMBER = re.compile(
    r"\b(" + "|".join(sorted(_WORD_VALUES, key=len, reverse=True)) + r")(?=[\s-]{1,2}[a-z])"
)
_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name: i for i, name in enumerate(_MONTHS.split(), 1)} | {
    name[:3]: i for i, name in enumerate(_MONTHS.split(), 1) if name != "may"
}
_MONTH_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_DATES = (
    re.compile(r"(?P<y>\d{4})\s?[年/.-]\s?(?P<m>\d{1,2})\s?[月/.-]\s?(?P<d>\d{1,2})\s?[日号]?"),
    re.compile(
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<mon>{_MONTH_NAMES})\.?,? ?(?P<y>\d{{4}})?"
    ),
    re.compile(
        rf"\b(?P<mon>{_MONTH_NAMES})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{{4}}))?"
    ),
    re.compile(rf"\b(?P<mon>{_MONTH_NAMES})\.? (?P<y>\d{{4}})"),
    re.compile(r"(?P<y>\d{4})\s?年\s?(?P<m>\d{1,2})\s?月"),
    re.compile(r"(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2})\s?[日号]"),
    re.compile(r"(?P<y>1[0-9]{3}|20[0-9]{2})\s?年(?!内|度?前|以)"),
    re.compile(
        r"(?<![\d.,$€£/-])\b(?P<y>1[0-9]{3}|20[0-9]{2})s?\b(?![.,]?\d|\s?[%元个名人台]"
        r"|\s[a-z]{2,12}s\b)"
    ),
    re.compile(r"(?:当月|每月|本月|次月|the )\s?(?P<d>\d{1,2})(?:st|nd|rd|th|\s?[日号])(?!内)"),
)
_CLOCK = re.compile(r"\b(?P<h>\d{1,2}):(?P<n>\d{2})\b")
_PART_OF_CODE = re.compile(r"[a-z][-_/]?\Z")
_CURRENCY_BEFORE = re.compile(r"([$€£¥￥]|rmb|cny|usd|人民币)\s?\Z")
_CURRENCY = {"$": "dollar", "usd": "dollar", "€": "euro", "£": "pound"}


def quantities(text: str) -> tuple[Quantity, ...]:
    """Every date and every number with its unit in ``text``, in order."""
    plain = folded(text)
    found: list[Quantity] = []
    plain = _dates(plain, found)
    plain = _spelled(plain)
    for match in _NUMBER.finditer(plain):
        if not _PART_OF_CODE.search(plain[max(0, match.start() - 2) : match.start()]):
            found.append(_measured(plain, match))
    return tuple(sorted(found, key=lambda quantity: quantity.start))


def _dates(plain: str, found: list[Quantity]) -> str:
    for pattern in _DATES:
        for match in pattern.finditer(plain):
            found.append(Quantity(Sort.DATE, _date(match.groupdict()), "date", match.start()))
        plain = pattern.sub(lambda match: " " * len(match[0]), plain)
    for match in _CLOCK.finditer(plain):
        value = f"{int(match['h'])}:{match['n']}"
        found.append(Quantity(Sort.TIME, value, "time", match.start()))
    return _CLOCK.sub(lambda match: " " * len(match[0]), plain)


def _date(parts: dict[str, str | None]) -> str:
    month = parts.get("m") or str(_MONTH.get(parts.get("mon") or "", "")) or "?"
    day = parts.get("d") or "?"
    return f"{parts.get('y') or '?'}-{month.lstrip('0')}-{day.lstrip('0')}"


def _spelled(plain: str) -> str:
    """Number words before a unit, written as digits (places shift only behind them)."""
    plain = _ZH_NUMBER.sub(lambda match: str(han_value(match[1])), plain)
    return _EN_NUMBER.sub(lambda match: str(_WORD_VALUES[match[1]]), plain)


def _measured(plain: str, match: re.Match[str]) -> Quantity:
    value = match[0].replace(",", "")
    if "." in value:
        value = value.rstrip("0").rstrip(".")
    after = _UNIT_AFTER.match(plain, match.end())
    parts = after.groupdict() if after else {}
    scale = parts.get("scale") or ""
    if parts.get("percent"):
        return Quantity(Sort.PERCENT, value, "%", match.start())
    currency = _CURRENCY_BEFORE.search(plain[max(0, match.start() - 5) : match.start()])
    if currency:
        return Quantity(
            Sort.MONEY, value + scale, _CURRENCY.get(currency[1], "yuan"), match.start()
        )
    sort, unit = _unit(parts)
    return Quantity(sort, value + scale, unit, match.start())


def _unit(parts: dict[str, str | None]) -> tuple[Sort, str]:
    han = parts.get("zh") or ""
    if han:
        sort = _UNIT_SORT[han]
        return sort, _SAME.get(han, han)
    for word in (parts.get("en"), parts.get("next")):
        singular = _singular(word or "")
        if singular in _EN_SORT:
            first = _singular(parts.get("en") or "")
            named = (
                "working day" if first in {"working", "business"} else _SAME.get(singular, singular)
            )
            return _EN_SORT[singular], named
    return Sort.COUNT, _singular(parts.get("en") or "")


def _singular(word: str) -> str:
    if word in _EN_SORT or word in {"is", "as", "was", "us", "this"}:
        return word
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word
