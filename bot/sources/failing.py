"""Why sources could not be brought to their newest versions, remembered until they are.

What the reader of files says of one is remembered by `bot.sources.quarantine`, with the digest
of what it tried, and stands. All else that may fail, as a sidecar, a table or a way of cutting, is
remembered here, without a digest, as it keeps nothing from being tried again.
"""

from collections.abc import Collection, Iterable
from typing import Protocol

from bot.sources.quarantine import Failure
from bot.sources.steps import Done, Outcome


class Failures(Protocol):
    """What is remembered of each source's failures."""

    async def every(self, *, tenant: str) -> tuple[Failure, ...]: ...

    async def note(self, failure: Failure, *, tenant: str) -> None: ...

    async def clear(self, *, tenant: str, source_id: str) -> None: ...


async def noted(failures: Failures, done: Iterable[Done], *, tenant: str) -> None:
    """Remember why each that failed did, and forget it of each that did not."""
    known = {failure.source_id: failure for failure in await failures.every(tenant=tenant)}
    for one in done:
        before = known.get(one.source_id)
        if before is not None and before.digest:
            continue
        if one.outcome is Outcome.FAILED:
            failure = Failure(source_id=one.source_id, digest="", tries=0, reason=one.reason)
            await failures.note(failure, tenant=tenant)
        elif before is not None:
            await failures.clear(tenant=tenant, source_id=one.source_id)


async def keep_only(failures: Failures, ids: Collection[str], *, tenant: str) -> None:
    """Forget the failures of all but those sources."""
    for failure in await failures.every(tenant=tenant):
        if failure.source_id not in ids:
            await failures.clear(tenant=tenant, source_id=failure.source_id)
