"""Numbers as the numbering of an Office document writes them."""

from collections.abc import Callable

_DIGITS = "〇一二三四五六七八九"
_LEGAL = "零壹贰叁肆伍陆柒捌玖"
_LEGAL_TRADITIONAL = "零壹貳參肆伍陸柒捌玖"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"))
_ROMAN_SMALL = ((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


def written(number: int, style: str) -> str | None:
    """``number`` in a numbering style of Office; None for a style or number not known here."""
    write = _STYLES.get(style)
    return write(number) if write and 0 < number < 10_000 else None


def _letters(number: int) -> str:
    """a to z, then aa to zz, as Word counts on."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _roman(number: int) -> str:
    text = ""
    for value, sign in (*_ROMAN, *_ROMAN_SMALL):
        text += sign * (number // value)
        number %= value
    return text


def _chinese(number: int, digits: str = "零一二三四五六七八九", tens: str = "十百千") -> str:
    """As it is said: 十二, 一百零五, 三千."""
    text, gap = "", False
    for place, digit in zip(range(len(str(number)) - 1, -1, -1), str(number), strict=True):
        if digit == "0":
            gap = True
            continue
        text += (digits[0] if gap and text else "") + digits[int(digit)]
        text += tens[place - 1] if place else ""
        gap = False
    return text.removeprefix("一") if 10 <= number < 20 else text


def _chosen(signs: str) -> Callable[[int], str | None]:
    return lambda number: signs[number - 1] if number <= len(signs) else None


def _each_digit(number: int) -> str:
    return "".join(_DIGITS[int(digit)] for digit in str(number))


def _legal(number: int) -> str:
    return _chinese(number, _LEGAL, "拾佰仟")


def _legal_traditional(number: int) -> str:
    return _chinese(number, _LEGAL_TRADITIONAL, "拾佰仟")


def _short_chinese(number: int) -> str | None:
    """The short count has no common way of writing beyond two digits."""
    return _chinese(number) if number < 100 else None


def _full_width(number: int) -> str:
    return "".join(chr(ord("０") + int(digit)) for digit in str(number))


_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"

_STYLES: dict[str, Callable[[int], str | None]] = {
    "decimal": str,
    "decimalZero": lambda number: f"{number:02d}",
    "decimalFullWidth": _full_width,
    "decimalHalfWidth": str,
    "decimalEnclosedCircle": _chosen(_CIRCLED),
    "decimalEnclosedCircleChinese": _chosen(_CIRCLED),
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "chineseCounting": _short_chinese,
    "chineseCountingThousand": _chinese,
    "taiwaneseCounting": _short_chinese,
    "taiwaneseCountingThousand": _chinese,
    "japaneseCounting": _short_chinese,
    "ideographDigital": _each_digit,
    "taiwaneseDigital": _each_digit,
    "japaneseDigitalTenThousand": _each_digit,
    "chineseLegalSimplified": _legal,
    "ideographLegalTraditional": _legal_traditional,
    "ideographTraditional": _chosen(_STEMS),
    "ideographZodiac": _chosen(_BRANCHES),
}
