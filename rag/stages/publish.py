"""Stage 10: every right, identity and text checked again, then shown, then checked once more."""

import math

from rag.errors import DeliveryError, IdentityMismatch, SnapshotTampered
from rag.ports import Catalogue, Intake, Publisher, Snapshots, Stopwatch
from rag.ranking.standing import standings
from rag.values import Pinned, Published, Reason, Report, Request, Source, SourceStatus

_FRESH_SECONDS = 2.0
_LOOKS = 3  # where each takes longer than that, the last one counts,
_OLDEST_SECONDS = 5.0  # unless it took so long that who was there then may not be there now


class _Gone(Exception):
    """A right went after the report was checked and before it was shown."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class _Rights:
    """The rights that a report needs, and how old the last look at them is.

    A look is as old as its beginning: whoever stands still in the middle of one, or between
    it and the showing, would show the report on rights that may be long gone.
    """

    def __init__(
        self, request: Request, report: Report, catalogue: Catalogue, stopwatch: Stopwatch
    ) -> None:
        self._request = request
        self._report = report
        self._catalogue = catalogue
        self._stopwatch = stopwatch
        self._looked = -math.inf

    async def lost(self) -> Reason | None:
        """Why the report may not be shown, as of now; None when it may."""
        self._looked = self._stopwatch()
        return await _right_lost(self._request, self._report, self._catalogue)

    async def sure(self) -> None:
        """`rag.ports.Sure`: looks again unless the last look is fresh.

        Raises `DeliveryError` where none can be had that is not too old.
        """
        for _ in range(_LOOKS):
            if self._age <= _FRESH_SECONDS:
                return
            if reason := await self.lost():
                raise _Gone(reason)
        if self._age > _OLDEST_SECONDS:
            raise DeliveryError("nobody says in time who may see the answer")

    @property
    def _age(self) -> float:
        return self._stopwatch() - self._looked


async def publish(
    request: Request,
    report: Report,
    *,
    catalogue: Catalogue,
    intake: Intake,
    snapshots: Snapshots,
    publisher: Publisher,
    stopwatch: Stopwatch,
) -> Published:
    """Deliver a saved report, or refuse to.

    Refused (a value): a right is gone, a source is no longer what it was, a
    snapshot was tampered with. Rights that were looked at more than two seconds ago
    are looked at again before each try to show the report. A right that goes while
    it is being shown withdraws it. Raises `DeliveryError`, `StoreUnavailable`.
    """
    rights = _Rights(request, report, catalogue, stopwatch)
    reason = await rights.lost() or await _hindrance(report, intake=intake, snapshots=snapshots)
    if reason:
        return Published(refused=True, reason=reason)
    try:
        published = await publisher.publish(request, report, sure=rights.sure)
    except _Gone as gone:
        return Published(refused=True, reason=gone.reason)
    reason = await rights.lost()
    if reason is None:
        return published
    await publisher.withdraw(request, published)
    return published.model_copy(update={"withdrawn": True, "reason": reason})


async def _hindrance(report: Report, *, intake: Intake, snapshots: Snapshots) -> Reason | None:
    """Why the report may not be shown whoever may read it; None when it may."""
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
    if permitted.outsider or not report.told <= set(sources):
        return Reason.UNAUTHORIZED
    seen_from = report.plan.seen_from(request.asked_at) if report.plan else request.asked_at
    held = standings(sources.values(), seen_from.date())
    for pinned in _cited(report):
        source = sources.get(pinned.source_id)
        if source is None:
            return Reason.UNAUTHORIZED
        if not _same(pinned, source, held[source.id]):
            return Reason.IDENTITY_MISMATCH
    return None


def _same(pinned: Pinned, source: Source, standing: SourceStatus) -> bool:
    """Whether the catalogue still says of the source what it said when it was pinned."""
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
