"""Dates, versions and numbers of clauses that a text names, each with where it stands."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice

from rag.text.chunk.outline import Outline
from rag.values import Branch, Fact, FactKind

_MOST = 500  # facts of a kind
_HEADINGS = 5_000
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(?P<name>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})\.?"
_YEAR = r"(?P<y>(?:19|20|21)\d\d)"
_DATES = (
    re.compile(rf"(?<![\d.-]){_YEAR}(?P<by>[-/.])(?P<m>\d{{1,2}})(?P=by)(?P<d>\d{{1,2}})(?![\d-])"),
    re.compile(rf"{_YEAR}\s?年\s?(?P<m>\d{{1,2}})\s?月\s?(?P<d>\d{{1,2}})\s?[日号號]"),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH},? {_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}\b", re.IGNORECASE),
)
_VERSIONS = (
    re.compile(
        r"\b(?:version|revision|release|rev\.|ver\.)\s?(?P<v>\d+(?:\.\d+){0,3})\b", re.IGNORECASE
    ),
    re.compile(r"(?<![\w.])v(?P<v>\d+(?:\.\d+){1,3})\b", re.IGNORECASE),
    re.compile(r"(?:版本|版次)(?:号)?[:：]?\s?[Vv]?(?P<v>\d+(?:\.\d+){0,3})"),
    re.compile(r"第\s?(?P<v>\d{1,3}|[一二三四五六七八九十]{1,3})\s?版"),
)
_CLAUSES = (
    re.compile(r"^[ \t#*]{0,8}(?P<v>第[\d一二三四五六七八九十百零〇千]{1,8}[条條])", re.MULTILINE),
    re.compile(
        r"^[ \t#*]{0,8}(?P<v>(?:article|clause|section|§) ?\d{1,4}(?:\.\d{1,3}){0,4}[a-z]?)\b",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(r"^[ \t#*]{0,8}(?P<v>\d{1,3}(?:\.\d{1,3}){1,4})\.?[ \t]+(?=[^\W\d])", re.MULTILINE),
)


def facts_in(text: str) -> tuple[Fact, ...]:
    """The facts of a text in their order, at most 500 of each kind."""
    found = [
        *islice(_dates(text), _MOST),
        *islice(_named(text, _VERSIONS, FactKind.VERSION), _MOST),
        *islice(_named(text, _CLAUSES, FactKind.CLAUSE), _MOST),
    ]
    return tuple(sorted(found, key=lambda fact: (fact.start, fact.end)))


def tree_of(structure: Outline) -> tuple[Branch, ...]:
    """The headings in their order, at most 5,000, each with its depth; the outermost has 1."""
    begun = {begin for begin, _ in structure.barred}
    headed = (one for one in structure.sections if one.path and one.start in begun)
    return tuple(
        Branch(start=section.start, depth=len(section.path), name=section.path[-1])
        for section in islice(headed, _HEADINGS)
    )


def _dates(text: str) -> Iterator[Fact]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if day := _day(match):
                start, end = match.span()
                yield Fact(kind=FactKind.DATE, start=start, end=end, value=day.isoformat())


def _day(match: re.Match[str]) -> date | None:
    """The day as the calendar has it; None where it has none."""
    parts = match.groupdict()
    name = parts.get("name")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["m"])
    try:
        return date(int(parts["y"]), month, int(parts["d"]))
    except ValueError:
        return None


def _named(text: str, patterns: tuple[re.Pattern[str], ...], kind: FactKind) -> Iterator[Fact]:
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield Fact(kind=kind, start=match.start("v"), end=match.end("v"), value=match["v"])
