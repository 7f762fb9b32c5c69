"""The form in which a claim and its quotes are compared."""

import re
import unicodedata

_GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])")
_HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile("[A-Za-z]{2,}")
_FRACTION = re.compile("(?<=[0-9])(?=[¼-¾⅐-⅞])")
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
_HAN_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
SCALES = {**_SCALES, **HAN_SCALES, **_HAN_LARGE, "千万": 10**7, "百万": 10**6, "十万": 10**5}
_HAN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
HAN_DIGIT = "零〇一二两兩三四五六七八九"


def closed(words: str) -> tuple[str, ...]:
    """A closed class, written as words between spaces."""
    return tuple(words.split())


def in_han(text: str) -> bool:
    """Whether a text has at least as many Chinese characters as Latin words."""
    han = len(_HAN.findall(text))
    return han >= len(_LATIN.findall(text)) if han else False


def folded(text: str) -> str:
    """NFKC, lower case, thousands separators dropped, ``6½`` told as ``6 1/2``; nothing else."""
    plain = unicodedata.normalize("NFKC", _FRACTION.sub(" ", text)).lower().replace("\u2044", "/")
    return _GROUPED.sub(lambda found: found[0].replace(",", ""), plain)


def han_value(word: str) -> int:
    """What a numeral such as ``十二``, ``二百零五`` or ``二〇二六`` is worth."""
    if not any(sign in HAN_SCALES for sign in word):
        return int("".join(str(_HAN_DIGITS[sign]) for sign in word))
    total, digit = 0, 0
    for sign in word:
        if sign in HAN_SCALES:
            total += (digit or 1) * HAN_SCALES[sign]
            digit = 0
        else:
            digit = _HAN_DIGITS[sign]
    return total + digit
