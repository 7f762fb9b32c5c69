"""Stage 10: every right, identity and text checked again, then shown, then checked once more."""

from rag.errors import IdentityMismatch, SnapshotTampered
from rag.ports import Catalogue, Intake, Publisher, Snapshots
from rag.values import Pinned, Published, Reason, Report, Request, Source


async def publish(
    request: Request,
    report: Report,
    *,
    catalogue: Catalogue,
    intake: Intake,
    snapshots: Snapshots,
    publisher: Publisher,
) -> Published:
    """Deliver a saved report, or refuse to.

    Refused (a value): a right is gone, a source is no longer what it was, a
    snapshot was tampered with. A right that goes while the report is being
    shown withdraws it. Raises `DeliveryError`, `StoreUnavailable`.
    """
    reason = await _hindrance(
        request, report, catalogue=catalogue, intake=intake, snapshots=snapshots
    )
    if reason:
        return Published(refused=True, reason=reason)
    published = await publisher.publish(request, report)
    reason = await _right_lost(request, report, catalogue)
    if reason is None:
        return published
    await publisher.withdraw(request, published)
    return published.model_copy(update={"withdrawn": True, "reason": reason})


async def _hindrance(
    request: Request,
    report: Report,
    *,
    catalogue: Catalogue,
    intake: Intake,
    snapshots: Snapshots,
) -> Reason | None:
    """Why the report may not be shown at this moment; None when it may."""
    reason = await _right_lost(request, report, catalogue)
    if reason:
        return reason
    try:
        for pinned in _cited(report):
            await intake.verify(pinned)
        await _quotes_stand(report, snapshots)
    except IdentityMismatch:
        return Reason.IDENTITY_MISMATCH
    except SnapshotTampered:
        return Reason.SNAPSHOT_TAMPERED
    return None


async def _right_lost(request: Request, report: Report, catalogue: Catalogue) -> Reason | None:
    """Whether the asker, or the room, may no longer see what the report shows."""
    permitted = await catalogue.permitted(
        tenant=request.tenant, principal=request.principal, place=request.place
    )
    sources = {source.id: source for source in permitted.sources}
    told = {*report.trace.snapshots, *(report.plan.titles_of if report.plan else ())}
    if permitted.outsider or not told <= set(sources):
        return Reason.UNAUTHORIZED
    for pinned in _cited(report):
        source = sources.get(pinned.source_id)
        if source is None:
            return Reason.UNAUTHORIZED
        if not _same(pinned, source, request):
            return Reason.IDENTITY_MISMATCH
    return None


def _same(pinned: Pinned, source: Source, request: Request) -> bool:
    """Whether the catalogue still says of the source what it said when it was pinned."""
    standing = source.standing_on(request.asked_at.date())
    then = (pinned.tenant, pinned.kind, pinned.ref, pinned.title, pinned.status)
    return then == (source.tenant, source.kind, source.ref, source.title, standing)


def _cited(report: Report) -> tuple[Pinned, ...]:
    cited = {c.source_id for claim in report.answer.claims for c in claim.citations}
    by_id = {item.source.source_id: item.source for item in report.evidence}
    return tuple(by_id[source_id] for source_id in sorted(cited))


async def _quotes_stand(report: Report, snapshots: Snapshots) -> None:
    for claim in report.answer.claims:
        for citation in claim.citations:
            text = await snapshots.get(citation.snapshot)
            if text[citation.start : citation.end] != citation.quote:
                raise SnapshotTampered(f"task {report.task}: a quote left its snapshot")
