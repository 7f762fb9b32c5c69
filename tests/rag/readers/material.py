"""Evidence and requests built from plain text, for the readers' tests."""

import hashlib
from datetime import UTC, datetime

from rag.ports import AnswerRequest, PlanRequest, SelectRequest, SupportRequest, Title
from rag.readers.extractive import ExtractiveReader
from rag.values import (
    Chunk,
    ContextPack,
    Draft,
    Evidence,
    Kind,
    Pinned,
    Plan,
    Selection,
    SourceStatus,
    Support,
    Turn,
)

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
READER = ExtractiveReader()


def piece(
    text: str,
    *,
    source: str = "s",
    title: str = "",
    status: SourceStatus = SourceStatus.CURRENT,
    offset: int = 0,
) -> Evidence:
    """One chunk ``offset`` characters into its snapshot; its markdown headings are marked."""
    snapshot = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    headings, at = [], offset
    for line in text.split("\n"):
        if line.startswith("#"):
            headings.append((at, at + len(line)))
        at += len(line) + 1
    return Evidence(
        chunk=Chunk(
            id=f"{source}:0",
            source_id=source,
            snapshot=snapshot,
            title=title,
            ordinal=0,
            start=offset,
            end=offset + len(text),
            lines=(1, 1 + text.count("\n")),
            headings=tuple(headings),
            text=text,
        ),
        source=Pinned(
            source_id=source,
            tenant="t",
            title=title,
            kind=Kind.DOCUMENT,
            ref=f"{source}.md",
            snapshot=snapshot,
            status=status,
        ),
    )


async def planned(
    question: str, *, titles: tuple[str, ...] = (), turns: tuple[Turn, ...] = (), left: int = 2
) -> Plan:
    named = tuple(Title(source_id=f"t{n}", title=title) for n, title in enumerate(titles))
    return await READER.plan(
        PlanRequest(question=question, titles=named, turns=turns, asked_at=NOW, rounds_left=left)
    )


async def selected(question: str, *evidence: Evidence) -> tuple[Plan, Selection]:
    plan = await planned(question)
    request = SelectRequest(
        question=plan.rewritten,
        facets=plan.facets,
        time_state=plan.time_state,
        asked_at=NOW,
        candidates=evidence,
    )
    return plan, await READER.select(request)


def packed(
    question: str, plan: Plan, *evidence: Evidence, missing: tuple[str, ...] = ()
) -> ContextPack:
    return ContextPack(task="t", question=question, plan=plan, evidence=evidence, missing=missing)


async def answered(question: str, *evidence: Evidence) -> Draft:
    """Plan, select and answer; every claim must pass the reader's own support."""
    plan, selection = await selected(question, *evidence)
    by_id = {each.chunk.id: each for each in evidence}
    kept = tuple(by_id[chunk] for chunk in selection.chunk_ids)
    pack = packed(question, plan, *kept, missing=selection.missing)
    draft = await READER.answer(AnswerRequest(pack=pack, asked_at=NOW))
    support = await supported(pack, draft)
    assert all(verdict.supported for verdict in support.verdicts), support
    for claim in draft.claims:
        for citation in claim.citations:
            chunk = by_id[citation.chunk_id].chunk
            start, end = citation.start - chunk.start, citation.end - chunk.start
            assert chunk.text[start:end] == citation.quote
    return draft


async def supported(pack: ContextPack, draft: Draft) -> Support:
    return await READER.support(SupportRequest(pack=pack, draft=draft, asked_at=NOW))


def quotes(draft: Draft) -> str:
    return "\n".join(c.quote for claim in draft.claims for c in claim.citations)
