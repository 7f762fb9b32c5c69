"""Every kind of job: how it is read, done, done again after an outage, and seen to end."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bot.admin import changing, deciding, staging
from bot.background import told
from bot.errors import JobGivenUp, SlackRefused, SlackUnavailable, TenantPaused
from bot.inbound import amending, hearing, telling
from bot.inbound.telling import Told
from bot.owners import handing_off, lent
from bot.parts import Parts
from bot.questions import answering
from bot.questions.answering import fail, taken_over
from bot.questions.asking import Brief, stored_task
from bot.questions.settling import settle
from bot.questions.undelivered import end_undelivered, is_closed
from bot.queue.durable import Job
from bot.queue.lines import ANSWER_JOB
from bot.record import StoredTask, TaskState
from bot.retrying import JOB, Retries
from bot.slack.pacing import RATE_LIMITED
from bot.work import unbegun
from handlers.deps import Asked, Changed, Commanded, Decided, Deleted, Edited, Pressed, Submitted
from rag.errors import FootnoteError, LeaseLost, StoreUnavailable
from rag.values import Status, Value

log = logging.getLogger(__name__)

GIVE_UP_JOB = ".given-up"
"""What is added to the id of a job that was given up, by the job that says so."""


@dataclass(kw_only=True)
class Attempt:
    """One try at a job. ``held`` is the task it has taken up, once it has."""

    ident: str
    at: datetime
    held: StoredTask | None = None


class GivenUp(Value):
    """A job that ended its worker too often, as it stands in the queue."""

    job: str
    kind: str
    payload: str


Run = Callable[[Parts, Attempt, Any], Awaitable[None]]
Unbegun = Callable[[Parts, str, Any, datetime], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a job of one kind is read, done, and ended when it failed before there was a task."""

    shape: type[Value]
    run: Run
    unbegun: Unbegun = unbegun.nothing


def _undated(run: Callable[[Parts, str, Any], Awaitable[None]]) -> Run:
    async def tried(parts: Parts, attempt: Attempt, value: Any) -> None:
        await run(parts, attempt.ident, value)

    return tried


def _dated(run: Callable[[Parts, str, Any, datetime], Awaitable[None]]) -> Run:
    async def tried(parts: Parts, attempt: Attempt, value: Any) -> None:
        await run(parts, attempt.ident, value, attempt.at)

    return tried


def _once_more(run: Callable[[Parts, str, Any], Awaitable[None]]) -> Unbegun:
    """For what nobody is told of and must be done all the same; the job was not to blame."""

    async def tried(parts: Parts, job: str, value: Any, _at: datetime) -> None:
        await run(parts, job, value)

    return tried


async def _answer(parts: Parts, attempt: Attempt, brief: Any) -> None:
    attempt.held = await answering.taken_up(parts, brief)
    if attempt.held is not None:
        await answering.on_answer(parts, attempt.held, brief)


async def _give_up(parts: Parts, attempt: Attempt, given: Any) -> None:
    await end_failed(parts, given, JobGivenUp(given.job), at=attempt.at)


KINDS: dict[str, Kind] = {
    "ask": Kind(shape=Asked, run=_undated(hearing.on_ask), unbegun=unbegun.in_its_thread),
    "reply": Kind(shape=Asked, run=_undated(hearing.on_reply), unbegun=unbegun.if_asked_back),
    "ask_privately": Kind(
        shape=Commanded, run=_dated(hearing.on_ask_privately), unbegun=unbegun.privately
    ),
    "tell": Kind(shape=Told, run=_undated(telling.on_tell), unbegun=unbegun.fixed_reply),
    "cancel": Kind(shape=Asked, run=_undated(amending.on_cancel), unbegun=unbegun.if_spoken_to),
    "edit": Kind(shape=Edited, run=_dated(amending.on_edit), unbegun=unbegun.in_place),
    "withdraw": Kind(
        shape=Deleted, run=_undated(amending.on_withdraw), unbegun=_once_more(amending.on_withdraw)
    ),
    "choose": Kind(shape=Pressed, run=_dated(amending.on_choose), unbegun=unbegun.privately),
    "ask_again_privately": Kind(
        shape=Pressed, run=_dated(amending.on_ask_again_privately), unbegun=unbegun.privately
    ),
    "ask_owners": Kind(
        shape=Pressed, run=_undated(handing_off.on_ask_owners), unbegun=unbegun.privately
    ),
    "decide": Kind(shape=Decided, run=_undated(deciding.on_decide), unbegun=unbegun.undecided),
    "answer": Kind(shape=Brief, run=_answer),
    "audience": Kind(shape=Changed, run=_undated(lent.on_changed)),
    "administer": Kind(shape=Submitted, run=_dated(changing.on_submitted), unbegun=changing.failed),
    "stage": Kind(shape=Submitted, run=_dated(staging.on_staged), unbegun=changing.failed),
    "give_up": Kind(shape=GivenUp, run=_give_up),
}
"""Every kind of job; the names stand in the queue's database."""


