"""Stage 4: candidates for the answer, found inside the permitted and pinned set alone."""

from collections.abc import Sequence

from rag.errors import IndexUnavailable
from rag.ports import Index, RetrievalLog, Scope
from rag.ranking.bm25 import ranked
from rag.ranking.dedupe import dedupe
from rag.ranking.fuse import fuse
from rag.ranking.standing import wanted
from rag.text.tokenise import terms
from rag.values import Candidate, Indexed, Limits, Pinned, Plan, Request, Retrieved

_NEIGHBOURS_OF = 2  # how many of the best candidates bring their neighbours along


async def retrieve(
    request: Request,
    plan: Plan,
    indexed: Indexed,
    *,
    engine: Index,
    log: RetrievalLog,
    limits: Limits,
) -> Retrieved:
    """Search each query, fuse the lists, add neighbours, keep to the budget.

    The soft filter by status is dropped once, with the asker's own words, when
    the search under it fails or leaves nothing or too little; the permission
    filter never is. Raises `IndexUnavailable` when that fails too; the attempt
    is logged either way.
    """
    try:
        found = await _search(request, plan, indexed, engine=engine, limits=limits)
    except IndexUnavailable as error:
        await log.record(
            task=request.task, tenant=request.tenant, details={"failed": type(error).__name__}
        )
        raise
    await log.record(task=request.task, tenant=request.tenant, details=_details(plan, found))
    return found


async def _search(
    request: Request, plan: Plan, indexed: Indexed, *, engine: Index, limits: Limits
) -> Retrieved:
    soft = [pinned for pinned in indexed.pinned if wanted(pinned, plan.time_state)]
    queries = plan.queries[: limits.queries_per_plan]
    scope = _scope(request, soft)
    candidates: tuple[Candidate, ...] = ()
    try:
        candidates = await _fused(queries, scope, engine=engine, limits=limits)
        reason = _fallback_reason(candidates, limits, narrowed=len(soft) < len(indexed.pinned))
    except IndexUnavailable:
        reason = "the search under the soft filters failed"
    if reason:
        queries = (request.question,)
        scope = _scope(request, indexed.pinned)
        candidates = await _fused(queries, scope, engine=engine, limits=limits) or candidates
    wide = await _with_neighbours(candidates, tenant=request.tenant, engine=engine)
    kept = _within(wide, limits.candidate_characters, queries=len(queries))
    return Retrieved(
        candidates=kept, queries=queries, fallback_reason=reason, left_out=len(wide) - len(kept)
    )


def _scope(request: Request, pinned: Sequence[Pinned]) -> Scope:
    pins = tuple((source.source_id, source.snapshot) for source in pinned)
    return Scope(tenant=request.tenant, pins=pins)


async def _fused(
    queries: Sequence[str], scope: Scope, *, engine: Index, limits: Limits
) -> tuple[Candidate, ...]:
    lists = []
    for number, query in enumerate(queries):
        words = tuple(dict.fromkeys(terms(query)))
        if not words or not scope.pins:
            continue
        hits = await engine.search(terms=words, scope=scope, limit=limits.candidates_per_query)
        best = ranked(hits)[: limits.candidates_per_query]
        lists.append(
            [
                Candidate(chunk=hit.chunk, query=number, rank=rank, score=score, features=features)
                for rank, (hit, features, score) in enumerate(best)
            ]
        )
    return dedupe(fuse(lists))


def _fallback_reason(candidates: Sequence[Candidate], limits: Limits, *, narrowed: bool) -> str:
    if not candidates:
        return "nothing found under the soft filters" if narrowed else "nothing found"
    if max(candidate.score for candidate in candidates) < limits.low_score:
        return "scores below low_score"
    return ""


async def _with_neighbours(
    candidates: Sequence[Candidate], *, tenant: str, engine: Index
) -> tuple[Candidate, ...]:
    """The candidates, then the chunks beside the best of them that were not found themselves."""
    known = {candidate.chunk.id for candidate in candidates}
    beside: list[Candidate] = []
    for candidate in candidates[:_NEIGHBOURS_OF]:
        for chunk in await engine.around(candidate.chunk, tenant=tenant, reach=1):
            if chunk.id not in known:
                known.add(chunk.id)
                beside.append(
                    Candidate(
                        chunk=chunk,
                        query=candidate.query,
                        rank=len(candidates) + len(beside),
                        score=0.0,
                        neighbour=True,
                    )
                )
    return (*candidates, *beside)


def _within(candidates: Sequence[Candidate], most: int, *, queries: int) -> tuple[Candidate, ...]:
    """Leave out the lowest-ranked whole candidates over ``most`` serialised characters.

    The best candidate of each query stays whatever it costs.
    """
    best = {
        next((c.chunk.id for c in candidates if c.query == number), "") for number in range(queries)
    }
    spent, kept = 0, []
    for candidate in candidates:
        cost = len(candidate.model_dump_json())
        if spent + cost <= most or candidate.chunk.id in best:
            spent += cost
            kept.append(candidate)
    return tuple(kept)


def _details(plan: Plan, found: Retrieved) -> dict[str, object]:
    return {
        "transform": {"rewritten": plan.rewritten, "profile": plan.profile},
        "queries": list(found.queries),
        "filters": [] if found.fallback_reason else [f"time_state={plan.time_state}"],
        "fallback_reason": found.fallback_reason,
        "left_out": found.left_out,
        "hits": [
            {
                "chunk": candidate.chunk.id,
                "source": candidate.chunk.source_id,
                "rank": candidate.rank,
                "score": round(candidate.score, 4),
                "features": {k: round(v, 4) for k, v in candidate.features.items()},
                "neighbour": candidate.neighbour,
            }
            for candidate in found.candidates
        ],
    }
