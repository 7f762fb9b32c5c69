"""A report as the one JSON object that scripts read."""

from datetime import date
from typing import Any

from rag.values import Chunk, Citation, Claim, Evidence, Report, place_of


def as_json(report: Report) -> dict[str, Any]:
    """Every key is always there; nested values have the shapes of the design's contract."""
    evidence = {item.chunk.id: item for item in report.evidence}
    return {
        "contract_version": report.contract_version,
        "question": report.question,
        "task": report.task,
        "plan": _dumped(report.plan),
        "selection": _dumped(report.selection),
        "evidence": [_evidence(item) for item in report.evidence],
        "answer": _answer(report, evidence),
        "grounding": _dumped(report.grounding),
        "trace": report.trace.model_dump(mode="json"),
    }


def _dumped(value: Any) -> Any:
    return value.model_dump(mode="json") if value is not None else None


def _evidence(item: Evidence) -> dict[str, Any]:
    chunk, source = item.chunk, item.source
    return {
        "chunkId": chunk.id,
        "sourceId": source.source_id,
        "title": source.title,
        "kind": source.kind.value,
        "status": source.status.value,
        "owner": source.owner,
        "updated": source.updated_at.isoformat() if source.updated_at else None,
        "snapshot": chunk.snapshot,
        "start": chunk.start,
        "end": chunk.end,
        "lines": list(chunk.lines),
        **_place(chunk, chunk.start, chunk.end),
        "text": chunk.text,
    }


def _answer(report: Report, evidence: dict[str, Evidence]) -> dict[str, Any]:
    answer = report.answer
    return {
        "status": answer.status.value,
        "claims": [_claim(claim, evidence) for claim in answer.claims],
        "limitations": list(answer.limitations),
        "clarification": _dumped(answer.clarification),
        "conflicts": [
            {"about": conflict.about, "sides": [_claim(side, evidence) for side in conflict.sides]}
            for conflict in answer.conflicts
        ],
    }


def _claim(claim: Claim, evidence: dict[str, Evidence]) -> dict[str, Any]:
    return {
        "text": claim.text,
        "citations": [
            _citation(citation, evidence[citation.chunk_id]) for citation in claim.citations
        ],
    }


def _citation(citation: Citation, item: Evidence) -> dict[str, Any]:
    return {
        "chunkId": citation.chunk_id,
        "sourceId": citation.source_id,
        "title": item.source.title,
        "status": item.source.status.value,
        "effective": [_day(item.source.effective_from), _day(item.source.effective_until)],
        "snapshot": citation.snapshot,
        "start": citation.start,
        "end": citation.end,
        "lines": list(item.chunk.lines_of(citation.start, citation.end)),
        **_place(item.chunk, citation.start, citation.end),
        "quote": citation.quote,
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _place(chunk: Chunk, start: int, end: int) -> dict[str, Any]:
    """Where the characters stand in the original; ``locator`` is null where lines say it."""
    found = place_of(chunk.locators, start, end)
    if found is None:
        return {"page": chunk.page, "locator": None}
    told = {"page", "slide", "sheet", "cells", "row", "heading_path", "recognised"}
    place = found[0].model_dump(mode="json", include=told)
    return {"page": found[0].page, "locator": place}
