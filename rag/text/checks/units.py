"""Units, currencies and counted things under one name each, whatever the language."""

import re

from rag.text.checks.folding import closed
from rag.text.tokenise import stem

_WRITTEN = {
    "second": "second sec s 秒 秒钟 秒鐘",
    "millisecond": "millisecond ms 毫秒",
    "minute": "minute min 分钟 分鐘",
    "hour": "hour hr h 小时 小時 钟头",
    "day": "day d 天 日 自然日",
    "working day": "workday weekday 工作日 个工作日",
    "night": "night 晚 夜",
    "week": "week 周 星期 週 礼拜",
    "month": "month 月 个月 個月",
    "quarter": "quarter 季度",
    "year": "year yr 年 周年 週年",
    "age": "岁 歲",
    "decade": "decade",
    "century": "century centurie 世纪 世紀",
    "percent": "percent pct % 百分比",
    "permille": "‰",
    "percentage point": "百分点 个百分点",
    "yuan": "yuan rmb cny 元 圆 块钱 ¥ 人民币",
    "dollar": "dollar usd $ 美元 美金",
    "hong kong dollar": "hkd 港元 港币",
    "euro": "euro eur € 欧元 歐元",
    "pound": "pound gbp £ 英镑 英鎊",
    "yen": "yen jpy 日元 日圆 日圓",
    "cent": "cent 美分",
    "bit": "bit 比特",
    "byte": "byte b 字节 位元组",
    "kilobyte": "kilobyte kb kib",
    "megabyte": "megabyte mb mib",
    "gigabyte": "gigabyte gb gib",
    "terabyte": "terabyte tb tib",
    "character": "character char 字符",
    "millimetre": "millimetre millimeter mm 毫米",
    "centimetre": "centimetre centimeter cm 厘米 公分",
    "metre": "metre meter m 米 公尺",
    "kilometre": "kilometre kilometer km 公里 千米",
    "inch": "inch inche 英寸 吋",
    "foot": "foot feet ft 英尺 呎",
    "mile": "mile mi 英里 哩",
    "square metre": "平方米 平方公尺",
    "square kilometre": "km2 平方公里 平方千米",
    "square mile": "平方英里",
    "acre": "acre 英亩",
    "hectare": "hectare ha 公顷 公頃",
    "litre": "litre liter l 升",
    "millilitre": "millilitre milliliter ml 毫升",
    "gram": "gram g 克",
    "kilogram": "kilogram kilo kg 公斤 千克",
    "ton": "ton tonne t 吨 噸",
    "degree": "degree 度 摄氏度",
    "person": "people person 人 名 位",
    "time": "time 次 倍",
    "page": "page 页 頁",
    "line": "line 行",
    "set": "台 臺",
}
_TELLING = {
    name: [word for word in words.split() if len(word) > 2 or word >= "\u3400"]
    for name, words in _WRITTEN.items()
}
NAMES = {word: name for name, words in _WRITTEN.items() for word in words.split()}
_HAN = "|".join(sorted((w for w in NAMES if w >= "\u4e00"), key=len, reverse=True))
_LEADING = r"(?:(?:more|further|additional|full|whole|consecutive|calendar|us|u\.s\.)[\s-])?"
_AFTER = re.compile(
    rf"[\s-]{{0,2}}(?:(?P<han>[个個]?(?:{_HAN}))|(?P<sign>[$€£¥%‰])|(?P<percent>per cent\b)"
    rf"|{_LEADING}(?P<kind>working|business|square|sq\.?|percentage)[\s-](?P<of>[a-z]+)"
    rf"|{_LEADING}(?P<word>[a-z]+)|(?P<other>[个個]?[\u3400-\u9fff]{{1,2}}))?"
)
_BEFORE = re.compile(r"(?P<sign>us\$|hk\$|[$€£¥]|\b(?:rmb|cny|usd|eur|gbp|hkd|jpy)|人民币)\s?\Z")
_UNCOUNTED = frozenset(
    closed(
        "a an the of in on at to for from by with and or but as than that is are was were be been"
        " per it its this these those who which when while if so not no"
    )
)
LOOSE = frozenset({"person", "time", "set", "age"})
"""Counting words that other languages, and often the same, leave out."""


def unit_of(text: str, start: int, end: int) -> tuple[str, str, int]:
    """Of the number ``text[start:end]``: its unit, what it counts otherwise, and where both end.

    The unit is "" where none is known, and then what is counted is the next word.
    """
    before = _BEFORE.search(text[max(0, start - 6) : start])
    if before:
        sign = before["sign"].removeprefix("us")
        return ("hong kong dollar" if sign == "hk$" else NAMES[sign]), "", end
    after = _AFTER.match(text, end)
    if after is None or after.lastgroup is None:
        return "", "", end
    return (*_named(after), after.end())


def speaks_of(unit: str, text: str) -> bool:
    """Whether folded ``text`` has a word for the unit anywhere."""
    return any(word in text for word in _TELLING.get(unit, [unit]))


def _named(after: re.Match[str]) -> tuple[str, str]:
    if after["percent"]:
        return "percent", ""
    if after["kind"]:
        return _of_a_kind(after["kind"], after["of"])
    word = after["han"] or after["sign"] or after["word"]
    if word:
        return _one_name(word)
    return "", after["other"].lstrip("个個")


def _of_a_kind(kind: str, of: str) -> tuple[str, str]:
    name, counted = _one_name(of)
    if kind == "percentage":
        return "percentage point", ""
    if kind.startswith("sq"):
        return f"square {name}", ""
    return ("working day", "") if name == "day" else (name, counted)


def _one_name(word: str) -> tuple[str, str]:
    for each in (word, word.removesuffix("s"), word.lstrip("个個")):
        if each in NAMES:
            return NAMES[each], ""
    return "", "" if word in _UNCOUNTED else stem(word)
