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

from bot import amending, answering, hearing, telling
from bot.answering import fail
from bot.asking import Brief, stored_task
from bot.background import told
from bot.errors import SlackUnavailable, TenantPaused
from bot.parts import Parts
from bot.record import StoredTask
from bot.retrying import JOB, Retries
from bot.telling import Told
from bot.undelivered import end_undelivered, is_closed
from handlers.deps import Asked, Commanded, Deleted, Edited, Pressed
from rag.errors import FootnoteError, LeaseLost, StoreUnavailable
from rag.values import Value

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Attempt:
    """One try at a job. ``held`` is the task it has taken up, once it has."""

    ident: str
    at: datetime
    held: StoredTask | None = None


Run = Callable[[Parts, Attempt, Any], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a job of one kind is read and done."""

    shape: type[Value]
    run: Run


def _undated(run: Callable[[Parts, str, Any], Awaitable[None]]) -> Run:
    async def tried(parts: Parts, attempt: Attempt, value: Any) -> None:
        await run(parts, attempt.ident, value)

    return tried


def _dated(run: Callable[[Parts, str, Any, datetime], Awaitable[None]]) -> Run:
    async def tried(parts: Parts, attempt: Attempt, value: Any) -> None:
        await run(parts, attempt.ident, value, attempt.at)

    return tried


async def _answer(parts: Parts, attempt: Attempt, brief: Any) -> None:
    attempt.held = await answering.taken_up(parts, brief)
    if attempt.held is not None:
        await answering.on_answer(parts, attempt.held, brief)


KINDS: dict[str, Kind] = {
    "ask": Kind(shape=Asked, run=_undated(hearing.on_ask)),
    "reply": Kind(shape=Asked, run=_undated(hearing.on_reply)),
    "ask_privately": Kind(shape=Commanded, run=_dated(hearing.on_ask_privately)),
    "tell": Kind(shape=Told, run=_undated(telling.on_tell)),
    "cancel": Kind(shape=Asked, run=_undated(amending.on_cancel)),
    "edit": Kind(shape=Edited, run=_undated(amending.on_edit)),
    "withdraw": Kind(shape=Deleted, run=_undated(amending.on_withdraw)),
    "choose": Kind(shape=Pressed, run=_dated(amending.on_choose)),
    "ask_again_privately": Kind(shape=Pressed, run=_dated(amending.on_ask_again_privately)),
    "answer": Kind(shape=Brief, run=_answer),
}
"""Every kind of job; the names stand in the queue's database."""


async def do(parts: Parts, kind: Kind, *, ident: str, payload: str, at: str) -> None:
    """Do one job to its end. Nothing it raises leaves here: a job ends once."""
    attempt = Attempt(ident=ident, at=datetime.fromisoformat(at))
    try:
        value = await _read(kind, payload, ident)
        await _patiently(parts, lambda: kind.run(parts, attempt, value), ident)
    except LeaseLost as lost:
        log.warning("job %s stops here: %s", ident, lost)
    except (SlackUnavailable, FootnoteError) as error:
        log.warning("job %s failed: %s", ident, told(error))
        await show_failure(parts, attempt, error)
    except Exception as error:  # noqa: BLE001 - the one place where everything ends
        # The worker's edge: whatever it was, the asker must see an end. A traceback's
        # message may hold content, so only its kind and its place are logged.
        log.error("job %s failed: %s at %s", ident, type(error).__name__, _place(error))  # noqa: TRY400 - as said
        await show_failure(parts, attempt, error)


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


async def show_failure(parts: Parts, attempt: Attempt, error: Exception) -> None:
    """End the job's message, if it has one and the task is still ours, in words."""
    task = attempt.ident.removesuffix(".answer")
    reason = error.reason if isinstance(error, FootnoteError) else None
    try:
        stored = attempt.held or await stored_task(parts, task)
        if stored is None:
            return
        if is_closed(error):
            await end_undelivered(parts, stored)
        else:
            await fail(parts, stored, reason)
    except (SlackUnavailable, TenantPaused, FootnoteError) as second:
        log.warning("the failure of task %s could not be shown: %s", task, told(second))
