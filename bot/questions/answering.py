"""A stored task is run to its end, and its message always says how it ended."""

import asyncio
import logging
from functools import partial

from bot.delivery import ANSWER, Progress, SlackPublisher
from bot.errors import SlackRefused, SlackUnavailable
from bot.moving import MovingOn
from bot.parts import Parts
from bot.posts.holding import hold_message
from bot.questions import drift, undelivered
from bot.questions.asking import Brief
from bot.queue.lines import ANSWER_JOB
from bot.record import DeliveryState, StoredTask, TaskState
from bot.retrying import STAGE, Retries
from bot.slack.pacing import RATE_LIMITED
from handlers.blocks import notes
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import language_of
from rag.errors import (
    Cancelled,
    ContextUnavailable,
    FootnoteError,
    LeaseLost,
    StoreUnavailable,
    Undeliverable,
)
from rag.ports import Observer
from rag.values import Reason, Report, Status

log = logging.getLogger(__name__)

GRACE = 2.0
"""A run of a task is ended after this many times its budget."""

_PATIENT = 4.0  # seconds after which a wait is mentioned


async def taken_up(parts: Parts, brief: Brief) -> StoredTask | None:
    """The task in a lease of our own; None when there is nothing left to run.

    Whoever held it before may write and show no more.
    """
    stored = await parts.record.tasks.get(tenant=brief.tenant, task=brief.task)
    if stored.state is TaskState.CANCELLED:
        await show_cancelled(parts, stored)
        return None
    if stored.state not in (TaskState.QUEUED, TaskState.RUNNING):
        return None
    if is_too_old(parts, stored):
        await expire(parts, stored)
        return None
    return await taken_over(parts, stored)


async def show_cancelled(parts: Parts, stored: StoredTask) -> None:
    """Let the message of a question that was taken back say so, where it has one.

    Raises `LeaseLost` where the message answers the changed words, `SlackUnavailable`.
    """
    await _show_end(parts, stored, notes.cancelled(language=_language(stored)))


async def taken_over(parts: Parts, stored: StoredTask) -> StoredTask:
    """The task in its next lease: nobody who had it before may write any more."""
    lease = await parts.record.checkpoints.open(stored.request)
    return stored.model_copy(update={"lease": lease.number})


def is_too_old(parts: Parts, stored: StoredTask) -> bool:
    """Whether a question that nobody has begun is past the time in which an answer helps."""
    waited = (parts.now() - stored.created_at).total_seconds()
    return stored.lease == 0 and waited > parts.expire_seconds


async def expire(parts: Parts, stored: StoredTask) -> None:
    """Say that it is too late, and let nobody answer it any more."""
    taken = await taken_over(parts, stored)
    log.warning("task %s waited too long and expires", stored.id)
    await fail(parts, taken, Reason.EXPIRED)


async def on_answer(parts: Parts, stored: StoredTask, brief: Brief) -> None:
    """Run the task we have taken up, or go on where another process stopped.

    Raises LeaseLost when another has taken it up meanwhile.
    """
    try:
        report = await _run(parts, stored, attachment=brief.attachment)
    except LeaseLost:
        raise
    except Cancelled:
        await show_cancelled(parts, stored)
    except Undeliverable:
        await undelivered.end_undelivered(parts, stored)
    except StoreUnavailable:
        raise  # nothing can be shown that is not recorded: the job is kept until the record is back
    except FootnoteError as error:
        log.warning("task %s failed: %s", stored.id, error.reason.value)
        await fail(parts, stored, error.reason)
    except TimeoutError:
        log.warning("task %s ran out of time", stored.id)
        await fail(parts, stored, Reason.BUDGET_EXCEEDED)
    else:
        await _ended(parts, stored, report)


