"""Values the storage tests share."""

from datetime import UTC, datetime, timedelta

from bot.storage.rows import sha256
from rag.ports import Lease
from rag.values import (
    Answer,
    Chunk,
    Citation,
    Claim,
    Clarification,
    Kind,
    Place,
    Report,
    Request,
    Source,
    SourceStatus,
    Status,
)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TEXT = "# 设备借用\n\n借用超过 7 天须再次确认归还日期。\x00 End."


def at(minutes: int) -> datetime:
    """``minutes`` past noon."""
    return NOON + timedelta(minutes=minutes)


def source(
    name: str = "handbook",
    *readers: str,
    tenant: str = "demo",
    status: SourceStatus = SourceStatus.CURRENT,
    title: str = "Handbook",
) -> Source:
    """A document; everyone may read it unless readers are given."""
    return Source(
        id=name,
        tenant=tenant,
        title=title,
        kind=Kind.DOCUMENT,
        ref=f"{name}.md",
        readers=readers or ("everyone",),
        status=status,
        tags=("hr",),
        metadata={"pages": 3},
        effective_from=NOON.date(),
    )


def chunk(name: str = "handbook", *, ordinal: int = 0, start: int = 0, end: int = 12) -> Chunk:
    """Characters ``start:end`` of `TEXT`."""
    return Chunk(
        id=f"{name}-{ordinal}",
        source_id=name,
        snapshot=sha256(TEXT),
        title="Handbook",
        ordinal=ordinal,
        start=start,
        end=end,
        lines=(1, 3),
        heading_path=("设备借用",),
        headings=((0, 6),),
        text=TEXT[start:end],
    )


def request(
    task: str = "t1",
    *,
    tenant: str = "demo",
    principal: str = "alice",
    question: str = "借用超过七天怎么办？",
    channel: str | None = None,
    minutes: int = 0,
) -> Request:
    """A question in the conversation ``thread``."""
    return Request(
        task=task,
        tenant=tenant,
        principal=principal,
        question=question,
        place=Place(channel=channel),
        conversation="thread",
        asked_at=at(minutes),
    )


def report(asked: Request, reply: str = "七天后须再次确认。") -> Report:
    """A report that cites one sentence of the handbook."""
    quoted = Citation(
        chunk_id="handbook-0",
        source_id="handbook",
        snapshot=sha256(TEXT),
        start=8,
        end=12,
        quote=TEXT[8:12],
    )
    claims = (Claim(text=reply, citations=(quoted,)),)
    return _report(asked, Answer(status=Status.ANSWERED, claims=claims))


def question_back(asked: Request, text: str) -> Report:
    """A report that asks the asker something."""
    clarification = Clarification(question=text)
    return _report(asked, Answer(status=Status.CLARIFY, clarification=clarification))


def _report(asked: Request, answer: Answer) -> Report:
    return Report(
        task=asked.task,
        tenant=asked.tenant,
        principal=asked.principal,
        question=asked.question,
        created_at=asked.asked_at,
        answer=answer,
    )


def lease(task: str = "t1", number: int = 0) -> Lease:
    """A task's lease; 0 is the one nobody has taken up yet."""
    return Lease(task=task, number=number)
