"""Light paraphrases that leave what is said as it is, or say less of it."""

import calendar
import random
import re
from collections.abc import Callable, Sequence

_MONTHS = list(calendar.month_name)[1:]
_EN_WORDS = (
    ("is not", "isn't"), ("are not", "aren't"), ("does not", "doesn't"), ("did not", "didn't"),
    ("cannot", "can not"), ("can't", "cannot"), ("don't", "do not"), ("because", "since"),
    ("at least", "no fewer than"), ("more than", "over"), ("however, ", ""), ("also ", ""),
    ("must", "has to"), ("need to", "must"), ("may", "can"), ("such as", "for example"),
    ("but", "although"), ("only", "solely"), ("began", "started"), ("large", "big"),
    ("using", "by using"), ("approximately", "about"), ("help", "assist"), ("use", "employ"),
)  # fmt: skip
_ZH_WORDS = (
    ("必须", "应当"), ("应当", "应该"), ("可以", "可"), ("不得", "不可以"), ("没有", "并没有"),
    ("并且", "而且"), ("但是", "但"), ("由于", "因为"), ("例如", "比如"), ("以及", "和"),
    ("如果", "若"), ("目前", "现在"), ("开始", "起初开始"), ("至少", "不少于"), ("超过", "多于"),
    ("使用", "运用"), ("或者", "或"), ("全部", "所有"), ("同时", "与此同时"), ("认为", "觉得"),
    ("因此", "所以"), ("进行", "展开"),
)  # fmt: skip
_APART = re.compile(r"\s?\([^()]{1,80}\)|（[^（）]{1,80}）")
_RELATIVE = re.compile(
    r",\s(?:which|who|where|whose|including|although|while)\s[^,.;]{3,90}(?=[,;]|\.(?!\d))"
)
_OPENING = re.compile(
    r"(?:When|If|While|After|Before|In|For|On|By|Since|As|Although|Unless|To|With)\b"
    "|如果|当|在|由于|对|因|为了|除|若|根据|按照|经过|自|随着"
)
_ISO = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")
_MONTH_FIRST = re.compile(rf"(?<!to )(?<![–-])({'|'.join(_MONTHS)}) (\d{{1,2}}), (\d{{4}})")
_SMALL = re.compile(r"(?<=[a-z] )([2-9])(?= (?:days|weeks|months|years|hours|people|members)\b)")
_SPELLED = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def _other_words(text: str, draw: random.Random) -> str:
    pairs = [(a, b) for a, b in (*_EN_WORDS, *_ZH_WORDS) if _has(text, a)]
    if not pairs:
        return text
    word, other = draw.choice(pairs)
    before, after = (r"(?<!not )\b", r"\b(?! not)") if word.isascii() else ("", "")
    after = "" if word.endswith(" ") else after
    return re.sub(before + re.escape(word) + after, other, text, count=1)


def _has(text: str, word: str) -> bool:
    if not word.isascii():
        return word in text
    return bool(re.search(rf"\b{re.escape(word.strip())}\b", text))


def _without_an_aside(text: str, draw: random.Random) -> str:
    found = [*_APART.finditer(text), *_RELATIVE.finditer(text)]
    if not found:
        return text
    aside = draw.choice(found)
    return text[: aside.start()] + text[aside.end() :]


def _clauses_moved(text: str, _draw: random.Random) -> str:
    """``When A, B.`` told as ``B, when A.``, and the first two Chinese clauses in turn."""
    stop = text[-1:] if text[-1:] in {".", "。"} else ""
    body = text.removesuffix(stop)
    for comma in ("，", ", "):
        parts = body.split(comma)
        if len(parts) == 2 and all(len(part) > 5 for part in parts) and _opens(parts[0]):
            first = parts[1][0].upper() + parts[1][1:]
            return first + comma + parts[0][0].lower() + parts[0][1:] + stop
    return text


def _opens(clause: str) -> bool:
    return bool(_OPENING.match(clause))


def _a_clause_dropped(text: str, draw: random.Random) -> str:
    """One of three or more Chinese clauses left out, or the tail of an English sentence."""
    parts = re.split("(?<=[，；])", text.rstrip("。"))
    if len(parts) >= 3:
        return "".join(parts[: draw.randint(2, len(parts) - 1)]).rstrip("，；") + "。"
    tail = re.search(r",\s(?:and|but|so|because|with|as)\s[^,;]{8,}\.$", text)
    return text[: tail.start()] + "." if tail else text


def _figures_otherwise(text: str, _draw: random.Random) -> str:
    text = _ISO.sub(lambda m: f"{m[1]}-{int(m[2]):02}-{int(m[3]):02}", text)
    text = _MONTH_FIRST.sub(lambda m: f"{m[2]} {m[1]} {m[3]}", text)
    text = _SMALL.sub(lambda m: _SPELLED[int(m[1])], text)
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


WAYS: Sequence[Callable[[str, random.Random], str]] = (
    _other_words,
    _without_an_aside,
    _clauses_moved,
    _a_clause_dropped,
    _figures_otherwise,
)


def paraphrased(text: str, draw: random.Random) -> str:
    """``text`` changed in every way that it allows, in an order drawn; itself where in none."""
    for way in draw.sample(WAYS, len(WAYS)):
        text = way(text, draw) or text
    return text
