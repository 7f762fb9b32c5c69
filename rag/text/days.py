"""The day a question is about, where its words name one that is still to come."""

import calendar
import re
from collections.abc import Callable
from datetime import date, timedelta

from rag.text.checks.folding import folded

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTH = "|".join(_MONTHS)
_AHEAD = 6  # months that a bare name looks ahead; one further off is the last of its name
_FROM = r"\b(?:on|from|as of|after|by|starting|beginning|in) (?:the )?"
_SINCE = r"(?:号|日)?(?:起|开始|以后|之后|后|当天|时|那天)"


def _month_end(year: int, month: int) -> date:
    """The last day of a month; months count on over the year's end."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, calendar.monthrange(year, month)[1])


def _next_quarter(today: date) -> date:
    return _month_end(today.year, (today.month - 1) // 3 * 3 + 6)


def _of_month(match: re.Match[str], today: date) -> date:
    """The end of that month of the year that is given, or of the nearest of that name."""
    month = _MONTHS[match[1]]
    if match[2]:
        return _month_end(int(match[2]), month)
    ahead = (month - today.month) % 12
    return _month_end(today.year, today.month + (ahead if ahead <= _AHEAD else ahead - 12))


_SAID: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], date]], ...] = (
    (
        re.compile(rf"{_FROM}(\d{{4}})-(\d{{1,2}})-(\d{{1,2}})\b"),
        lambda m, _: date(int(m[1]), int(m[2]), int(m[3])),
    ),
    (
        re.compile(rf"{_FROM}(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH}),? (\d{{4}})\b"),
        lambda m, _: date(int(m[3]), _MONTHS[m[2]], int(m[1])),
    ),
    (
        re.compile(rf"{_FROM}({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b"),
        lambda m, _: date(int(m[3]), _MONTHS[m[1]], int(m[2])),
    ),
    (re.compile(rf"{_FROM}({_MONTH})(?: (\d{{4}}))?\b(?! \d)"), _of_month),
    (
        re.compile(rf"(\d{{4}})年(\d{{1,2}})月(\d{{1,2}})(?=日|号){_SINCE}"),
        lambda m, _: date(int(m[1]), int(m[2]), int(m[3])),
    ),
    (
        re.compile(r"(\d{4})年(\d{1,2})月(?!\d)"),
        lambda m, _: _month_end(int(m[1]), int(m[2])),
    ),
    (
        re.compile(r"\bnext month\b|下个?月"),
        lambda _, today: _month_end(today.year, today.month + 1),
    ),
    (
        re.compile(r"\bnext week\b|下(?:个?星期|周)"),
        lambda _, today: today + timedelta(days=13 - today.weekday()),
    ),
    (re.compile(r"\bnext quarter\b|下个?季度"), lambda _, today: _next_quarter(today)),
    (re.compile(r"\bnext year\b|明年"), lambda _, today: date(today.year + 1, 12, 31)),
    (re.compile(r"\btomorrow\b|明天"), lambda _, today: today + timedelta(days=1)),
)


def day_meant(question: str, today: date) -> date | None:
    """The day that is named, the last one of a week, month, quarter or year.

    None for a question that names none, or none after ``today``.
    """
    said = _said(question, today)
    return said[0] if said else None


def without_day(question: str, today: date) -> str:
    """The question without the words that name such a day: no text has to hold them."""
    said = _said(question, today)
    if said is None or len(folded(question)) != len(question):
        return question
    start, end = said[1]
    return " ".join(f"{question[:start]} {question[end:]}".split()).replace(" ?", "?")


def _said(question: str, today: date) -> tuple[date, tuple[int, int]] | None:
    plain = folded(question)
    for pattern, read in _SAID:
        found = pattern.search(plain)
        day = _day(read, found, today) if found else None
        if found and day is not None and day > today:
            return day, found.span()
    return None


def _day(
    read: Callable[[re.Match[str], date], date], found: re.Match[str], today: date
) -> date | None:
    try:
        return read(found, today)
    except (ValueError, OverflowError):  # 30 February, or a month 13
        return None
