"""Stage 9: the result as it is saved, before anybody sees it."""

from datetime import date, datetime

from pydantic import Field

from rag.errors import SnapshotTampered
from rag.ports import Snapshots
from rag.text.language import language_of
from rag.text.wording import say
from rag.values import (
    Answer,
    ContextPack,
    Draft,
    Grounding,
    Indexed,
    Permit,
    Pinned,
    Plan,
    Reason,
    Report,
    Request,
    Retrieved,
    Selection,
    SourceStatus,
    Spent,
    Status,
    TimeState,
    Trace,
    Value,
)

_WENT_WRONG = {
    Reason.UNAUTHORIZED: "authorize",
    Reason.SOURCE_UNREADABLE: "index",
    Reason.EVIDENCE_MISSING: "retrieve",
}


KEPT_UNDER = "the same tenant, rights, model, prompt version, role, shape and whole prompt"
"""What a kept reply was asked with, and must be to be used again."""


class Findings(Value):
    """What the stages that ran left behind; None for those that did not."""

    permit: Permit
    plan: Plan | None = None
    indexed: Indexed | None = None
    retrieved: Retrieved | None = None
    selection: Selection | None = None
    pack: ContextPack | None = None
    grounding: Grounding | None = None
    reader: str = ""
    prompt_version: str = ""
    reader_calls: int = 0
    index_version: str = ""
    spent: Spent = Spent()
    trace: Trace = Field(default_factory=Trace)


async def report(
    request: Request, found: Findings, *, snapshots: Snapshots, now: datetime
) -> Report:
    """Bind everything into one report; each quote is cut from its snapshot once more.

    Raises `SnapshotTampered` when a quote is not what its snapshot holds there.
    """
    answer = _answer(found, _language(request, found))
    for claim in answer.claims:
        for citation in claim.citations:
            text = await snapshots.get(citation.snapshot)
            if text[citation.start : citation.end] != citation.quote:
                raise SnapshotTampered(f"task {request.task}: a quote left its snapshot")
    made = Report(
        task=request.task,
        tenant=request.tenant,
        principal=request.principal,
        question=request.question,
        parent_id=request.parent_id,
        created_at=now,
        language=_language(request, found),
        plan=found.plan,
        selection=found.selection,
        evidence=found.pack.evidence if found.pack else (),
        answer=answer,
        grounding=found.grounding,
        trace=_trace(request, found, answer),
    )
    lines = [*_markdown(made, request.asked_at.date()), *_searched(found, answer, made.language)]
    return made.model_copy(update={"markdown": "\n".join(lines).rstrip() + "\n"})


def _language(request: Request, found: Findings) -> str:
    return found.plan.language if found.plan else language_of(request.question)


def _answer(found: Findings, language: str) -> Answer:
    if found.permit.refused:
        return Answer(status=Status.REFUSED, limitations=(say(language, "refused"),))
    if found.plan and found.plan.clarification:
        return Answer(status=Status.CLARIFY, clarification=found.plan.clarification)
    draft = found.grounding.draft if found.grounding else Draft()
    status = _status(found, draft)
    return Answer(
        status=status,
        claims=draft.claims,
        limitations=tuple(_limitations(found, draft, status, language)),
        conflicts=draft.conflicts,
    )


def _status(found: Findings, draft: Draft) -> Status:
    if any(conflict.asked for conflict in draft.conflicts):
        return Status.CONFLICTING
    unreadable = bool(found.indexed and found.indexed.unreadable)
    if not draft.claims or draft.gaps or unreadable or _one_sided(found, draft):
        return Status.INSUFFICIENT
    return Status.ANSWERED


def _one_sided(found: Findings, draft: Draft) -> bool:
    """Whether a comparison was asked for and all claims come from one source."""
    cited = {citation.source_id for claim in draft.claims for citation in claim.citations}
    compares = found.plan is not None and found.plan.time_state is TimeState.COMPARE
    return compares and len(cited) == 1


def _limitations(found: Findings, draft: Draft, status: Status, language: str) -> list[str]:
    lines = list(draft.gaps)
    if found.indexed and found.indexed.unreadable:
        lines.append(say(language, "unreadable", names=", ".join(found.indexed.unreadable)))
    if _one_sided(found, draft):
        lines.append(say(language, "one_sided"))
    if status is Status.INSUFFICIENT and not draft.claims and not lines:
        lines.append(say(language, "nothing"))
    return lines


def _searched(found: Findings, answer: Answer, language: str) -> list[str]:
    """Where an answer is not whole: which sources were searched, each in which version."""
    if answer.status is not Status.INSUFFICIENT or not found.indexed:
        return []
    names = [f"{pinned.title} ({pinned.snapshot[:8]})" for pinned in found.indexed.pinned]
    return ["", say(language, "searched", names="; ".join(names))] if names else []


