"""What kind of answer a facet asks for, and whether a sentence holds one."""

import re
from dataclasses import dataclass
from enum import StrEnum

from rag.readers.evidence import Sentence, content
from rag.readers.quantities import Sort, quantities
from rag.readers.words import folded


class Wanted(StrEnum):
    """The kind of value a facet asks for."""

    WHEN = "when"
    DURATION = "duration"
    DEADLINE = "deadline"
    MONEY = "money"
    PERCENT = "percent"
    QUANTITY = "quantity"
    WHO = "who"
    WHERE = "where"
    WHY = "why"
    MEANING = "meaning"
    YES_OR_NO = "yes or no"
    ANY = "any"


_DURATION_WORDS = r"hours?|days?|weeks?|months?|years?|minutes?|seconds?|working days"
_PATTERNS: tuple[tuple[Wanted, re.Pattern[str]], ...] = (
    (Wanted.MONEY, re.compile(
        r"\bhow much (?:money|does|do|did|is it|will|would) .{0,60}\b(?:cost|pay|paid"
            r"|charge|price|fee|earn|budget)"
        r"|\b(?:what|how much) (?:is|are|was|were) the .{0,40}\b(?:price|fee|cost|costs"
            r"|budget|salary|revenue)\b"
        r"|多少钱|(?:年费|费用|价格|预算|收入|金额|单价|成本|费|薪"
            r"|奖金)[^，。？?]{0,6}(?:是多少|多少|是什么|几)")),
    (Wanted.PERCENT, re.compile(
        r"\b(?:what|which) (?:percentage|percent|share|proportion)\b|\bpercentage\b"
            r"|百分之几|百分比|(?:(?<![频效功速])率|占比|比例|增幅)[^，。？?]{0,4}(?:是多少"
            r"|多少|是什么)")),
    (Wanted.DURATION, re.compile(
        rf"\bhow (?:long|quickly|soon|fast|many (?:more )?(?:{_DURATION_WORDS}))\b"
            rf"|\bfor how many (?:{_DURATION_WORDS})\b"
        r"|多久|多长时间|期(?:限|间)?(?:是|有|为)?多长|多少(?:个)?(?:小时|天|周|星期|月"
            r"|年|分钟|秒|日|工作日)|几(?:个)?(?:小时|天|周|星期|月|年|分钟|秒|工作日)|时长")),
    (Wanted.DEADLINE, re.compile(
        r"\b(?:deadline|due date|payment term|time limit|by when|notice period"
            r"|when (?:is|are) .{0,40}\bdue)\b|期限|时限|截止")),
    (Wanted.WHEN, re.compile(
        r"(?:^|\W)(?:when|what (?:year|date|day|month|time|century|decade)|(?:which"
            r"|in what|in which) (?:year|month|century|decade|day))\b"
        r"|什么时候|何时|哪年|哪一年|哪天|哪一天|哪月|几号|几点|几月|什么时间|哪个月"
            r"|多少号|何年|日期是|时间是")),
    (Wanted.QUANTITY, re.compile(
        r"\bhow (?:many|much|large|big|tall|high|deep|far|old|wide|heavy)\b|\bwhat (?:is"
            r"|was|are) the (?:\S+ ){0,6}(?:limit|maximum|minimum|number|size|population"
            r"|rate|capacity|amount|height|area)\b"
        r"|多少|几(?:个|名|人|台|次|家|条|份|种|岁|位|项|页)|(?:上限|下限|最多|最少|人数"
            r"|数量|面积|人口)[^，。？?]{0,4}(?:是|为)")),
    (Wanted.WHO, re.compile(
        r"(?:^|\W)(?:who|whom|whose|which (?:person|people|team))\b|谁|哪位|何人|什么人"
        r"|哪个人")),
    (Wanted.WHERE, re.compile(
        r"(?:^|\W)(?:where|(?:in )?(?:what|which) (?:country|city|place|state|region"
        r"|town|county|continent))\b|哪里|哪儿|什么地方|何处|在哪|哪个国家|哪国")),
    (Wanted.MEANING, re.compile(
        r"\bwhat (?:does|do|did) .{1,60}\b(?:stand for|mean)\b|是什么意思|什么含义"
        r"|含义是什么|全称是什么")),
    (Wanted.WHY, re.compile(r"(?:^|\W)why\b|为什么|为何|什么原因|原因是")),
)  # fmt: skip
_YES_NO_EN = re.compile(
    r"(?:^|[,;.:]\s*|\b(?:so|and|but|then|or) )(?:is|are|was|were|do|does|did|can"
    r"|could|will|would|shall|should|may|must|might|has|have|had)(?:n['’]t)?\b"
    r"|\b(?:whether|if it is true)\b"
)
_WH_EN = re.compile(r"\b(?:what|which|who|whom|whose|when|where|why|how)\b")
_CLAUSE_EN = re.compile(
    r"(?<!\bknow )(?<!\btell me )(?<!\bsay )(?<=[a-z] )when(?= (?:i|we|you|they|he|she|it|the|an?"
    r"|my|our|your|somebody|someone)\b)"
)
"""The ``when`` that opens a condition and asks for no time."""
_YES_NO_ZH = re.compile(
    r"吗|是否|是不是|能不能|会不会|可不可以|能否|可否|有没有|要不要|对不对|算不算"
    r"|需不需要|该不该|应不应该"
)
_WH_ZH = re.compile(r"什么|多少|多久|多长|谁|哪|几|怎么|怎样|如何|为何|何时")
_OPEN_END = re.compile(
    r"\bpermanent|\bindefinitely\b|\bforever\b|\buntil\b|\bunlimited\b|\bno limit\b"
    r"|\bas long as\b|\bimmediately\b|\bat once\b|\bovernight\b"
    r"|永久|无限|直到|不限|没有上限|长期|立即|立刻|马上|当天|当日|次日"
)
_DUE = re.compile(
    r"\bwithin\b|\bby the\b|\bbefore\b|\bno later than\b|\bafter receipt\b"
    r"|\bin advance\b|\bahead\b|日内|天内|小时内|月内|之前|以前|前付|不迟于|截至"
    r"|截止|之日起"
)
_NAME = re.compile(r"(?:^|[^.!?\s]\s+)[\"“'(]?([A-Z][\w.-]+)")
_REASON = re.compile(
    r"\bbecause\b|\bdue to\b|\bsince\b|\bso that\b|\bin order to\b|\bas a result\b"
    r"|\bto avoid\b|\bcause|因为|由于|因此|所以|为了|原因|以免|导致|避免|故"
)
_KIND_NOUNS = {
    Wanted.DEADLINE: re.compile(
        r"期限|时限|截止日期|截止时间|截止|\bdeadline\b|\bterms?\b|\btime limit\b|\bdue(?: date)?\b"
    ),
    Wanted.WHEN: re.compile(r"日期|时间|\b(?:date|day|year|month|time|century|decade)\b"),
    Wanted.DURATION: re.compile(
        r"时长|时间|\b(?:take|last|long|duration|hours?|days?|weeks?|months?|years?)\b"
    ),
    Wanted.QUANTITY: re.compile(r"数量|数目|个数|\b(?:number|amount|total)\b"),
    Wanted.MONEY: re.compile(r"金额|价格|\b(?:cost|price|amount|money)\b"),
    Wanted.PERCENT: re.compile(
        r"百分比|比例|占比|\b(?:percentage|percent|share|proportion|rate)\b"
    ),
    Wanted.WHO: re.compile(r"\b(?:person|people|name|named)\b|人员"),
    Wanted.MEANING: re.compile(r"意思|含义|全称|\b(?:stands?|means?|meaning)\b"),
    Wanted.WHY: re.compile(r"原因|理由|\b(?:reason|reasons|cause)\b"),
}
"""Nouns that only name the kind of value asked for."""


