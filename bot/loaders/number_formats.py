"""A cell's value as a spreadsheet shows it, where its format is a simple one."""

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[A-Za-z]+\d*\]')
_PATTERN = re.compile(r"([^0#?]*)([#0?,]*[0#?])(\.[0#?]+)?(%?)([^0#?]*)")
_AROUND = re.compile(r"[^A-Za-z@/%,\[]*")
_LOCAL = re.compile(r"(?:mm-dd-yy|m/d/yy)(?: h:mm)?")  # what a date is by the reader's settings
_DATE = re.compile(r"y+|m+|d+|h+|s+|am/pm|a/p|[^a-z\x00]|\x00.\x00", re.IGNORECASE)

_NAMES = {("m", 3): "%b", ("d", 3): "%a", ("m", 4): "%B", ("d", 4): "%A"}


def displayed(value: object, number_format: str) -> str:
    """``value`` as its format shows it, else plainly. Truth values as spreadsheets write them."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime | date):
        return _day(value, number_format)
    if isinstance(value, time | timedelta):
        return str(value)
    if isinstance(value, int | float):
        return _number(value, number_format)
    return "" if value is None else str(value)


def hides(number_format: str) -> bool:
    """Whether a format shows nothing at all, as ``;;;`` does."""
    return bool(re.fullmatch(r"\s*;\s*;.*", number_format)) and not number_format.strip("; ")


def _number(value: float, number_format: str) -> str:
    plain = Decimal(f"{value:.15g}") if isinstance(value, float) else Decimal(value)
    if not plain.is_finite():
        return str(value)
    sections = number_format.split(";")
    negative = plain < 0 and len(sections) > 1
    section = sections[1] if negative else sections[0]
    if not plain and len(sections) > 2:
        section = sections[2]
    found = _formatted(abs(plain), section)
    if found is None:
        return _plain(plain)
    return f"-{found}" if plain < 0 and not negative else found


def _plain(number: Decimal) -> str:
    """Without a fraction of zeros; in powers of ten only where it is beyond counting."""
    if not number:
        return "0"
    short = number.normalize()
    return f"{short:f}" if abs(short.adjusted()) < 21 else str(short)


def _formatted(number: Decimal, section: str) -> str | None:
    """A number that is not negative by one section of a format; None where it is not simple."""
    bare, literals = _set_aside(section)
    found = _PATTERN.fullmatch(bare)
    if found is None:
        return None
    before, whole, fraction, percent, after = found.groups(default="")
    if not _AROUND.fullmatch(before) or not _AROUND.fullmatch(after) or whole.endswith(","):
        return None
    digits = _digits(number * 100 if percent else number, whole, fraction.removeprefix("."))
    if digits is None:
        return None
    return _put_back(f"{before}{digits}{percent}{after}", literals).strip()


def _digits(number: Decimal, whole: str, fraction: str) -> str | None:
    try:
        rounded = number.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)
    except InvalidOperation:
        return None
    digits = f"{rounded:,f}" if "," in whole else f"{rounded:f}"
    before, _, after = digits.partition(".")
    if "," not in whole:
        before = before.zfill(whole.count("0"))
    if before == "0" and "0" not in whole:
        before = ""
    optional = len(fraction) - len(fraction.rstrip("#?"))
    kept = after[: len(after) - optional] + after[len(after) - optional :].rstrip("0")
    return f"{before}.{kept}" if kept else before


def _day(value: date, number_format: str) -> str:
    section = number_format.split(";", maxsplit=1)[0]
    if _LOCAL.fullmatch(section):
        return _plainly(value)
    bare, literals = _set_aside(section)
    tokens = _DATE.findall(bare)
    if "".join(tokens) != bare or not any(token[0] in "yYdDmM" for token in tokens):
        return _plainly(value)
    written = _written(value, [token.lower() for token in tokens])
    return _put_back(written, literals).strip() if written else _plainly(value)


def _plainly(value: date) -> str:
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()


def _written(value: date, signs: list[str]) -> str:
    at = value if isinstance(value, datetime) else datetime.combine(value, time())
    half = any(sign in ("am/pm", "a/p") for sign in signs)
    pieces, last = [], ""
    for number, sign in enumerate(signs):
        following = next((one for one in signs[number + 1 :] if one[0] in "ymdhs"), "")
        minutes = sign[0] == "m" and (last.startswith("h") or following.startswith("s"))
        pieces.append(_shown(at, sign, minutes=minutes and len(sign) < 3, half=half))
        last = sign if sign[0] in "ymdhs" else last
    return "".join(pieces)


def _shown(at: datetime, sign: str, *, minutes: bool, half: bool) -> str:
    if minutes:
        return f"{at.minute:0{min(len(sign), 2)}d}"
    hour = (at.hour - 1) % 12 + 1 if half else at.hour
    number = {"m": at.month, "d": at.day, "h": hour, "s": at.second}.get(sign[0])
    if sign[0] == "y":
        return f"{at.year:04d}" if len(sign) > 2 else f"{at.year % 100:02d}"
    if sign in ("am/pm", "a/p"):
        name = "AM" if at.hour < 12 else "PM"
        return name if sign == "am/pm" else name[0]
    if sign[0] in "md" and len(sign) > 2:
        return at.strftime(_NAMES[sign[0], min(len(sign), 4)])
    return sign if number is None else f"{number:0{min(len(sign), 2)}d}"


def _set_aside(section: str) -> tuple[str, list[str]]:
    """A format with its literal words replaced by marks, and these words in order."""
    literals: list[str] = []

    def mark(found: re.Match[str]) -> str:
        words = next((group for group in found.groups() if group is not None), "")
        literals.append(words)
        return f"\x00{chr(0xE000 + len(literals) - 1)}\x00" if words else ""

    return _LITERAL.sub(mark, section), literals


def _put_back(text: str, literals: list[str]) -> str:
    return re.sub("\x00(.)\x00", lambda found: literals[ord(found[1]) - 0xE000], text)
