"""Stage 8: every quote found again in its pinned snapshot, every claim held by its quotes."""

from rag.ports import Reader, Snapshots, SupportRequest
from rag.text.checks import names_standing, strays
from rag.values import (
    Citation,
    Claim,
    ClaimVerdict,
    ContextPack,
    Draft,
    Evidence,
    Request,
    SourceStatus,
    Support,
    TimeState,
)


async def ground(
    request: Request, pack: ContextPack, draft: Draft, *, snapshots: Snapshots, reader: Reader
) -> Support:
    """One verdict a claim, in order: the program's checks and the reader's judgement together.

    Raises `SnapshotTampered` when a stored text no longer matches its SHA-256,
    `StoreUnavailable`, `ReaderError`.
    """
    if not draft.claims:
        return Support()
    shas = sorted({citation.snapshot for claim in draft.claims for citation in claim.citations})
    pinned = {item.chunk.snapshot for item in pack.evidence}
    texts = {sha: await snapshots.get(sha) for sha in shas if sha in pinned}
    judged = await reader.support(
        SupportRequest(pack=pack, draft=draft, asked_at=pack.plan.seen_from(request.asked_at))
    )
    by_claim = {verdict.claim: verdict for verdict in judged.verdicts}
    return Support(
        verdicts=tuple(
            _verdict(number, claim, pack, texts, by_claim.get(number))
            for number, claim in enumerate(draft.claims)
        )
    )


def _verdict(
    number: int,
    claim: Claim,
    pack: ContextPack,
    texts: dict[str, str],
    judged: ClaimVerdict | None,
) -> ClaimVerdict:
    lost = [
        f"quote {place} is not in the pinned snapshot"
        for place, citation in enumerate(claim.citations)
        if not _found(citation, pack, texts)
    ]
    quotes = [citation.quote for citation in claim.citations]
    checks = [
        *strays(claim.text, quotes, question=pack.question, titles=_titles(claim, pack)),
        *_standing_reasons(claim, pack),
    ]
    heard = list(judged.reasons) if judged else ["the reader gave no verdict"]
    supported = bool(judged and judged.supported and judged.quotes_found)
    return ClaimVerdict(
        claim=number,
        quotes_found=not lost,
        supported=supported and not lost and not checks,
        reasons=(*lost, *checks, *heard),
    )


def _found(citation: Citation, pack: ContextPack, texts: dict[str, str]) -> bool:
    """Whether the quote is exactly there: text, chunk, source and snapshot, no heading touched."""
    item = _evidence(citation, pack)
    if item is None:
        return False
    chunk, start, end = item.chunk, citation.start, citation.end
    inside = chunk.start <= start < end <= chunk.end
    clear = not any(start < stop and begin < end for begin, stop in chunk.headings)
    text = texts.get(citation.snapshot, "")
    return inside and clear and text[start:end] == citation.quote != ""


def _evidence(citation: Citation, pack: ContextPack) -> Evidence | None:
    wanted = (citation.chunk_id, citation.source_id, citation.snapshot)
    for item in pack.evidence:
        if (item.chunk.id, item.chunk.source_id, item.chunk.snapshot) == wanted:
            return item
    return None


def _titles(claim: Claim, pack: ContextPack) -> list[str]:
    """How the cited sources are called, which a claim may say."""
    return [item.source.title for c in claim.citations if (item := _evidence(c, pack))]


def _standing_reasons(claim: Claim, pack: ContextPack) -> list[str]:
    """The present rests on current sources alone, and what is only proposed is told as such."""
    cited = [item.source for c in claim.citations if (item := _evidence(c, pack))]
    standings = {source.status for source in cited}
    reasons = []
    if pack.plan.time_state is TimeState.CURRENT and standings - {SourceStatus.CURRENT}:
        reasons.append("a claim about the present rests on a source that is not current")
    if _pending(claim, standings) and not names_standing(claim.text):
        reasons.append("the claim drops that its source is proposed or pending")
    return reasons


def _pending(claim: Claim, standings: set[SourceStatus]) -> bool:
    """Whether the source is a proposal, or the first quote, which carries the claim, says so."""
    return SourceStatus.PROPOSED in standings or names_standing(claim.citations[0].quote)
