"""What a claim says beyond its quotes, found without a reader: figures, units, denials, standing.

Everything is compared as written, after NFKC and lower case. A number spelled
out in words is no figure, and a figure is never matched with one: a claim has
to write a number as its quote does. Codes (R9, D-204) name things, so a code
may come from the question; a bare number may only where the claim says that
the quoted text limits or does not establish what the question supposes.
"""

import re
import unicodedata
from collections.abc import Sequence

_TOKEN = re.compile(r"[a-z0-9]+(?:[-_./:][a-z0-9]+)*|[$€£¥%‰]", re.ASCII)
_GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])")
_MEASURE = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[a-z]+|[$€£¥%‰]|[\u4e00-\u9fff]{1,4})?"
)
_BARE = re.compile(r"\d+(?:\.\d+)?")
_JOINED = re.compile(r"(\d+(?:\.\d+)?)-?[a-z]+", re.ASCII)

_UNITS_EN = (
    "second minute hour day week month year quarter decade night workday byte kb mb gb tb kib mib"
    " gib bit percent yuan rmb cny dollar usd euro eur pound gbp yen jpy cent people person member"
    " user time page line character km m cm mm kg g t h s ms min hr sec million billion thousand"
    " $ € £ ¥ % ‰"
)
_UNITS = frozenset(_UNITS_EN.split(" "))
_UNITS_ZH = re.compile(
    "个?(?:百万|千万|万|亿)?(?:美元|欧元|日元|港元|英镑|元)|个?工作日|个?自然日|个?小时|分钟|毫秒|秒|个月|月"
    "|个?星期|周|天|日|季度|年|个?字节|个?字符|公里|千米|厘米|毫米|米|公斤|千克|克|吨|个百分点|名|人|次|台|页|行|倍|万|亿"
)
_MONTH = re.compile(
    r"\b(january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"(?=\s*\d)|(?<=\d\s)(january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b"
)
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|prohibited|forbidden"
    r"|[a-z]{2,6}n['’]t)\b|不|没|未|无|非|禁止|勿"
)
_NO_DENIAL = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|earlier) than\b|\bnot only\b|\bno\. ?\d"
    "|不仅|不但|不过|无论|不论|不管|不同|非常|除非|是不是|能不能|会不会|有没有|南非|北非|非洲|不久|不断"
    "|不超过|不少于|不低于|不多于|未来|无线"
)
_LIMITING = re.compile(
    r"\b(?:says?|states?|establish(?:es)?|shows?|covers?|promises?) only\b|\bonly (?:says|states)\b"
    r"|\b(?:does|do|did) not (?:say|state|establish|guarantee|promise|mention|specify|show|cover)\b"
    r"|只写明|仅写明|只说明|仅说明|只说|只规定|仅规定"
    r"|(?:没有|未|并未|不)(?:写明|说明|规定|提及|提到|保证|承诺|约定|确认)"
)
_PENDING = re.compile(
    r"\b(?:pending|propos(?:ed|es|al|als)|draft|not in force|not yet|under review|if approved)\b"
    r"|待审|待评审|待批|待定|尚未|提议|提案|草案|征求意见|未生效|如果获批|拟议|拟定"
)


def strays(said: str, quotes: Sequence[str], *, question: str) -> tuple[str, ...]:
    """Why ``said`` is more than ``quotes`` hold; empty when it is not."""
    claim, asked = _folded(said), _folded(question)
    held = [_folded(quote) for quote in quotes]
    limited = bool(_LIMITING.search(claim))
    return (
        *_stray_figures(claim, held, asked, limited=limited),
        *_stray_units(claim, held, asked if limited else ""),
        *_stray_months(claim, held),
        *_stray_denial(claim, held, limited=limited),
    )


def names_standing(text: str) -> bool:
    """Whether ``text`` says of something that it is proposed, pending or a draft."""
    return bool(_PENDING.search(_folded(text)))


def _folded(text: str) -> str:
    """Compared form: NFKC, lower case, thousands separators dropped, nothing else."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return _GROUPED.sub(lambda found: found[0].replace(",", ""), plain)


def _figures(text: str) -> frozenset[str]:
    """Every token of ``text`` that holds a digit: numbers, dates and codes."""
    found = set()
    for token in _TOKEN.findall(text):
        joined = _JOINED.fullmatch(token)
        if any(character.isdigit() for character in token):
            found.add(joined[1] if joined else token)
    return frozenset(found)


def _stray_figures(claim: str, held: Sequence[str], asked: str, *, limited: bool) -> list[str]:
    known = {figure for text in held for figure in _figures(text)}
    granted = {f for f in _figures(asked) if limited or not _BARE.fullmatch(f)}
    return [
        f"{figure} is in none of the quotes" for figure in sorted(_figures(claim) - known - granted)
    ]


def _measures(text: str) -> frozenset[tuple[str, str]]:
    """Numbers with the unit written after them, in the singular."""
    found = set()
    for match in _MEASURE.finditer(text):
        unit = _unit(match["unit"] or "")
        if unit:
            found.add((match["number"], unit))
    return frozenset(found)


def _unit(written: str) -> str:
    for word in (written, written.removesuffix("s")):
        if word in _UNITS:
            return word
    han = _UNITS_ZH.match(written)
    return han[0].removeprefix("个") if han else ""


def _stray_units(claim: str, held: Sequence[str], granted: str) -> list[str]:
    """A measured number must stand in one quote together with its unit."""
    return [
        f"{number} {unit}: the quotes give another unit"
        for number, unit in sorted(_measures(claim))
        if (places := [text for text in (*held, granted) if number in _figures(text)])
        and not any(_measured_so(number, unit, text) for text in places)
    ]


def _measured_so(number: str, unit: str, text: str) -> bool:
    """Whether ``text`` gives ``number`` that unit; elsewhere in it where none follows at once."""
    units = {given for measured, given in _measures(text) if measured == number}
    return unit in units if units else unit in text


def _stray_months(claim: str, held: Sequence[str]) -> list[str]:
    months = {first or second for first, second in _MONTH.findall(claim)}
    return [
        f"{month} is in none of the quotes"
        for month in sorted(months)
        if not any(month in text for text in held)
    ]


def _denies(text: str) -> bool:
    return bool(_DENIAL.search(_NO_DENIAL.sub("", text)))


def _stray_denial(claim: str, held: Sequence[str], *, limited: bool) -> list[str]:
    if limited or not _denies(claim) or any(_denies(text) for text in held):
        return []
    return ["the claim denies what none of the quotes denies"]
