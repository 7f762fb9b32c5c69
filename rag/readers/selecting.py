"""`select`: which candidates carry the answer, which facets have none, which pairs contradict."""

from collections.abc import Sequence
from itertools import zip_longest

from rag.ports import SelectRequest
from rag.readers.differences import Difference, differences
from rag.readers.evidence import Sentence
from rag.readers.findings import Desk, Finding, desk, find
from rag.readers.quoting import header_elsewhere
from rag.readers.telling import unknown
from rag.values import Contradiction, Evidence, Selection, Verdict


def select(request: SelectRequest) -> Selection:
    """Judge every candidate for every facet, deterministically."""
    at = desk(request.candidates, time_state=request.time_state, day=request.asked_at.date())
    findings = [_known(find(facet, request.question, at), at) for facet in request.facets]
    found = differences(findings, at)
    kept = _kept(findings, found, at, request.limit)
    return Selection(
        verdicts=_verdicts(request.candidates, findings, at),
        chunk_ids=kept,
        missing=tuple(f.facet.id for f in findings if f.missing and not _settled(f, found)),
        contradictions=tuple(_contradiction(each) for each in found if _both(each, kept)),
    )


def _known(finding: Finding, at: Desk) -> Finding:
    """Nothing answers a facet about what no candidate mentions; a table's row accounts for all."""
    in_a_table = any(each.columns for each in finding.picked)
    if finding.differences or in_a_table or not unknown(finding.asked.text, at.reading.sentences):
        return finding
    return Finding(facet=finding.facet, asked=finding.asked)


def _settled(finding: Finding, found: Sequence[Difference]) -> bool:
    return any(each.about == finding.facet.text for each in found)


def _contradiction(each: Difference) -> Contradiction:
    ids = (each.left.evidence.chunk.id, each.right.evidence.chunk.id)
    return Contradiction(about=each.about, chunk_ids=ids)


def _both(each: Difference, kept: Sequence[str]) -> bool:
    return {each.left.evidence.chunk.id, each.right.evidence.chunk.id} <= set(kept)


def _kept(
    findings: list[Finding], found: Sequence[Difference], at: Desk, limit: int
) -> tuple[str, ...]:
    """Both sides of each contradiction first, then every facet's best, then second bests."""
    order: list[Sentence] = []
    for each in found:
        order += [each.left, each.right]
    for place in range(3):
        for finding in findings:
            order += _wanted(finding, at)[place : place + 1]
    ids = dict.fromkeys(sentence.evidence.chunk.id for sentence in order)
    return tuple(ids)[:limit]


def _wanted(finding: Finding, at: Desk) -> list[Sentence]:
    first = [each.sentence for each in finding.picked or finding.partial]
    headers = [header_elsewhere(each.sentence, at.reading) for each in finding.picked[:1]]
    beside = [finding.counterpart] if finding.counterpart else [*finding.before, *headers]
    rest = [each for pair in zip_longest(beside, first[1:]) for each in pair if each]
    by_chunk = {each.evidence.chunk.id: each for each in reversed(first[:1] + rest)}
    return list(reversed(by_chunk.values()))


def _verdicts(
    candidates: Sequence[Evidence], findings: list[Finding], at: Desk
) -> tuple[Verdict, ...]:
    del at
    scores: dict[str, dict[str, float]] = {}
    for finding in findings:
        for each in finding.related or finding.picked or finding.partial:
            facets = scores.setdefault(each.sentence.evidence.chunk.id, {})
            facets[finding.facet.id] = max(each.score, facets.get(finding.facet.id, 0.0))
        for sentence in (*([finding.counterpart] if finding.counterpart else []), *finding.before):
            facets = scores.setdefault(sentence.evidence.chunk.id, {})
            facets.setdefault(finding.facet.id, 0.0)
    return tuple(
        Verdict(
            chunk_id=piece.chunk.id,
            relevant=piece.chunk.id in scores,
            facets=tuple(scores.get(piece.chunk.id, {})),
            score=max(scores.get(piece.chunk.id, {"": 0.0}).values()),
        )
        for piece in candidates
    )