@dataclass(frozen=True)
class Asked:
    """A facet read once: its weighted terms, the kind of value it wants, its names and numbers.

    ``bare`` are the terms without the nouns that only name the kind of value: a
    sentence that gives a date need not hold the word "date".
    """

    text: str
    terms: dict[str, float]
    bare: dict[str, float]
    context: frozenset[str]
    wanted: Wanted
    yes_or_no: bool
    names: frozenset[str]
    values: frozenset[str]


def asked(facet: str, question: str) -> Asked:
    """Read ``facet``; the rest of ``question`` is context that may only speak for a sentence."""
    weighed = content(facet)
    values = frozenset(f"={quantity.value}" for quantity in quantities(facet))
    wanted = wanted_by(facet)
    kind = _KIND_NOUNS.get(wanted)
    return Asked(
        text=facet,
        terms=weighed,
        bare=(content(kind.sub(" ", folded(facet))) or weighed) if kind else weighed,
        context=frozenset(content(question)) - frozenset(weighed),
        wanted=wanted,
        yes_or_no=is_yes_or_no(facet),
        names=_names(facet),
        values=values,
    )


def wanted_by(text: str) -> Wanted:
    plain = folded(text)
    if is_yes_or_no(text):
        return Wanted.YES_OR_NO
    return next((kind for kind, pattern in _PATTERNS if pattern.search(plain)), Wanted.ANY)


def is_yes_or_no(text: str) -> bool:
    """Whether a facet is answered by yes or no rather than by a value."""
    plain = folded(text)
    if _YES_NO_ZH.search(plain):
        return not _WH_ZH.search(_YES_NO_ZH.sub("", plain))
    return bool(_YES_NO_EN.search(plain)) and not _WH_EN.search(_CLAUSE_EN.sub(" ", plain))


