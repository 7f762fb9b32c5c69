"""An answer as lines for a terminal."""

from collections.abc import Iterator

from rag.values import Citation, Claim, Report, Status

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
    titles = {item.source.source_id: item.source.title for item in report.evidence}
    for number, claim in enumerate(answer.claims, 1):
        lines += [*_claim_lines(number, claim, titles), ""]
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


def _claim_lines(number: int, claim: Claim, titles: dict[str, str]) -> Iterator[str]:
    yield f"{number}. {claim.text}"
    for citation in claim.citations:
        yield from _quote_lines(citation, titles)


def _quote_lines(citation: Citation, titles: dict[str, str]) -> Iterator[str]:
    for line in citation.quote.splitlines():
        yield f"   │ {line}"
    title = titles.get(citation.source_id, citation.source_id)
    yield f"   └ {title} · {citation.start}–{citation.end} · {citation.snapshot[:12]}"
