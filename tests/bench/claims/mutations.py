"""One thing of a claim changed: a number, a unit, a denial, a modal, a date, a scope, a name.

Written apart from the checks and with none of their code, so that what the checks
overlook in a text is overlooked here only by chance.
"""

import calendar
import random
import re
from collections.abc import Callable, Mapping, Sequence

Change = Callable[[str, random.Random], str | None]
"""The text with one change, or None where it has nothing of the kind."""

_NUMBER = re.compile(
    r"(?<![\w./-])\d{1,9}(?:,\d{3})*(?:\.\d+)?(?![\w./-]*\d)(?!\s?[年月日])(?!\w*-)(?![.)、] )"
)
_MONTHS = list(calendar.month_name)[1:]
_DATES = (
    re.compile(rf"(?P<month>{'|'.join(_MONTHS)}) (?P<day>\d{{1,2}})(?!\d)"),
    re.compile(rf"(?<!\d)(?P<day>\d{{1,2}}) (?P<month>{'|'.join(_MONTHS)})"),
    re.compile(r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日"),
    re.compile(r"(?<!\d)(?P<month>\d{1,2})月(?P<day>\d{1,2})日"),
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"),
    re.compile(r"(?P<year>\d{4})年"),
    re.compile(r"\b[Ii]n (?P<year>1[5-9]\d{2}|20[0-3]\d)\b"),
    re.compile(rf"(?P<month>{'|'.join(_MONTHS)}) (?P<year>\d{{4}})"),
)
_UNITS = (
    ["seconds", "minutes", "hours", "days", "weeks", "months", "years"],
    ["second", "minute", "hour", "day", "week", "month", "year"],
    ["metres", "kilometres", "miles", "feet"],
    ["meters", "kilometers", "miles", "feet", "acres"],
    ["dollars", "euros", "pounds", "yen"],
    ["MB", "GB", "TB", "KB"],
    ["km", "m", "mi", "ft"],
    ["percent", "points"],
    ["小时", "分钟", "秒", "天", "周", "个月"],
    ["日", "年", "小时", "个月"],
    ["公里", "米", "英里", "公分"],
    ["元", "美元", "欧元", "英镑", "日元"],
    ["公斤", "吨", "克"],
    ["人", "次", "台"],
    ["工作日", "自然日"],
)
_MODALS = (
    ("may", "must"), ("must", "may"), ("can", "must"), ("should", "may"), ("must", "should"),
    ("should", "must"), ("shall", "may"), ("could", "must"), ("might", "must"),
    ("应当", "可以"), ("可以", "应当"), ("必须", "可以"), ("可以", "必须"), ("应", "可"),
    ("可", "应"), ("需要", "可以"), ("能够", "必须"), ("應", "可"), ("必須", "可以"), ("须", "可"),
)  # fmt: skip
_SCOPES = (
    ("all", "some"), ("every", "some"), ("only ", ""), ("at least", "at most"),
    ("at most", "at least"), ("up to", "at least"), ("more than", "less than"),
    ("less than", "more than"), ("over", "under"), ("some", "all"), ("most", "all"),
    ("至少", "至多"), ("最多", "至少"), ("不超过", "不少于"), ("以上", "以下"), ("以下", "以上"),
    ("所有", "部分"), ("仅", ""), ("只", ""), ("超过", "不足"), ("部分", "所有"), ("全部", "部分"),
)  # fmt: skip
_NOT_AFTER = re.compile(
    r"\b(?:is|are|was|were|can|may|must|should|will|would|could|shall|does|do|did)\b(?! not|n't)"
)
_NEGATED = re.compile(r"\b(?:not |never )|n't\b")
_HAN_DENIED = re.compile(
    r"(?<![是能会有可得])(?:不(?=[能会得可应是允需受支包])|没有|未(?=[经能规作被]))"
)
_HAN_POSITIVE = re.compile(
    r"(?<![不未是可])(?:是(?!否|不)|可以|能够|应当|支持|允许|需要|具有|包括)"
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_HAN_NAME = re.compile(r"(?<=《)[^》]{2,12}(?=》)|[\u4e00-\u9fff]{1,4}·[\u4e00-\u9fff]{1,4}")
_OTHER_NAMES = ("Kowalski", "Ashgabat", "Meridian", "Tanaka", "Oldenburg")
_OTHER_HAN = ("海风条例", "陈·沃洛", "青石计划")


def number(text: str, draw: random.Random) -> str | None:
    """Another figure in place of one."""
    found = _any(_NUMBER, text, draw)
    if not found or found[0] in _MONTHS:
        return None
    whole, dot, part = found[0].replace(",", "").partition(".")
    other = str(int(whole) + draw.choice([1, 2, 3, 7, 10, int(whole) + 5]))
    return _put(text, found, other + dot + part)


def unit(text: str, draw: random.Random) -> str | None:
    """Another unit of the same sort after a figure."""
    places = []
    for family in _UNITS:
        words = "|".join(sorted(family, key=len, reverse=True))
        after = rf"(?<=\d)[ -]?(?:(?:million|billion|万|亿) ?)?({words})(?![a-z])"
        places += [(match, family) for match in re.finditer(after, text)]
    places = [(m, f) for m, f in places if not _settled(text, m)]
    if not places:
        return None
    match, family = draw.choice(places)
    other = draw.choice([word for word in family if word != match[1]])
    return text[: match.start(1)] + other + text[match.end(1) :]


def _settled(text: str, match: re.Match[str]) -> bool:
    """A unit that is part of a date, or stands beside a sign for a currency."""
    before = text[: match.start(1)].rstrip()
    if re.search(r"[$£€¥]\s?[\d.,]+(?: ?[a-z]+)?$", before):
        return True
    return match[1] in {"年", "日", "月"} and bool(re.search(r"(?:\d{4}|月\d{1,2})$", before))


def denial(text: str, draw: random.Random) -> str | None:
    """A denial taken away, or put in where there was none."""
    taken = [m for pattern in (_NEGATED, _HAN_DENIED) for m in pattern.finditer(text)]
    put = [m for pattern in (_NOT_AFTER, _HAN_POSITIVE) for m in pattern.finditer(text)]
    if taken and (not put or draw.random() < 0.5):
        found = draw.choice(taken)
        return _put(text, found, "有" if found[0] == "没有" else "")
    if not put:
        return None
    found = draw.choice(put)
    if found[0].isascii():
        return _put(text, found, found[0] + " not")
    return _put(text, found, "不" + found[0] if found[0] != "具有" else "没有")


def modal(text: str, draw: random.Random) -> str | None:
    """What may be done told as what must, and the other way."""
    return _swapped(text, _MODALS, draw)


def scope(text: str, draw: random.Random) -> str | None:
    """All told as some, at least as at most, and "only" left out."""
    return _swapped(text, _SCOPES, draw)


def date(text: str, draw: random.Random) -> str | None:
    """Another day, month or year, or day and month the other way round."""
    places = [m for pattern in _DATES for m in pattern.finditer(text)]
    if not places:
        return None
    found = draw.choice(places)
    part = draw.choice([name for name, value in found.groupdict().items() if value])
    value = found[part]
    day, month = found.groupdict().get("day"), found.groupdict().get("month")
    if day and month and month.isdigit() and int(day) <= 12 and int(day) != int(month):
        swapped = sorted([("day", month), ("month", day)], key=lambda each: -found.start(each[0]))
        for name, other in swapped:
            text = text[: found.start(name)] + other + text[found.end(name) :]
        return text
    return text[: found.start(part)] + _another(part, value, draw) + text[found.end(part) :]


def _another(part: str, value: str, draw: random.Random) -> str:
    if value in _MONTHS:
        return draw.choice([month for month in _MONTHS if month != value])
    if part == "year":
        return str(int(value) + draw.choice([-10, -2, -1, 1, 2, 10]))
    most = 12 if part == "month" else 28
    others = [each for each in range(1, most + 1) if each != int(value)]
    return str(draw.choice(others)).zfill(2 if value.startswith("0") else 1)


def name(text: str, draw: random.Random) -> str | None:
    """Somebody or something else named."""
    found = _any(_NAME, text, draw) or _any(_HAN_NAME, text, draw)
    if not found or found[0] in _MONTHS:
        return None
    return _put(text, found, draw.choice(_OTHER_NAMES if found[0].isascii() else _OTHER_HAN))


MUTATIONS: Mapping[str, Change] = {
    "number": number,
    "unit": unit,
    "negation": denial,
    "modality": modal,
    "date": date,
    "scope": scope,
    "name": name,
}


def _any(pattern: re.Pattern[str], text: str, draw: random.Random) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return draw.choice(found) if found else None


def _put(text: str, found: re.Match[str], other: str) -> str:
    return text[: found.start()] + other + text[found.end() :]


def _swapped(text: str, pairs: Sequence[tuple[str, str]], draw: random.Random) -> str | None:
    places = []
    for word, other in pairs:
        edge = r"\b" if word.strip().isascii() else ""
        for match in re.finditer(edge + re.escape(word.rstrip()) + edge + r" ?", text):
            if not _part_of_a_word(text, match, word) and not _denied(text, match):
                places.append((match, other))
    if not places:
        return None
    match, other = draw.choice(places)
    space = " " if match[0].endswith(" ") and other else ""
    return text[: match.start()] + other + space + text[match.end() :]


_LONGER = re.compile(
    "可以|可能|许可|认可|可靠|可用|可视|可见|不可|可选|可持|可爱|可是|可分|可读|应用|应当|相应|供应|反应|响应|对应|适应|应对|效应"
    "|应急|应该|应届|不应|應用|反應|供應|對應|回應|應該|只有|只要|不只|只读|仅仅|不仅|以上述|须知|必须|无须|需要|不需要"
    "|大部分|部分地|一部分|组成部分|不能够|才能够|超过程"
)


def _denied(text: str, match: re.Match[str]) -> bool:
    """What may not be done must not be done: no change, so such a modal is left alone."""
    return bool(re.match(r" ?(?:not|n't)", text[match.end() - 1 :])) or text[
        max(0, match.start() - 1) : match.start()
    ] in {"不", "未"}


def _part_of_a_word(text: str, match: re.Match[str], word: str) -> bool:
    """Whether a short Chinese word is only a piece of a longer one that means something else."""
    if word.isascii() or (len(word) > 1 and word not in {"部分", "需要", "超过"}):
        return False
    return any(
        other.start() <= match.start() and match.start() + len(word) <= other.end()
        and other[0] != word
        for other in _LONGER.finditer(text)
    )  # fmt: skip
