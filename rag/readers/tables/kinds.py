"""What kind of value a facet asks for, and whether a cell under its header is of that kind."""

import re

from rag.readers.asking import Asked, Wanted
from rag.readers.quantities import Sort, quantities
from rag.readers.tables.naming import Words
from rag.readers.words import UNDECIDED, closed, folded
from rag.text.tokenise import stem

_MONEY = re.compile(
    r"[$€£¥￥]|\b(?:price|cost|fee|charge|rate|usd|eur|gbp|cny|rmb|yuan|dollars?|euros?)s?\b"
    r"|价|费|金额|元|预算"
)
_PERCENT = re.compile(r"%|\bper ?cent|\brate\b|率|比例|占比")
_OPEN = re.compile(
    r"\b(?:unlimited|no limit|none|free|indefinitely|permanent|forever)\b"
    "|不限|无限|免费|永久|长期"
)
_HEADERS = {
    Wanted.MONEY: re.compile(rf"{_MONEY.pattern}|\bamount\b"),
    Wanted.PERCENT: _PERCENT,
    Wanted.WHERE: re.compile(r"\b(?:address|location|place|site|room)\b|地址|地点|位置|所在"),
    Wanted.WHO: re.compile(
        r"\b(?:contact|owner|manager|lead|name|responsible|person|approver)\b|负责人|联系人|经理|审批人|责任人|姓名"
    ),
    Wanted.WHEN: re.compile(r"\b(?:date|when|day|month)\b|日期|时间|何时"),
    Wanted.DURATION: re.compile(r"\b(?:duration|period|term)\b|时长|期限|时限|期$"),
    Wanted.DEADLINE: re.compile(r"\b(?:deadline|due|period|term)\b|期限|时限|截止"),
}
_DAYS = re.compile(
    r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|\b(?:daily|weekdays|weekends)\b|周[一二三四五六日末]|星期|每[天日周月]"
)
_SOON = re.compile(
    r"\b(?:immediately|at once|same day|overnight)\b|立即|立刻|当[天日]|即[时刻]|次日"
)
_DURATIONS = re.compile(
    r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b|秒|分钟|小时|[天日周月年]|季度"
)
_PRICED = re.compile(r"\bcosts?\b|\bprice\b|\bpay\b|价格|单价")
_COSTS = frozenset(map(stem, closed("cost costs price prices charge charged fee fees pay paid")))
_SPARE = {
    Wanted.MONEY: _COSTS | {"钱", "价", "费", "格", "用"},
    Wanted.DURATION: frozenset({"time", "last"}),
}
_DIGITS = frozenset({"number", "amount", "time", "date"})


def wanted_of(asked: Asked) -> Wanted:
    """The kind of value; a price where the question speaks of what something costs."""
    if asked.wanted is Wanted.ANY and _PRICED.search(folded(asked.text)):
        return Wanted.MONEY
    return asked.wanted


def names_kind(wanted: Wanted, header: str) -> bool:
    """Whether a column is called by the kind of what it holds."""
    pattern = _HEADERS.get(wanted)
    return bool(pattern and pattern.search(folded(header)))


def fits(wanted: Wanted, value: str, header: str) -> bool:
    """Whether a value that stands under ``header`` is of that kind; what is open is of every."""
    plain = folded(value)
    if UNDECIDED.search(plain):
        return True
    has_digit = any(c.isdigit() for c in plain)
    open_ended = bool(_OPEN.search(plain))
    if wanted is Wanted.MONEY:
        said = bool(_MONEY.search(plain) or _MONEY.search(folded(header)))
        return (has_digit and said and not _other(plain, Sort.MONEY)) or open_ended
    if wanted is Wanted.PERCENT:
        return has_digit and bool(_PERCENT.search(plain) or _PERCENT.search(folded(header)))
    if wanted in {Wanted.DURATION, Wanted.DEADLINE}:
        timed = bool(_DURATIONS.search(plain) or _DURATIONS.search(folded(header)))
        dated = wanted is Wanted.DEADLINE and Sort.DATE in {q.sort for q in quantities(plain)}
        return (has_digit and (timed or dated)) or open_ended or bool(_SOON.search(plain))
    if wanted is Wanted.WHEN:
        return has_digit or bool(_DAYS.search(plain) or _SOON.search(plain))
    if wanted is Wanted.QUANTITY:
        return has_digit or open_ended
    if wanted in {Wanted.WHO, Wanted.WHERE}:
        return any(c.isalpha() for c in plain)
    return wanted not in {Wanted.WHY, Wanted.MEANING}


def spare(wanted: Wanted, question: Words) -> frozenset[int]:
    """The words of the question that only name the kind of what it asks for."""
    words = _SPARE.get(wanted, frozenset[str]())
    if wanted is not Wanted.MONEY:
        words |= _DIGITS
    return frozenset(at for at, word in enumerate(question.words) if word in words)


def _other(plain: str, sort: Sort) -> bool:
    """Whether all that a value measures is of another sort."""
    sorts = {quantity.sort for quantity in quantities(plain)} - {Sort.COUNT, Sort.DATE}
    return bool(sorts) and sort not in sorts