async def _run(parts: Parts, stored: StoredTask, *, attachment: bool) -> Report:
    """The pipeline; an outage is waited out, visibly, until the task's time is up.

    Raises what the pipeline raises, TimeoutError when even the grace is over.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    publisher = SlackPublisher(
        parts.poster,
        stored.held,
        tasks=parts.record.tasks,
        deliveries=parts.record.deliveries,
        checkpoints=parts.record.checkpoints,
        sources=parts.record.sources,
        shown=parts.record.shown,
        attachment=attachment,
    )
    observer = Progress(
        parts.poster,
        stored.held,
        deliveries=parts.record.deliveries,
        tasks=parts.record.tasks,
        checkpoints=parts.record.checkpoints,
        clock=loop.time,
    )
    seen = _moving(parts, stored, observer)
    retries = Retries(STAGE, clock=loop.time)
    async with asyncio.timeout(parts.limits.task_seconds * GRACE):
        while True:
            try:
                return await parts.answer(stored.request, stored.held, publisher, seen)
            except FootnoteError as error:
                pause = retries.pause(error)
                if pause is None or loop.time() - began > parts.limits.task_seconds:
                    raise
                log.info("task %s waits: %s", stored.id, error.reason.value)
                if isinstance(error, ContextUnavailable) and loop.time() - began > _PATIENT:
                    await observer.waiting(stored.request)
            await asyncio.sleep(pause)


def _moving(parts: Parts, stored: StoredTask, inner: Observer) -> Observer:
    """A task that was begun before is no longer suspected of a death once it gets further."""
    if stored.lease <= 1:
        return inner
    moved = partial(parts.queue.moved_on, f"{stored.id}{ANSWER_JOB}")
    return MovingOn(inner, parts.record.checkpoints, moved=moved)


async def note_delay(parts: Parts, stored: StoredTask) -> None:
    """Say in the message that it takes longer. Raises SlackUnavailable, LeaseLost."""
    await _repaint(parts, stored, notes.overdue(language=_language(stored)))


async def _ended(parts: Parts, stored: StoredTask, report: Report) -> None:
    """Record how it ended; a report that reached nobody is shown as a failure."""
    placed = await parts.record.deliveries.get(tenant=stored.tenant, task=stored.id, kind=ANSWER)
    status, reason = report.answer.status, report.trace.reason
    if placed is not None and placed.state is not DeliveryState.UPDATED:
        await _show_unpublished(parts, stored, report)
    elif placed is not None and report.trace.first_failure == "publish":
        # Shown, and a right is gone since: perhaps by a worker that died before it could look.
        await _show_end(parts, stored, notes.withdrawn(language=_language(stored)))
        await drift.note_withdrawn(parts, placed, report.told, because="publish")
    if not await _finish(parts, stored, status, reason):
        # Taken back between the showing and the record: what is shown offers nothing any more.
        await show_cancelled(parts, stored)
    log.info("task %s ended: %s", stored.id, status.value)


async def _show_unpublished(parts: Parts, stored: StoredTask, report: Report) -> None:
    language = _language(stored)
    if report.answer.status is Status.FAILED:
        note = notes.failed(reason=report.trace.reason, language=language)
    else:
        # The last check before showing refused it: rights or sources changed meanwhile.
        note = notes.refused(language=language)
    await _show_end(parts, stored, note)


async def fail(parts: Parts, stored: StoredTask, reason: Reason | None) -> None:
    """Show that it failed and record it; the checkpoints stay for a resume."""
    await show_failed(parts, stored, reason)
    await _finish(parts, stored, Status.FAILED, reason)


async def show_failed(parts: Parts, stored: StoredTask, reason: Reason | None) -> None:
    """Let the asker see that it failed; what cannot be shown just now the watchdog shows later.

    Raises LeaseLost, and shows nothing, when the task is in other hands.
    """
    note = _failure(reason, language=_language(stored))
    try:
        await _show_failed(parts, stored, note)
    except SlackUnavailable as error:
        log.warning("the end of task %s could not be shown: %s", stored.id, error)
        await _hold(parts, stored)
        await undelivered.show_later(parts, stored)


async def _show_failed(parts: Parts, stored: StoredTask, note: Rendered) -> None:
    """In the task's message, wherever that stands; to the asker alone where there is none."""
    placed = await parts.record.deliveries.get(tenant=stored.tenant, task=stored.id, kind=ANSWER)
    found = placed is not None and await undelivered.stands(parts, placed)
    if placed and found and await undelivered.is_told(parts, stored):
        await _hold(parts, stored)  # posted by who stood still before it was told elsewhere
        await undelivered.take_away(parts, stored, placed)
        return
    if found and await _show_end(parts, stored, note):
        return
    await _hold(parts, stored)
    if not await undelivered.tell_asker(parts, stored, note):
        await undelivered.show_later(parts, stored)
    elif placed is not None:
        await _settle(parts, stored)


async def _settle(parts: Parts, stored: StoredTask) -> None:
    """Nothing is left to be shown in the task's message."""
    named = {"tenant": stored.tenant, "task": stored.id, "kind": ANSWER}
    await parts.record.deliveries.updated(**named, lease=stored.held)


def _failure(reason: Reason | None, *, language: str) -> Rendered:
    if reason is Reason.EXPIRED:
        return notes.expired(language=language)
    if reason is Reason.UNDELIVERABLE:
        return notes.undeliverable(language=language)
    return notes.failed(reason=reason, language=language)


async def _finish(parts: Parts, stored: StoredTask, status: Status, reason: Reason | None) -> bool:
    """Record the end; False when another end stood there already."""
    first = await parts.record.tasks.finish(
        tenant=stored.tenant, lease=stored.held, status=status, reason=reason
    )
    if first:
        parts.meter.ended(status.value, reason.value if reason else "")
    return first


async def conclude(parts: Parts, stored: StoredTask, rendered: Rendered) -> None:
    """Let the task's message show its last word, as far as Slack allows.

    Raises LeaseLost, and shows nothing, when the task is in other hands.
    """
    try:
        await _show_end(parts, stored, rendered)
    except SlackUnavailable as error:
        log.warning("the end of task %s could not be shown: %s", stored.id, error)


async def _show_end(parts: Parts, stored: StoredTask, rendered: Rendered) -> bool:
    """As `conclude`, for an end that nobody else would show: raises SlackUnavailable.

    The job is then done again. A place that is closed to us is no reason to: False.
    """
    try:
        if await _repaint(parts, stored, rendered):
            await _settle(parts, stored)
    except SlackRefused as refused:
        if refused.code == RATE_LIMITED:
            raise
        log.warning("the end of task %s could not be shown: %s", stored.id, refused)
        return False
    return True


async def _repaint(parts: Parts, stored: StoredTask, rendered: Rendered) -> bool:
    placed = await parts.record.deliveries.get(tenant=stored.tenant, task=stored.id, kind=ANSWER)
    ts = await parts.poster.where(placed) if placed else None
    if placed is None or ts is None:
        return False
    await parts.poster.update(
        channel=placed.channel,
        ts=ts,
        rendered=rendered,
        hold=partial(_hold, parts, stored),
    )
    return True


async def _hold(parts: Parts, stored: StoredTask) -> None:
    """As `bot.posts.holding.hold_message`."""
    record = parts.record
    await hold_message(
        stored.held, tenant=stored.tenant, tasks=record.tasks, deliveries=record.deliveries
    )


def _language(stored: StoredTask) -> str:
    return language_of(stored.request.question)
