"""An answer as lines for a terminal."""

from collections.abc import Iterator, Mapping

from handlers.blocks.citation import place
from rag.values import Citation, Claim, Evidence, Report, Status

_SAID = {
    "answered": "Answered",
    "insufficient-evidence": "Not all of this can be answered from what may be read",
    "conflicting-evidence": "The sources contradict one another",
    "needs-clarification": "A question back",
    "refused": "Refused",
    "failed": "Failed",
}


def answer_lines(report: Report) -> list[str]:
    """Status, claims with numbered quotes, limitations, conflicts or the question back."""
    answer = report.answer
    lines = [f"[{_SAID[answer.status]}]  task {report.task}", ""]
    evidence = {item.chunk.id: item for item in report.evidence}
    for number, claim in enumerate(answer.claims, 1):
        lines += [*_claim_lines(number, claim, evidence), ""]
    for conflict in answer.conflicts:
        lines.append(f"≠ {conflict.about}")
    lines += [f"– {limitation}" for limitation in answer.limitations]
    if answer.clarification:
        lines.append(answer.clarification.question)
        lines += [f"  · {option.text}" for option in answer.clarification.options]
    if answer.status is Status.INSUFFICIENT and report.trace.snapshots:
        lines += ["", "searched:"]
        lines += [f"  {name} ({sha[:8]})" for name, sha in report.trace.snapshots.items()]
    return lines


def _claim_lines(number: int, claim: Claim, evidence: Mapping[str, Evidence]) -> Iterator[str]:
    yield f"{number}. {claim.text}"
    for citation in claim.citations:
        yield from _quote_lines(citation, evidence.get(citation.chunk_id))


def _quote_lines(citation: Citation, item: Evidence | None) -> Iterator[str]:
    for line in citation.quote.splitlines():
        yield f"   │ {line}"
    title = item.source.title if item else citation.source_id
    yield f"   └ {title} · {_where(citation, item)} · {citation.snapshot[:12]}"


def _where(citation: Citation, item: Evidence | None) -> str:
    if item is None:
        return f"characters {citation.start}–{citation.end}"
    return place(item.chunk, citation.start, citation.end, language="en")
