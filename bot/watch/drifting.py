"""Every process looks after the changes that nobody looks at, and sweeps what none told of."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

from bot.audience import Change, ChangeKind
from bot.each import each
from bot.errors import SlackUnavailable, TenantPaused
from bot.owners import lent
from bot.parts import Parts, Workspaces
from bot.questions.drift import look, review
from bot.record import Audience
from rag.errors import FootnoteError

log = logging.getLogger(__name__)

_LOOK_SECONDS = 1.0
_AT_ONCE = 20
_GAP_SECONDS = 0.5  # between two audiences of a sweep: Slack's answers are others' too
_UNKNOWN_SWEEPS = 3
_KEPT = timedelta(days=1)
SWEEP = "sweep"


class Drifting:
    """One workspace's changes and sweeps, as this process sees to them."""

    def __init__(self, parts: Parts, *, gap_seconds: float = _GAP_SECONDS) -> None:
        self._parts = parts
        self._gap = gap_seconds
        self._sweep = 0
        self._unknown: Counter[Audience] = Counter()
        self._owners_unknown = 0

    async def look(self) -> None:
        """Take the changes that nobody looks at, and look. Raises `StoreUnavailable`."""
        parts = self._parts
        for change in await parts.record.changes.take(
            tenant=parts.tenant, home=parts.installation.home, limit=_AT_ONCE
        ):
            try:
                await look(parts, change)
                await lent.review(parts, patient=True)
            except (SlackUnavailable, TenantPaused) as error:
                log.warning("change %s is looked at again: %s", change.id, type(error).__name__)

    async def sweep(self) -> bool:
        """Review everything that is shown, in one process an interval; whether this one did.

        An audience that cannot be looked up is left alone, but for the third time in a row
        it counts as one that may read nothing. Raises `StoreUnavailable`.
        """
        parts, now = self._parts, self._parts.now()
        number = int(now.timestamp() // parts.sweep_seconds)
        if number == self._sweep:
            return False
        self._sweep = number
        home = parts.installation.home
        change = Change(
            id=f"{SWEEP}-{home}-{number}", kind=ChangeKind.SWEEP, about=SWEEP, at=now, home=home
        )
        if not await parts.record.changes.note(change, tenant=parts.tenant):
            return False
        for audience in await parts.record.shown.audiences(tenant=parts.tenant, home=home):
            await self._review(audience)
            await asyncio.sleep(self._gap)
        await self._review_owners()
        await parts.record.changes.looked(change, tenant=parts.tenant)
        await parts.record.changes.clean(tenant=parts.tenant, before=now - _KEPT)
        return True

    async def _review(self, audience: Audience) -> None:
        parts = self._parts
        seen = await parts.record.shown.seen_by(audience, tenant=parts.tenant)
        patient = self._unknown[audience] + 1 < _UNKNOWN_SWEEPS
        try:
            sure = await review(parts, audience, seen, because=SWEEP, patient=patient)
        except (SlackUnavailable, TenantPaused) as error:
            log.warning("a sweep goes on to the next audience: %s", type(error).__name__)
            return
        if sure:
            self._unknown.pop(audience, None)
        else:
            self._unknown[audience] += 1

    async def _review_owners(self) -> None:
        """What owners were shown; who cannot be looked up for the third time may read nothing."""
        try:
            patient = self._owners_unknown + 1 < _UNKNOWN_SWEEPS
            sure = await lent.review(self._parts, patient=patient)
        except (SlackUnavailable, TenantPaused) as error:
            log.warning("a sweep leaves the owners to the next: %s", type(error).__name__)
            return
        self._owners_unknown = 0 if sure else self._owners_unknown + 1


@asynccontextmanager
async def drifting(workspaces: Workspaces) -> AsyncIterator[None]:
    """Keep looking and sweeping for every installation for the length of the block."""
    async with each(workspaces, _keep_seeing):
        yield


async def _keep_seeing(parts: Parts) -> None:
    seen = Drifting(parts)
    await asyncio.gather(_keep(parts, seen.look), _keep(parts, seen.sweep))


async def _keep(parts: Parts, work: Callable[[], Awaitable[object]]) -> None:
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        if parts.client.paused:
            continue
        try:
            await work()
        except FootnoteError as error:
            log.warning("looking after audiences failed: %s", type(error).__name__)
