"""Cells that name a range (``5 to 9 years``, ``满 10 年不满 20 年``) and numbers within."""

import re
from dataclasses import dataclass
from decimal import Decimal

from rag.readers.quantities import Quantity, quantities
from rag.readers.tables.naming import Words
from rag.readers.words import folded

_ANY = Decimal("Infinity")
_N = r"(\d+(?:\.\d+)?)"
_U = r"[^\d,;，；]{0,14}?"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"(?:超过|大于|over|above){_U}{_N}{_U}(?:to|up to|-|–|至|到){_U}{_N}{_U}"), "(]"),
    (re.compile(rf"满{_U}{_N}{_U}(?:不满|未满|不足){_U}{_N}{_U}"), "[)"),
    (re.compile(rf"{_N}{_U}以上{_U}(?:不满|未满|不足){_U}{_N}{_U}"), "[)"),
    (re.compile(rf"(?:from |between )?{_N}{_U}(?:to|and|up to|-|–|—|~|至|到){_U}{_N}{_U}"), "[]"),
    (re.compile(rf"(?:less than|under|below|<|不满|未满|不足|少于|低于){_U}{_N}{_U}"), "<"),
    (re.compile(rf"{_N}{_U}(?:以下|以内)"), "<="),
    (re.compile(rf"(?:up to|at most|no more than|≤|<=|不超过){_U}{_N}{_U}"), "<="),
    (re.compile(rf"(?:more than|over|above|>|超过|多于){_U}{_N}{_U}"), ">"),
    (re.compile(rf"(?:at least|from|≥|>=|满|不少于){_U}{_N}{_U}"), ">="),
    (re.compile(rf"{_N}{_U}(?:(?:or|and) (?:more|over|above|longer)|\+|以上)"), ">="),
    (re.compile(rf"{_N}\+{_U}"), ">="),
)  # fmt: skip


@dataclass(frozen=True)
class Range:
    """From ``low`` to ``high``; an open end does not belong to it."""

    low: Decimal
    high: Decimal
    open_low: bool
    open_high: bool

    def holds(self, value: Decimal) -> bool:
        above = value > self.low if self.open_low else value >= self.low
        return above and (value < self.high if self.open_high else value <= self.high)


def range_of(cell: str) -> Range | None:
    """The range that a whole cell names, None where it names none."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", folded(cell)).strip()
    for pattern, ends in _FORMS:
        match = pattern.fullmatch(plain)
        if match:
            return _made([Decimal(number) for number in match.groups()], ends)
    return None


def within(cell: str, header: str, question: Words, text: str) -> frozenset[int]:
    """The places in ``question``, the words of ``text``, of a number in the range of ``cell``.

    Its unit is the cell's, or stands in ``header``; a number without one is in no range.
    """
    found = range_of(cell)
    if found is None:
        return frozenset()
    units = {quantity.unit for quantity in quantities(cell)} - {""}
    places = set[int]()
    for asked in quantities(text):
        if (
            _is_number(asked)
            and _measures(asked, units, header)
            and found.holds(Decimal(asked.value))
        ):
            places |= _of(asked, question)
    return frozenset(places)


def _made(numbers: list[Decimal], ends: str) -> Range | None:
    if len(numbers) == 2:
        low, high = numbers
        return Range(low, high, ends[0] == "(", ends[1] == ")") if low < high else None
    (number,) = numbers
    if ends[0] == "<":
        return Range(-_ANY, number, open_low=True, open_high=ends == "<")
    return Range(number, _ANY, open_low=ends == ">", open_high=True)


def _is_number(asked: Quantity) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+)?", asked.value) is not None


def _measures(asked: Quantity, units: set[str], header: str) -> bool:
    if units:
        return asked.unit in units
    return bool(asked.unit) and asked.unit in {word.rstrip("s") for word in folded(header).split()}


def _of(asked: Quantity, question: Words) -> set[int]:
    """The places of the number and of the word after it."""
    at = next((n for n, start in enumerate(question.starts) if start >= asked.start), None)
    return set() if at is None else {at, at + 1} & set(range(len(question.words)))
