"""Reports to render, built from a text and the passages cited in it."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime

from handlers.blocks.rendered import Ids
from handlers.blocks.report import citation_keys
from rag.values import (
    Answer,
    Chunk,
    Citation,
    Claim,
    Clarification,
    Conflict,
    Evidence,
    Kind,
    Option,
    Pinned,
    Reason,
    Report,
    SourceStatus,
    Status,
    Trace,
)

TODAY = date(2026, 11, 30)

HANDBOOK = """# 设备借用制度

## 借用登记
借用示例设备要登记设备编号、借用人和预计归还日期。
超过七天的，须重新确认归还日期。

## 归还
归还时由管理员检查设备。
"""

POLICY = """# Device policy

Loans of more than 5 days need the return date confirmed again.
"""


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def pinned(
    title: str,
    text: str,
    *,
    status: SourceStatus = SourceStatus.CURRENT,
    owner: str = "Lab team",
    review_by: date | None = None,
) -> Pinned:
    return Pinned(
        source_id=sha(title)[:12],
        tenant="demo",
        title=title,
        kind=Kind.DOCUMENT,
        ref="a.md",
        snapshot=sha(text),
        status=status,
        owner=owner,
        review_by=review_by,
        updated_at=datetime(2026, 11, 3, tzinfo=UTC),
    )


def evidence(
    source: Pinned, text: str, *, page: int | None = None, content_type: str = "text"
) -> Evidence:
    """The whole text as one chunk."""
    chunk = Chunk(
        id=f"{source.source_id}:0",
        source_id=source.source_id,
        snapshot=source.snapshot,
        title=source.title,
        ordinal=0,
        start=0,
        end=len(text),
        lines=(1, text.count("\n") + 1),
        page=page,
        content_type=content_type,
        text=text,
    )
    return Evidence(chunk=chunk, source=source)


def cite(item: Evidence, quote: str) -> Citation:
    start = item.chunk.text.index(quote)
    return Citation.cut(item.chunk, start, start + len(quote))


def claim(text: str, *citations: Citation) -> Claim:
    return Claim(text=text, citations=citations)


def report(
    answer: Answer,
    *items: Evidence,
    language: str = "en",
    question: str = "What must I write down?",
    reason: Reason | None = None,
) -> Report:
    return Report(
        task="t1",
        tenant="demo",
        principal="slack:T1:U1",
        question=question,
        created_at=datetime(2026, 11, 30, tzinfo=UTC),
        language=language,
        evidence=items,
        answer=answer,
        trace=Trace(reason=reason),
    )


def ids(told: Report) -> Ids:
    """Ids as the process would make them: they say nothing of what they stand for."""
    clarification = told.answer.clarification
    options = clarification.options if clarification else ()
    return Ids(
        answer="a-1",
        citations={key: f"c-{number}" for number, (key, _) in enumerate(citation_keys(told), 1)},
        options={option.id: f"o-{number}" for number, option in enumerate(options, 1)},
    )


def answered(*, language: str = "zh", page: int | None = 3) -> Report:
    item = evidence(pinned("设备借用制度", HANDBOOK), HANDBOOK, page=page)
    first = "借用示例设备要登记设备编号、借用人和预计归还日期。"
    second = "超过七天的，须重新确认归还日期。"
    claims = (claim(first, cite(item, first)), claim(second, cite(item, second)))
    return report(Answer(status=Status.ANSWERED, claims=claims), item, language=language)


def insufficient(*, language: str = "en", supported: bool = True) -> Report:
    item = evidence(pinned("Device policy", POLICY), POLICY)
    quote = "Loans of more than 5 days need the return date confirmed again."
    claims = (claim(quote, cite(item, quote)),) if supported else ()
    missing = ("No source says who repairs a damaged device.", "No source names a deposit.")
    answer = Answer(status=Status.INSUFFICIENT, claims=claims, limitations=missing)
    return report(answer, item, language=language)


def conflicting(*, language: str = "zh") -> Report:
    one = evidence(pinned("设备借用制度", HANDBOOK, owner="设备管理组"), HANDBOOK)
    other = evidence(pinned("Device policy", POLICY, review_by=date(2026, 9, 1), owner=""), POLICY)
    seven = claim("借用超过七天要重新确认归还日期。", cite(one, "超过七天的，须重新确认归还日期。"))
    five = claim(
        "Loans over 5 days are confirmed again.",
        cite(other, "Loans of more than 5 days need the return date confirmed again."),
    )
    answer = Answer(
        status=Status.CONFLICTING,
        claims=(seven, five),
        conflicts=(Conflict(about="几天后重新确认", sides=(seven, five)),),
    )
    return report(answer, one, other, language=language)


def clarifying(options: Sequence[str], *, language: str = "en") -> Report:
    offered = tuple(Option(id=f"opt{n}", text=text) for n, text in enumerate(options))
    question = Clarification(question="Which edition do you mean?", options=offered)
    return report(Answer(status=Status.CLARIFY, clarification=question), language=language)


def refused(*, language: str = "en") -> Report:
    return report(Answer(status=Status.REFUSED), language=language)


def failed(reason: Reason | None, *, language: str = "en") -> Report:
    return report(Answer(status=Status.FAILED), language=language, reason=reason)


def long_answer(*, claims: int, quote: int) -> Report:
    """Many claims, each with its own long quote of several sentences."""
    sentence = "The lender keeps the register and writes down every loan of this device. "
    texts = [f"Rule {n}. " + sentence * (quote // len(sentence)) for n in range(claims)]
    items = [evidence(pinned(f"Rulebook {n}", text), text) for n, text in enumerate(texts)]
    made = tuple(
        claim(f"Rule {n} holds.", cite(item, item.chunk.text.strip()))
        for n, item in enumerate(items)
    )
    return report(Answer(status=Status.ANSWERED, claims=made), *items)
