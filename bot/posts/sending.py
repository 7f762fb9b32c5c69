"""A message is sent once, though its sender may stand still between looking and sending."""

import logging
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Protocol

from bot.errors import SlackUnavailable
from bot.posts.looking import METADATA, Spot
from bot.record import Deliveries
from bot.slack.client import Hold, Slack, anyway, write
from handlers.blocks.rendered import Rendered

log = logging.getLogger(__name__)

STOOD_SECONDS = 4.0
"""In this time a lease may have gone to another, and the work with it."""

_LOOKS = 2


class Find(Protocol):
    """Looks for the message of a spot."""

    async def __call__(self, spot: Spot, *, since: datetime) -> str | None: ...


class Delete(Protocol):
    """Takes a message of ours away."""

    async def __call__(self, *, channel: str, ts: str) -> None: ...


class _Stands(Exception):
    """Another has sent it meanwhile."""

    def __init__(self, ts: str) -> None:
        super().__init__(ts)
        self.ts = ts


class Sending:
    """Sends what was looked for and not found. Raises `SlackUnavailable`, `SlackRefused`."""

    def __init__(
        self,
        client: Slack,
        deliveries: Deliveries,
        *,
        find: Find,
        delete: Delete,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._deliveries = deliveries
        self._find = find
        self._delete = delete
        self._clock = clock

    async def send(self, spot: Spot, rendered: Rendered, *, since: datetime, began: float) -> str:
        """The `ts` of what stands: what is sent now, or what another sent while we stood still.

        ``began``, by our clock, is when it was last known that none stood.
        """
        hold = partial(self._hold, spot, since=since, began=began)
        try:
            ts = await self.send_unseen(spot, rendered, hold=hold)
        except _Stands as stands:
            return stands.ts
        if self._clock() - began < STOOD_SECONDS:
            return ts
        return await self.first_of(spot, ts, since=since)

    async def _hold(self, spot: Spot, *, since: datetime, began: float) -> None:
        """Asked at the call's turn: who stood still until then may come second.

        Looks that all take long do not keep a message back.
        """
        for _ in range(_LOOKS):
            if self._clock() - began < STOOD_SECONDS:
                return
            began = self._clock()
            if stands := await self._stands(spot, since):
                log.warning("a message of task %s stands already and is not sent", spot.task)
                raise _Stands(stands)

    async def _stands(self, spot: Spot, since: datetime) -> str | None:
        """By the record, which whoever took the work over has written; else by looking."""
        known = await self._deliveries.get(tenant=spot.tenant, task=spot.task, kind=spot.kind)
        return known.ts if known else await self._find(spot, since=since)

    async def send_unseen(self, spot: Spot, rendered: Rendered, *, hold: Hold = anyway) -> str:
        """Send it whatever stands; ``hold`` is asked as late as can be."""
        metadata = {
            "event_type": METADATA,
            "event_payload": {"task": spot.task, "kind": spot.kind},
        }
        answer = await write(
            self._client,
            "chat.postMessage",
            hold=hold,
            channel=spot.channel,
            thread_ts=spot.thread or None,
            metadata=metadata,
            **rendered.payload(),
        )
        return str(answer["ts"])

    async def first_of(self, spot: Spot, ts: str, *, since: datetime) -> str:
        """What stands beside the message just sent, or that where nobody can look.

        Another may have sent meanwhile: the one that came first stays.
        """
        try:
            first = await self._find(spot, since=since) or ts
        except SlackUnavailable:
            return ts
        if first != ts:
            log.warning("a message of task %s stood already and is taken away", spot.task)
            await self._delete(channel=spot.channel, ts=ts)
        return first
