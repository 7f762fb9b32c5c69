"""A stored question that no job will come back to is ended, visibly and once.

A worker may stand still just before it stores a question. Its job is given up meanwhile,
and the asker told; then it wakes, stores the question after all, and dies.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from bot.delivery import ANSWER
from bot.errors import SlackUnavailable, TenantPaused
from bot.parts import Parts
from bot.questions.answering import GRACE, show_failed
from bot.questions.asking import Brief, answer_job
from bot.questions.undelivered import stands, take_away
from bot.queue.lines import ANSWER_JOB
from bot.record import Delivery, StoredTask, TaskState
from bot.work.jobs import GIVE_UP_JOB, giving_up
from rag.errors import FootnoteError
from rag.values import Status

log = logging.getLogger(__name__)

_LOOK_SECONDS = 30.0
_STOOD_SECONDS = 45.0  # whoever has just stored it hands it over meanwhile
_AT_ONCE = 50


class Unattended:
    """Looks at this workspace's questions that nobody has begun though they are old.

    Some at a time, from the newest to the oldest and then anew: behind a long queue of
    those that only wait their turn, one that is lost is come to all the same.
    """

    def __init__(self, parts: Parts, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._parts = parts
        self._clock = clock
        self._looked_at: float | None = None
        self._since: dict[str, float] = {}
        self._reached: datetime | None = None
        self._round: set[str] = set()

    async def look(self) -> None:
        """Once in half a minute, however often it is called. Raises `StoreUnavailable`."""
        now = self._clock()
        if self._looked_at is not None and now - self._looked_at < _LOOK_SECONDS:
            return
        self._looked_at = now
        for stored in await self._old():
            jobs = await self._jobs(stored)
            if any(jobs.values()):
                self._since.pop(stored.id, None)
            elif now - self._since.setdefault(stored.id, now) >= _STOOD_SECONDS:
                await self._end(stored, jobs)

    async def _old(self) -> list[StoredTask]:
        parts = self._parts
        before = parts.now() - timedelta(seconds=parts.limits.task_seconds * GRACE)
        found = await parts.record.tasks.find(
            tenant=parts.tenant,
            states=[TaskState.QUEUED],
            before=min(before, self._reached or before),
            limit=_AT_ONCE,
        )
        self._go_on_after(found)
        return [
            stored
            for stored in found
            if stored.lease == 0 and parts.looks_after(stored.request.principal)
        ]

    def _go_on_after(self, found: Sequence[StoredTask]) -> None:
        """The next look begins with the oldest of these, or anew where there are no older."""
        self._round.update(stored.id for stored in found)
        if len(found) == _AT_ONCE:
            # All of one instant would be found for ever.
            same = found[0].created_at == found[-1].created_at
            self._reached = found[-1].created_at - timedelta(microseconds=same)
            return
        self._since = {task: at for task, at in self._since.items() if task in self._round}
        self._reached, self._round = None, set()

    async def _jobs(self, stored: StoredTask) -> Mapping[str, bool]:
        """As `Queue.jobs_of`; the question's own job, which mostly waits, is asked for first."""
        if await self._parts.queue.going(stored.id):
            return {stored.id: True}
        return await self._parts.queue.jobs_of(stored.id)

    async def _end(self, stored: StoredTask, jobs: Mapping[str, bool]) -> None:
        log.warning("task %s is nobody's and is ended", stored.id)
        parts = self._parts
        told = any(job.endswith(GIVE_UP_JOB) for job in jobs)
        try:
            if told and f"{stored.id}{ANSWER_JOB}" not in jobs:
                await _end_told(parts, stored)
            else:  # by one worker, under an id of its own, so that it is said once
                brief = Brief(tenant=parts.tenant, task=stored.id, address=parts.address)
                await parts.queue.put(giving_up(answer_job(brief, at=stored.created_at)))
        except (SlackUnavailable, TenantPaused, FootnoteError) as error:
            log.info("task %s is ended later: %s", stored.id, type(error).__name__)


async def _end_told(parts: Parts, stored: StoredTask) -> None:
    """Record the failure of which its asker was told in a message of its own.

    One that says it is worked on is taken away, or says so itself where it stood there for
    earlier words. Raises `SlackUnavailable`, `LeaseLost`.
    """
    placed = await parts.record.deliveries.get(tenant=stored.tenant, task=stored.id, kind=ANSWER)
    if placed is not None and await stands(parts, placed):
        if await _took_over(parts, placed):
            await show_failed(parts, stored, None)
        else:
            await take_away(parts, stored, placed)
    await parts.record.tasks.finish(tenant=stored.tenant, lease=stored.held, status=Status.FAILED)


async def _took_over(parts: Parts, placed: Delivery) -> bool:
    """Whether the message was another task's before, whose asker changed the words."""
    if placed.ts is None:
        return False
    sharing = await parts.record.deliveries.by_message(
        tenant=placed.tenant, channel=placed.channel, ts=placed.ts
    )
    return any(delivery.task != placed.task for delivery in sharing)
