"""Stage 3: route to the sources that matter and hold each to one snapshot."""

from collections.abc import Sequence

from rag.errors import LimitExceeded, SourceUnreadable
from rag.ports import Catalogue, Index, Intake, Scope
from rag.ranking.bm25 import ranked
from rag.ranking.standing import standings
from rag.text.tokenise import terms
from rag.values import Indexed, Limits, Permit, Pinned, Plan, Request, Source, SourceStatus


async def index(
    request: Request,
    permit: Permit,
    plan: Plan,
    *,
    catalogue: Catalogue,
    intake: Intake,
    engine: Index,
    limits: Limits,
) -> Indexed:
    """Pin at most `sources_per_task` sources, ingesting what is new or changed.

    Sources named in the request are required. Raises `SourceUnreadable` for one
    of those, `LimitExceeded` for too many, `IndexUnavailable`, `StoreUnavailable`.
    """
    most = limits.sources_per_task
    if len(request.source_ids) > most:
        raise LimitExceeded(f"at most {most} sources a question", limit="sources_per_task")
    sources = await catalogue.get(tenant=request.tenant, source_ids=permit.source_ids)
    chosen = await _route(request, plan, sources, engine=engine, most=most)
    day = plan.seen_from(request.asked_at).date()
    held = standings(sources, day)
    pinned, unreadable = [], []
    for source in chosen:
        try:
            pinned.append(await _pin(source, intake, status=held[source.id]))
        except SourceUnreadable:
            if request.source_ids:
                raise
            unreadable.append(source.id)
    kept = {source.id for source in chosen}
    return Indexed(
        pinned=tuple(pinned),
        left_out=tuple(source.id for source in sources if source.id not in kept),
        unreadable=tuple(unreadable),
    )


async def _pin(source: Source, intake: Intake, *, status: SourceStatus) -> Pinned:
    pinned = await intake.pin(source)
    upcoming = (source.status, status) == (SourceStatus.CURRENT, SourceStatus.PROPOSED)
    return pinned.model_copy(update={"status": status, "upcoming": upcoming})


async def _route(
    request: Request, plan: Plan, sources: Sequence[Source], *, engine: Index, most: int
) -> list[Source]:
    """The sources whose ingested chunks answer the plan's queries best; all where few."""
    if len(sources) <= most:
        return list(sources)
    fresh = [source for source in sources if source.snapshot is None]
    pins = tuple((source.id, source.snapshot) for source in sources if source.snapshot)
    scope = Scope(tenant=request.tenant, pins=pins)
    best: dict[str, float] = {}
    for query in dict.fromkeys([*plan.queries, request.question]):
        hits = await engine.search(terms=_unique(query), scope=scope, limit=most * 5)
        for place, (hit, _, _) in enumerate(ranked(hits)):
            source_id = hit.chunk.source_id
            best[source_id] = max(best.get(source_id, 0.0), 1 / (1 + place))
    order = sorted(
        (source for source in sources if source.id in best),
        key=lambda source: (-best[source.id], source.id),
    )
    half = most // 2  # places kept for what search cannot know yet
    return [*fresh[:half], *order, *fresh[half:]][:most]


def _unique(query: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(terms(query)))