def _names(text: str) -> frozenset[str]:
    found = [match[1] for match in _NAME.finditer(text)]
    first = "" if any(is_han(c) for c in text) else text.split(" ", 1)[0].lower()
    kept = " ".join(name for name in found if name.lower() != first or not found)
    codes = " ".join(word for word in text.split() if any(c.isdigit() for c in word))
    return frozenset(content(f"{kept} {codes}")) if kept or codes else frozenset()


def holds(wanted: Wanted, sentence: Sentence, asked_for: Asked) -> bool:
    """Whether ``sentence`` has a value of the kind ``wanted`` that the facet does not give."""
    test = _TESTS.get(wanted)
    return test is None or test(sentence, asked_for)


def _fresh(sentence: Sentence, asked_for: Asked, sorts: set[Sort]) -> bool:
    return any(
        q.sort in sorts and (f"={q.value}" not in asked_for.values) for q in sentence.quantities
    )


def _has_duration(sentence: Sentence, asked_for: Asked) -> bool:
    return _fresh(sentence, asked_for, {Sort.DURATION}) or bool(
        _OPEN_END.search(folded(sentence.text))
    )


def _has_deadline(sentence: Sentence, asked_for: Asked) -> bool:
    given = _fresh(sentence, asked_for, {Sort.DURATION, Sort.DATE, Sort.TIME})
    return given and bool(_DUE.search(folded(sentence.text)))


def _has_when(sentence: Sentence, asked_for: Asked) -> bool:
    return _fresh(sentence, asked_for, {Sort.DATE, Sort.TIME, Sort.DURATION}) or bool(
        _MOMENT.search(folded(sentence.text))
    )


_MOMENT = re.compile(
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february"
    r"|march|april|june|july|august"
    r"|september|october|november|december|century|centuries|spring|summer|autumn"
    r"|winter|annually|daily|weekly|monthly|quarterly)\b"
    r"|\b\d{3,4}s?\b|\b(?:before|after|during|until|once|as soon as)\b"
    r"|周[一二三四五六日末]|星期|世纪|[年月日号]|季度|之前|之后|以后|以前|当天|次日"
    r"|时候|时期"
)


def _has_money(sentence: Sentence, asked_for: Asked) -> bool:
    return _fresh(sentence, asked_for, {Sort.MONEY}) or bool(
        re.search(r"\bfree\b|免费", folded(sentence.text))
    )


def _has_quantity(sentence: Sentence, asked_for: Asked) -> bool:
    sorts = set(Sort) - {Sort.DATE, Sort.TIME}
    return _fresh(sentence, asked_for, sorts) or bool(_AMOUNT.search(folded(sentence.text)))


_AMOUNT = re.compile(
    r"\b(?:unlimited|no limit|none|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|twelve|dozen|hundreds?|thousands?|millions?|single|double|half)\b|\d"
    r"|不限|没有上限|[一二两三四五六七八九十百千万半]"
)


def _has_who(sentence: Sentence, asked_for: Asked) -> bool:
    if any(is_han(c) for c in sentence.text[:200]):
        return True
    others = {name for match in _NAME.finditer(" x " + sentence.text) for name in content(match[1])}
    return bool(others - frozenset(asked_for.terms)) or bool(_ROLE.search(folded(sentence.text)))


_ROLE = re.compile(
    r"\b(?:manager|engineer|team|desk|director|head|lead|owner|officer|department|he|she|by)\b"
)


def is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"


def _has_reason(sentence: Sentence, asked_for: Asked) -> bool:
    del asked_for
    return bool(_REASON.search(folded(sentence.text)))


def _has_percent(sentence: Sentence, asked_for: Asked) -> bool:
    return _fresh(sentence, asked_for, {Sort.PERCENT}) or "百分之" in sentence.text


def _has_meaning(sentence: Sentence, asked_for: Asked) -> bool:
    """A definition: the term first and then a dash, a colon or a verb of being."""
    head = _DEFINED.match(folded(sentence.text))
    return head is not None and frozenset(content(head[1])) == frozenset(asked_for.bare)


_DEFINED = re.compile(
    r"[\W_]*([^:：。,，;；]{1,60}?)[*_`\"”）)]*\s*"
    r"(?:\s[-–—]\s|[:：]|\s(?:is|are|means?|stands? for)\s|是|指|表示)"
)
_TESTS = {
    Wanted.MEANING: _has_meaning,
    Wanted.DURATION: _has_duration,
    Wanted.DEADLINE: _has_deadline,
    Wanted.WHEN: _has_when,
    Wanted.MONEY: _has_money,
    Wanted.PERCENT: _has_percent,
    Wanted.QUANTITY: _has_quantity,
    Wanted.WHO: _has_who,
    Wanted.WHY: _has_reason,
}