def _trace(request: Request, found: Findings, answer: Answer) -> Trace:
    reason = found.trace.reason or _reason(found, answer)
    pinned = found.indexed.pinned if found.indexed else ()
    return found.trace.model_copy(
        update={
            "actor": request.principal,
            "original_question": request.question,
            "rewritten_question": found.plan.rewritten if found.plan else "",
            "permission_decision": found.permit.decision_id,
            "reason": reason,
            "first_failure": _first_failure(found, reason),
            "snapshots": {source.source_id: source.snapshot for source in pinned},
            "evidence_blocks": _evidence_blocks(found),
            "context_pack": _pack_summary(found),
            "retrieval_trace": _retrieval(found),
            "rerank_trace": _rerank(found),
            "index_version": found.index_version,
            "reader": found.reader,
            "prompt_version": found.prompt_version,
            "reader_calls": found.reader_calls,
            "spent": found.spent,
            "cache": _remembered(found.spent),
        }
    )


def _remembered(spent: Spent) -> str:
    """Which of the reader's questions a kept reply answered, and why it might; else `none`."""
    roles = [role.role for role in spent.roles if role.remembered]
    return f"hit ({', '.join(roles)}): {KEPT_UNDER}" if roles else "none"


def _reason(found: Findings, answer: Answer) -> Reason | None:
    if found.permit.refused:
        return Reason.UNAUTHORIZED
    if answer.status is not Status.INSUFFICIENT:
        return None
    if found.indexed and found.indexed.unreadable:
        return Reason.SOURCE_UNREADABLE
    held = bool(found.retrieved and found.retrieved.candidates)
    return Reason.RULE_UNDECIDED if held else Reason.EVIDENCE_MISSING


def _first_failure(found: Findings, reason: Reason | None) -> str:
    """The first stage that kept the answer from being whole; empty where it is."""
    if reason is not Reason.RULE_UNDECIDED:
        return _WENT_WRONG.get(reason, "") if reason else ""
    selection = found.selection
    whole = selection and selection.chunk_ids and not selection.missing
    return "answer" if whole else "select"


def _evidence_blocks(found: Findings) -> tuple[dict[str, object], ...]:
    evidence = found.pack.evidence if found.pack else ()
    return tuple(
        {
            "chunk": item.chunk.id,
            "source": item.source.source_id,
            "snapshot": item.chunk.snapshot,
            "start": item.chunk.start,
            "end": item.chunk.end,
            "status": item.source.status,
        }
        for item in evidence
    )


def _pack_summary(found: Findings) -> dict[str, object]:
    if not found.pack:
        return {}
    packed = {item.chunk.id for item in found.pack.evidence}
    chosen = found.selection.chunk_ids if found.selection else ()
    return {
        "characters": found.pack.characters,
        "tokens": found.pack.tokens,
        "left_out": [chunk_id for chunk_id in chosen if chunk_id not in packed],
    }


def _retrieval(found: Findings) -> dict[str, object]:
    if not found.retrieved:
        return {}
    return {
        "queries": list(found.retrieved.queries),
        "filters": _filters(found),
        "fallback_reason": found.retrieved.fallback_reason,
        "left_out": found.retrieved.left_out,
        "sources_left_out": list(found.indexed.left_out) if found.indexed else [],
        "hits": [
            {"chunk": hit.chunk.id, "rank": hit.rank, "score": round(hit.score, 4)}
            for hit in found.retrieved.candidates
        ],
    }


def _filters(found: Findings) -> list[str]:
    """The soft filters that were in force; dropped where the search fell back."""
    fell_back = found.retrieved is None or found.retrieved.fallback_reason
    return [] if fell_back or found.plan is None else [f"time_state={found.plan.time_state}"]


def _rerank(found: Findings) -> tuple[dict[str, object], ...]:
    if not found.retrieved or not found.selection:
        return ()
    chosen = found.selection.chunk_ids
    return tuple(
        {
            "chunk": hit.chunk.id,
            "before": hit.rank,
            "after": chosen.index(hit.chunk.id) if hit.chunk.id in chosen else None,
            "features": {name: round(value, 4) for name, value in hit.features.items()},
        }
        for hit in found.retrieved.candidates
    )


def _markdown(made: Report, today: date) -> list[str]:
    lines = [f"# {made.question.strip()}", "", f"**{made.answer.status}**", ""]
    cited = {item.source.source_id: item.source for item in made.evidence}
    for claim in made.answer.claims:
        lines += [f"- {claim.text}", ""]
        for citation in claim.citations:
            lines += [f"  > {line}" for line in citation.quote.splitlines()]
            place = f"{citation.snapshot[:12]} {citation.start}–{citation.end}"
            named = _named(cited.get(citation.source_id), today, made.language)
            lines += ["  >", f"  > — {named or citation.source_id} · {place}", ""]
    for conflict in made.answer.conflicts:
        lines += [say(made.language, "conflict", about=conflict.about), ""]
    if made.answer.limitations:
        lines += [f"## {say(made.language, 'limitations')}", ""]
        lines += [f"- {limitation}" for limitation in made.answer.limitations]
    if made.answer.clarification:
        lines.append(made.answer.clarification.question)
        lines += [f"- {option.text}" for option in made.answer.clarification.options]
    return lines


def _named(source: Pinned | None, today: date, language: str) -> str:
    """How a source is called, and its standing; one to come is told with its day."""
    if source is None:
        return ""
    later = source.effective_from
    adopted = source.upcoming or source.status is SourceStatus.CURRENT
    if adopted and later and later > today:
        return f"{source.title} · {say(language, 'in_force_from', day=later.isoformat())}"
    return f"{source.title} · {say(language, source.status.value)}"
