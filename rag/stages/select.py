"""Stage 5: which candidates carry the answer, for which facet, and what is missing."""

from rag.errors import FormatInvalid
from rag.ports import Reader, SelectRequest
from rag.values import Evidence, Indexed, Limits, Plan, Request, Retrieved, Selection


async def select(
    request: Request,
    plan: Plan,
    indexed: Indexed,
    retrieved: Retrieved,
    *,
    reader: Reader,
    limits: Limits,
) -> Selection:
    """Have the reader judge the candidates, and check that it spoke of these alone.

    Raises `FormatInvalid` when it named a chunk or facet it was not given, too many
    chunks, or kept one side of a contradiction only; `ReaderError`.
    """
    pins = {pinned.source_id: pinned for pinned in indexed.pinned}
    candidates = tuple(
        Evidence(chunk=candidate.chunk, source=pins[candidate.chunk.source_id])
        for candidate in retrieved.candidates
    )
    selection = await reader.select(
        SelectRequest(
            question=plan.rewritten or request.question,
            facets=plan.facets,
            time_state=plan.time_state,
            asked_at=plan.seen_from(request.asked_at),
            candidates=candidates,
            limit=limits.selected_chunks,
        )
    )
    _check(selection, plan, {item.chunk.id for item in candidates}, limits.selected_chunks)
    return selection


def _check(selection: Selection, plan: Plan, known: set[str], most: int) -> None:
    chosen = set(selection.chunk_ids)
    sides = {chunk for pair in selection.contradictions for chunk in pair.chunk_ids}
    facets = {facet.id for facet in plan.facets}
    named = {facet for verdict in selection.verdicts for facet in verdict.facets}
    if not chosen <= known or not named | set(selection.missing) <= facets:
        raise FormatInvalid("the selection names what it was not given")
    if len(chosen) > most:
        raise FormatInvalid("the selection names too many chunks")
    if not sides <= chosen:
        raise FormatInvalid("the selection drops a side of a contradiction")
