"""Dates, numbers, units and codes that a claim has and its quotes do not."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from rag.text.checks.dates import Day, dates, weekdays
from rag.text.checks.folding import in_han
from rag.text.checks.numbers import Number, codes, numbers
from rag.text.checks.units import LOOSE, speaks_of

_YEAR = range(1000, 2200)
_DECADE = re.compile(r"(?<!\d)(?:(?:mid|early|late|pre|post)-)?(\d{1,3}0)(?:['’]?s\b|\s?年代)")
_CENTURY_DECADE = re.compile(r"(\d{1,2})\s?世[纪紀]\s?(\d0)\s?年代")
_OF_A_DATE = re.compile(r"\d+\s?[年月日]")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_RHETORICAL = frozenset({"first", "second", "第一", "第二"})
"""Ordinals that count the points made rather than things."""


class Figures:
    """What one folded text states in figures, spelled-out numbers included."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.days, rest = dates(_in_decades(text))
        self.weekdays = weekdays(text)
        self.numbers = tuple(dict.fromkeys(numbers(rest)))
        self.codes = codes(rest)

    @property
    def values(self) -> frozenset[Decimal]:
        """Every value, the parts of dates among them."""
        parts = {part for day in self.days for part in (day.year, day.month, day.day)}
        parts |= {int(part) for clock in _CLOCK.findall(self.text) for part in clock}
        return frozenset({number.value for number in self.numbers} | {Decimal(p) for p in parts})

    @property
    def years(self) -> frozenset[int]:
        """The years that dates name, and the numbers that may be one."""
        bare = {int(n.value) for n in self.numbers if n.value in _YEAR}
        return frozenset({day.year for day in self.days} | bare)


def _in_decades(text: str) -> str:
    """The 1930s and 20世纪30年代 told as ``1930 decade``."""
    text = _CENTURY_DECADE.sub(lambda m: f"{int(m[1]) - 1}{m[2]} decade", text)
    return _DECADE.sub(r" \1 decade", text)


def stray_figures(claim: str, held: Sequence[str], granted: str, *, named: str) -> Iterator[str]:
    """One reason for each figure of folded ``claim`` that is in none of ``held``.

    ``granted`` may give numbers as the quotes do, ``named`` codes.
    """
    said = Figures(claim)
    known = [Figures(text) for text in (*held, granted) if text]
    yield from _stray_days(said, known)
    yield from _stray_numbers(said, known)
    have = {code for each in (*known, Figures(named)) for code in each.codes}
    for code, written in sorted(said.codes.items()):
        if code not in have:
            yield f"{written} is in none of the quotes"


def _stray_days(said: Figures, known: Sequence[Figures]) -> Iterator[str]:
    days = [day for each in known for day in each.days]
    years = frozenset[int]().union(*(each.years for each in known))
    lost = (day for day in said.days if not _dated(day, days, years))
    for written in dict.fromkeys(day.written for day in lost if not _other_way(day, said, days)):
        yield f"the date {written} is in none of the quotes"
    have = {place for each in known for place in each.weekdays}
    for place, written in said.weekdays.items():
        if place not in have:
            yield f"{written} is in none of the quotes"


def _dated(day: Day, days: Sequence[Day], years: frozenset[int]) -> bool:
    """Whether the quotes have that month and day together, and that year at all."""
    together = [other for other in days if day.inside(other)]
    if day.month == 0 and day.day == 0:
        return day.year in years
    same_year = [other for other in together if 0 in {day.year, other.year} | {other.year}]
    exact = [other for other in together if day.year in {0, other.year}]
    return bool(exact) or (bool(same_year) and day.year in years)


def _other_way(day: Day, said: Figures, days: Sequence[Day]) -> bool:
    """Whether the same figures, 3/4/2026, read as month and day the other way, are a known date."""
    twins = [other for other in said.days if other.written == day.written and "/" in other.written]
    years = frozenset(other.year for other in days)
    return len(twins) > 1 and any(_dated(other, days, years) for other in twins)


def _stray_numbers(said: Figures, known: Sequence[Figures]) -> Iterator[str]:
    foreign = not any(in_han(each.text) is in_han(said.text) for each in known)
    values = frozenset[Decimal]().union(*(each.values for each in known))
    for number in said.numbers:
        if number.written in _RHETORICAL or (foreign and _loose(number)):
            continue
        if number.value not in values:
            yield f"{number.written} is in none of the quotes"
        elif number.unit:
            if not any(_measured(number, each) for each in known):
                yield f"{number.written}: the quotes give another unit"
        elif other := _otherwise(number, said, known):
            yield f"{number.written}: the quotes have {other}"


def _loose(number: Number) -> bool:
    """A small count in words, which another language tells in other words."""
    return number.spelled and (number.value == 1 or number.unit in {"", *LOOSE})


def _measured(number: Number, known: Figures) -> bool:
    """Whether the text gives that value that unit, or none at once and the word elsewhere."""
    same = [other for other in known.numbers if other.value == number.value]
    units = {other.unit for other in same if other.counted < "\u3400"}
    if number.unit in units:
        return True
    if _OF_A_DATE.fullmatch(number.written):
        return any(number.value == getattr(day, number.unit, 0) for day in known.days)
    if number.unit == "year" and number.value in known.years:
        return True
    return "" in units and (number.unit in LOOSE or speaks_of(number.unit, known.text))


def _word(number: Number) -> str:
    """The unit as it is written, without its number."""
    return re.sub(r"^[\d.,\s-]+", "", number.written).removesuffix("s") or number.unit


def _otherwise(number: Number, said: Figures, known: Sequence[Figures]) -> str:
    """What the quotes have instead: another number of the same things, or another unit.

    "" where there is nothing of the kind.
    """
    others = [other for each in known for other in each.numbers]
    if not number.counted or any(_same(other, number) for other in others):
        return ""
    rivals = [other for other in others if other.counted == number.counted]
    if rivals:
        return rivals[0].written
    same = [other for other in others if other.value == number.value]
    foreign = not any(number.counted in each.text for each in known)
    measured = all(other.unit and _word(other) not in said.text for other in same)
    return same[0].written if same and foreign and measured else ""


def _same(one: Number, other: Number) -> bool:
    return (one.value, one.counted) == (other.value, other.counted)