async def do(parts: Parts, kind: str, *, ident: str, payload: str, at: str) -> None:
    """Do one job to its end. Nothing it raises leaves here: a job ends once."""
    attempt = Attempt(ident=ident, at=datetime.fromisoformat(at))
    known = KINDS[kind]
    try:
        value = await _read(known, payload, ident)
        await _patiently(parts, lambda: known.run(parts, attempt, value), ident)
    except LeaseLost as lost:
        log.warning("job %s stops here: %s", ident, lost)
    except (SlackUnavailable, FootnoteError) as error:
        log.warning("job %s failed: %s", ident, told(error))
        await _show_failure(parts, attempt, kind, payload, error)
    except Exception as error:  # noqa: BLE001 - the one place where everything ends
        # The worker's edge: whatever it was, the asker must see an end. A traceback's
        # message may hold content, so only its kind and its place are logged.
        log.error("job %s failed: %s at %s", ident, type(error).__name__, _place(error))  # noqa: TRY400 - as said
        await _show_failure(parts, attempt, kind, payload, error)


def giving_up(job: Job) -> Job:
    """The job that ends what another was for, once, whoever finds that one given up."""
    given = GivenUp(job=job.id, kind=job.kind, payload=job.payload)
    ident = f"{job.id}{GIVE_UP_JOB}"
    payload = given.model_dump_json()
    return Job(id=ident, kind="give_up", partition=ident, payload=payload, at=job.at)


async def _read(kind: Kind, payload: str, ident: str) -> Value:
    """What the job is about; one of another version's shape waits for that version.

    It waits here until this process ends, and then whoever takes the job over reads it.
    """
    try:
        return kind.shape.model_validate_json(payload)
    except ValidationError:
        log.error("job %s has another version's shape; it waits for that version", ident)  # noqa: TRY400 - its message holds content
        await asyncio.Event().wait()
        raise


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"


async def _patiently(parts: Parts, run: Callable[[], Awaitable[None]], ident: str) -> None:
    """Do it, again after an outage: every job may be done again.

    While Slack refuses our token the job is kept, and done when the token is taken again.
    """
    retries = Retries(JOB, clock=asyncio.get_running_loop().time)
    while True:
        try:
            return await run()
        except TenantPaused:
            await parts.client.restored()
        except (SlackUnavailable, StoreUnavailable) as error:
            pause = retries.pause(error)
            if pause is None:
                raise
            log.info("job %s waits: %s", ident, told(error))
            await asyncio.sleep(pause)


async def _show_failure(
    parts: Parts, attempt: Attempt, kind: str, payload: str, error: Exception
) -> None:
    failed = GivenUp(job=attempt.ident, kind=kind, payload=payload)
    try:
        await end_failed(parts, failed, error, at=attempt.at, held=attempt.held)
    except (SlackUnavailable, TenantPaused, FootnoteError) as second:
        log.warning("the failure of job %s could not be shown: %s", attempt.ident, told(second))


async def end_failed(
    parts: Parts, failed: GivenUp, error: Exception, *, at: datetime, held: StoredTask | None = None
) -> None:
    """End what a job was for, visibly for whoever waits for it, unless another job will.

    ``held`` is the task in the job's own lease, where it had one. Raises
    `SlackUnavailable`, `LeaseLost` when the task is in other hands, `StoreUnavailable`.
    """
    if failed.kind == "give_up":
        return
    task = failed.job.removesuffix(ANSWER_JOB)
    stored = held or await stored_task(parts, task)
    if stored is None:
        await _end_unbegun(parts, failed, at)
    elif held is None and await _is_anothers(parts, failed.job, stored):
        log.info("task %s is not job %s's to end", task, failed.job)
    elif stored.state is TaskState.CANCELLED:
        await answering.show_cancelled(parts, stored)
    else:
        await _end_wait(parts, stored)
        await _end_begun(parts, stored, error, held)


async def _end_wait(parts: Parts, stored: StoredTask) -> None:
    """Let the question back that this task answers offer nothing any more.

    Who ended its wait may have died before its message showed so. Raises
    `SlackUnavailable` but where the place is closed.
    """
    asked_back = stored.parent_id if stored.request.rounds else None
    parent = await stored_task(parts, asked_back) if asked_back else None
    if parent is None or parent.status is not Status.CLARIFY:
        return
    try:
        chosen = stored.request.question if stored.request.chosen_from else None
        await settle(parts, parent, choice=chosen)
    except SlackRefused as refused:
        if refused.code == RATE_LIMITED:
            raise
        log.warning("the message of task %s stays as it is: %s", parent.id, refused.code)


async def _end_begun(
    parts: Parts, stored: StoredTask, error: Exception, held: StoredTask | None
) -> None:
    if is_closed(error):
        await end_undelivered(parts, stored)
    else:
        taken = stored if held else await taken_over(parts, stored)
        await fail(parts, taken, error.reason if isinstance(error, FootnoteError) else None)


async def _end_unbegun(parts: Parts, failed: GivenUp, at: datetime) -> None:
    kind = KINDS[failed.kind]
    try:
        value = kind.shape.model_validate_json(failed.payload)
    except ValidationError:
        log.error("job %s has another version's shape and ends unseen", failed.job)  # noqa: TRY400 - its message holds content
    else:
        await kind.unbegun(parts, failed.job, value, at)


async def _is_anothers(parts: Parts, job: str, stored: StoredTask) -> bool:
    """Whether the task has ended, or the job that answers it stands in the queue."""
    if stored.state not in (TaskState.QUEUED, TaskState.RUNNING, TaskState.CANCELLED):
        return True
    return not job.endswith(ANSWER_JOB) and await parts.queue.holds(f"{stored.id}{ANSWER_JOB}")
