"""The one message of ours that stands for a spot; its twins are taken away.

Slack posts what it was told to, whoever else posts the same: a worker that stood still
wakes beside the one that took its job over, and neither may hear what became of its post.
"""

import logging
from collections.abc import Awaitable, Sequence
from datetime import datetime
from typing import Protocol

from bot.errors import SlackRefused
from bot.posts.looking import Looking, Spot
from bot.record import Deliveries

log = logging.getLogger(__name__)


class Delete(Protocol):
    """Takes a message away; one that is gone already is fine."""

    def __call__(self, *, channel: str, ts: str) -> Awaitable[None]: ...


class Standing:
    """Finds our messages. ``delete`` raises `SlackUnavailable`, `SlackRefused`."""

    def __init__(self, looking: Looking, deliveries: Deliveries, delete: Delete) -> None:
        self._looking = looking
        self._deliveries = deliveries
        self._delete = delete

    async def find(self, spot: Spot, *, since: datetime) -> str | None:
        """The `ts` of the spot's message since then, alone from now on; None where none is.

        Raises `SlackUnavailable`.
        """
        found = await self._looking.find(spot, since=since)
        if len(found) < 2:
            return next(iter(found), None)
        stays = await self._stays(spot, found)
        for ts in found:
            if ts != stays:
                await self._take_away(spot, ts)
        return stays

    async def _stays(self, spot: Spot, found: Sequence[str]) -> str:
        """The recorded one, for it is written to; else the first, recorded before others go."""
        named = {"tenant": spot.tenant, "task": spot.task, "kind": spot.kind}
        first = min(found)
        if await self._deliveries.get(**named) is None:
            return first
        recorded = await self._deliveries.placed(**named, ts=first)
        return recorded if recorded in found else first

    async def _take_away(self, spot: Spot, ts: str) -> None:
        log.warning("a message of task %s stood already and is taken away", spot.task)
        try:
            await self._delete(channel=spot.channel, ts=ts)
        except SlackRefused as refused:
            log.warning("a message of task %s stands twice: %s", spot.task, refused.code)
