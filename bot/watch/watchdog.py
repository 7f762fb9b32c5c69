"""No message says "working" for ever: every process that lives looks after all of them.

The one rule, in seconds from when a task's message was first shown. After the task's
own time the message says that it takes longer; an answer that comes later takes its
place. A run that shows no end after twice that time is ended by whoever sees it: the
task is taken up, so that the stuck one can show nothing any more, and fails visibly.
A question that nobody has begun within its keeping time is answered no more. An end
that could not be shown is shown as soon as it can be, also where nobody noted where the
message stands, or whether it does.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot.delivery import ANSWER
from bot.each import each
from bot.errors import SlackUnavailable, TenantPaused
from bot.parts import Parts, Workspaces
from bot.questions.answering import (
    GRACE,
    expire,
    fail,
    is_too_old,
    note_delay,
    show_failed,
    taken_over,
)
from bot.questions.undelivered import stands
from bot.record import Delivery, StoredTask, TaskState
from rag.errors import CheckpointTampered, FootnoteError, StoreUnavailable, UnknownTask
from rag.values import Reason

log = logging.getLogger(__name__)

_LOOK_SECONDS = 5.0
_MARGIN_SECONDS = 10.0  # whoever runs the task ends it first, if it can
_ENDING_SECONDS = 5.0
_OPEN = (TaskState.QUEUED, TaskState.RUNNING)

Key = tuple[str, TaskState, int]


class Watchdog:
    """Looks at every message of this workspace that does not show its end."""

    def __init__(self, parts: Parts, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._parts = parts
        self._clock = clock
        self._since: dict[Key, float] = {}
        self._first: dict[str, float] = {}
        self._noted: set[str] = set()

    async def look(self) -> None:
        """Once. Raises StoreUnavailable; what Slack refuses is tried at the next look.

        While Slack refuses our token, or the record is away, no time passes for anybody:
        whoever runs a task waits as well, and goes on.
        """
        if self._parts.client.paused:
            self._forget({})
            return
        try:
            readable = await self._readable()
        except StoreUnavailable:
            self._forget({})
            raise
        self._forget({stored.id: stored for _, stored in readable})
        for delivery, stored in readable:
            try:
                await self._look_at(delivery, stored)
            except (SlackUnavailable, TenantPaused, FootnoteError) as error:
                log.info("task %s is looked at again: %s", delivery.task, type(error).__name__)

    async def _readable(self) -> list[tuple[Delivery, StoredTask]]:
        """The messages that do not show their end, with their tasks."""
        parts = self._parts
        unfinished = await parts.record.deliveries.unfinished(tenant=parts.tenant)
        answers = [delivery for delivery in unfinished if delivery.kind == ANSWER]
        found = [(delivery, await self._task(delivery)) for delivery in answers]
        return [
            (delivery, stored)
            for delivery, stored in found
            if stored is not None and parts.looks_after(stored.request.principal)
        ]

    async def _task(self, delivery: Delivery) -> StoredTask | None:
        """None where it cannot be read: the others are looked after all the same."""
        try:
            return await self._parts.record.tasks.get(tenant=delivery.tenant, task=delivery.task)
        except (CheckpointTampered, UnknownTask) as error:
            log.warning("task %s cannot be read: %s", delivery.task, type(error).__name__)
            return None

    def _forget(self, seen: dict[str, StoredTask]) -> None:
        keys = {_key(stored) for stored in seen.values()}
        self._since = {key: since for key, since in self._since.items() if key in keys}
        self._first = {task: first for task, first in self._first.items() if task in seen}
        self._noted &= set(seen)

    async def _look_at(self, delivery: Delivery, stored: StoredTask) -> None:
        stood = self._clock() - self._since.setdefault(_key(stored), self._clock())
        if stored.state is TaskState.FAILED and stood > _MARGIN_SECONDS:
            await self._show_failed(delivery, stored)
        elif stored.state is TaskState.RUNNING and stood > self._budget * GRACE + _MARGIN_SECONDS:
            log.warning("task %s stood still and is ended", stored.id)
            await self._end(stored, Reason.BUDGET_EXCEEDED)
        elif stored.state in _OPEN and delivery.ts:
            await self._look_at_shown(delivery, stored)

    async def _look_at_shown(self, delivery: Delivery, stored: StoredTask) -> None:
        age = self._clock() - self._first.setdefault(stored.id, self._clock())
        if stored.state is TaskState.QUEUED:
            # A clock that was set back only makes us later, never silent. Where a run goes
            # on, one that was set ahead would have us write at the same instant as it.
            age = max(age, (self._parts.now() - delivery.at).total_seconds())
        if is_too_old(self._parts, stored):
            await expire(self._parts, stored)
        elif age > self._budget + _own(stored) and self._is_new(stored):
            await note_delay(self._parts, stored)

    @property
    def _budget(self) -> float:
        return self._parts.limits.task_seconds

    def _is_new(self, stored: StoredTask) -> bool:
        """True once for each task."""
        new = stored.id not in self._noted
        self._noted.add(stored.id)
        return new

    async def _show_failed(self, delivery: Delivery, stored: StoredTask) -> None:
        if await stands(self._parts, delivery):
            await show_failed(self._parts, stored, stored.reason)
        else:  # in a lease of our own, so that not every process tells the asker
            await self._end(stored, stored.reason)

    async def _end(self, stored: StoredTask, reason: Reason | None) -> None:
        """Take the task from whoever holds it, and end it visibly."""
        await fail(self._parts, await taken_over(self._parts, stored), reason)


def _own(stored: StoredTask) -> float:
    """Seconds left to a run that ends itself at its deadline: two must not write at one instant."""
    return _ENDING_SECONDS if stored.state is TaskState.RUNNING else 0.0


def _key(stored: StoredTask) -> Key:
    return stored.id, stored.state, stored.lease


@asynccontextmanager
async def watching(workspaces: Workspaces) -> AsyncIterator[None]:
    """Keep looking after every installation's messages for the length of the block."""
    async with each(workspaces, _keep_looking):
        yield


async def _keep_looking(parts: Parts) -> None:
    watchdog = Watchdog(parts, clock=asyncio.get_running_loop().time)
    while True:
        await asyncio.sleep(min(_LOOK_SECONDS, parts.limits.task_seconds / 4))
        try:
            await watchdog.look()
        except FootnoteError as error:
            log.warning("looking after messages failed: %s", type(error).__name__)
