"""Questions taken back, changed or deleted; options and buttons that ask anew."""

import logging
from datetime import datetime

from bot.delivery import ANSWER
from bot.inbound.hearing import Words, ask_in_private, on_ask
from bot.owners import proposing
from bot.parts import Parts
from bot.questions.admitting import may_ask
from bot.questions.answering import conclude
from bot.questions.asking import (
    PATIENCE,
    ROOM,
    Question,
    pursue,
    question_of,
    say,
    stored_task,
)
from bot.questions.settling import settle
from bot.queue.durable import job_id
from bot.record import DeliveryState, StoredTask, TaskState
from bot.slack.identity import Proved
from handlers.blocks import notes
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import language_of
from handlers.deps import Asked, Deleted, Edited, Pressed
from rag.errors import StoreUnavailable
from rag.values import Report, Value

log = logging.getLogger(__name__)


class _Choice(Value):
    task: str
    option: str
    at: datetime


_OPEN = (TaskState.QUEUED, TaskState.RUNNING, TaskState.WAITING)


def task_of(asked: Asked) -> str:
    """The id of the task a message is, the same for its twin and its retries."""
    return job_id(asked.ts, *asked.key[:2])


def deleted_task(deleted: Deleted) -> str:
    """The id of the task that the deleted message is."""
    home = deleted.sender.team_id or deleted.sender.enterprise_id
    return job_id(deleted.ts, home, deleted.room.channel)


async def on_cancel(parts: Parts, task: str, asked: Asked) -> None:
    """ "Never mind": end what this person has open in this conversation."""
    proved = await parts.prove(asked.sender)
    if proved is None:
        return
    question = question_of(task, asked)
    ended = await _end_open(parts, proved, question)
    spoken_to = asked.mentioned or question.place.channel is None
    language = language_of(asked.question)
    if ended:
        await say(parts, question, notes.cancelled(language=language))
    elif spoken_to:
        await say(parts, question, notes.nothing_to_cancel(language=language))


async def _end_open(parts: Parts, proved: Proved, question: Question) -> bool:
    recent = await parts.record.tasks.list(
        tenant=parts.tenant, principal=proved.principal, limit=20
    )
    ended = False
    for stored in recent:
        same = stored.conversation == question.conversation
        if same and stored.state in _OPEN:
            waited = stored.state is TaskState.WAITING
            ended |= await parts.record.tasks.cancel(tenant=parts.tenant, task=stored.id)
            if waited:
                await conclude(parts, stored, notes.cancelled(language=_language(stored)))
    return ended


async def on_withdraw(parts: Parts, _task: str, deleted: Deleted) -> None:
    """The question's message is gone: so is what was not finished, and the rest is redacted."""
    asked_as = deleted_task(deleted)
    stored = await stored_task(parts, asked_as)
    if stored is None:
        return
    # Cancelled already: by us, before we died over this, or by the asker.
    unfinished = stored.state is TaskState.CANCELLED
    unfinished |= await parts.record.tasks.cancel(tenant=parts.tenant, task=stored.id)
    gone = notes.question_deleted(language=_language(stored))
    for delivery in await parts.record.deliveries.of(tenant=parts.tenant, task=stored.id):
        sent = delivery.state is DeliveryState.INTENT or delivery.ts
        ts = await parts.poster.where(delivery) if sent else None
        if ts is None:
            continue
        if unfinished or delivery.kind == ROOM:
            await parts.poster.delete(channel=delivery.channel, ts=ts)
        else:
            await parts.poster.update(channel=delivery.channel, ts=ts, rendered=gone)


async def on_edit(parts: Parts, task: str, edited: Edited, at: datetime) -> None:
    """The words changed: the same message is answered again, in place."""
    proved = await parts.prove(edited.asked.sender)
    if proved is None:
        return
    if await proposing.heard(parts, proved, task, edited.asked):
        return
    first = task_of(edited.asked)
    before = await stored_task(parts, first)
    if before is None or await _is_begun(parts, before, edited.asked):
        question = question_of(first, edited.asked)
        if edited.asked.mentioned or question.place.channel is None:
            # Under the message's own id: its own event may come later, and finds this.
            await on_ask(parts, first, edited.asked)
        return
    if before.principal != proved.principal or not edited.asked.question:
        return
    await parts.record.tasks.cancel(tenant=parts.tenant, task=before.id)
    if await _may_change(parts, proved, task=task, edited=edited, before=before, at=at):
        await _answer_again(parts, proved, task=task, edited=edited, before=before)


async def _is_begun(parts: Parts, before: StoredTask, asked: Asked) -> bool:
    """Whether these very words are being answered, or were, as after our own death over them."""
    if before.request.question != asked.question:
        return False
    if before.state in (TaskState.QUEUED, TaskState.RUNNING):
        return True
    # They may have been changed, and changed back: then another version was stored since.
    recent = await parts.record.tasks.list(
        tenant=parts.tenant, principal=before.principal, limit=20
    )
    return not any(stored.id.startswith(f"{before.id}.") for stored in recent)


async def _may_change(
    parts: Parts,
    proved: Proved,
    *,
    task: str,
    edited: Edited,
    before: StoredTask,
    at: datetime,
) -> bool:
    """Whether the new words are taken as a question. The old ones are taken back even so."""
    if await may_ask(parts, proved, question_of(task, edited.asked), at=at):
        return True
    if before.state in (TaskState.CANCELLED, TaskState.WAITING):
        await conclude(parts, before, notes.cancelled(language=_language(before)))
    return False


async def _answer_again(
    parts: Parts, proved: Proved, *, task: str, edited: Edited, before: StoredTask
) -> None:
    named = {"tenant": parts.tenant, "task": before.id, "kind": ANSWER}
    placed = await parts.record.deliveries.get(**named)
    if placed is not None:
        await parts.record.deliveries.updated(**named, lease=None)  # the message is another task's
    question = question_of(task, edited.asked)
    await pursue(parts, proved, question.model_copy(update={"instead": placed}))


async def on_choose(parts: Parts, task: str, pressed: Pressed, at: datetime) -> None:
    """An option of a clarifying question: the asker's choice is their next question."""
    proved = await parts.prove(pressed.sender)
    handle = await parts.record.deliveries.handle(tenant=parts.tenant, handle_id=pressed.value)
    stored = await stored_task(parts, handle.task) if handle else None
    if proved is None or handle is None or stored is None:
        return
    if stored.principal != proved.principal:
        note = notes.not_your_clarification(language=_language(stored))
        await _whisper(parts, pressed, note)
        return
    await _take_choice(parts, proved, stored, _Choice(task=task, option=handle.option, at=at))


async def _take_choice(parts: Parts, proved: Proved, stored: StoredTask, choice: _Choice) -> None:
    placed = await parts.record.deliveries.get(tenant=parts.tenant, task=stored.id, kind=ANSWER)
    text, chosen_from = await _option(parts, stored, choice.option)
    again = await stored_task(parts, choice.task)
    if placed is None or not text:
        return
    if stored.state is TaskState.RUNNING and not again:
        # Shown by a process that died before it noted so: pressed too early, but not for nothing.
        raise StoreUnavailable("that the question back was shown is not recorded yet")
    if stored.state is not TaskState.WAITING and not again:
        return
    question = Question(
        task=choice.task,
        text=text,
        at=choice.at,
        place=stored.request.place,
        conversation=stored.conversation or placed.channel,
        channel=placed.channel,
        thread=placed.thread,
        parent=stored,
        choice=text,
        chosen_from=chosen_from,
    )
    if choice.at - stored.created_at > PATIENCE:
        await settle(parts, stored, choice=None)
        await say(parts, question, notes.clarification_expired(language=_language(stored)))
        return
    await pursue(parts, proved, question)


async def _option(parts: Parts, stored: StoredTask, option: str) -> tuple[str, tuple[str, ...]]:
    """An option's text, empty where there is none, and the sources whose title it may be."""
    document = await parts.record.checkpoints.load(stored.id, "report")
    report = Report.model_validate_json(document) if document else None
    if report is None or report.answer.clarification is None:
        return "", ()
    texts = {offered.id: offered.text for offered in report.answer.clarification.options}
    text = texts.get(option, "")
    return text, await _titled(parts, text, among=report.told)


async def _titled(parts: Parts, text: str, *, among: frozenset[str]) -> tuple[str, ...]:
    """Those that bear ``text`` as their title; all, where none does by now."""
    sources = await parts.record.sources.get(tenant=parts.tenant, source_ids=sorted(among))
    named = [source.id for source in sources if source.title == text]
    return tuple(sorted(named or among))


async def on_ask_again_privately(parts: Parts, task: str, pressed: Pressed, at: datetime) -> None:
    """ "Ask privately": the same question, answered to its asker alone."""
    proved = await parts.prove(pressed.sender)
    handle = await parts.record.deliveries.handle(tenant=parts.tenant, handle_id=pressed.value)
    stored = await stored_task(parts, handle.task) if handle else None
    if proved is None:
        return
    if stored is None or stored.principal != proved.principal:
        await _whisper(parts, pressed, notes.unavailable(language="en"))
        return
    asked = stored.request
    words = Words(task=task, text=asked.question, at=at, chosen_from=asked.chosen_from)
    await ask_in_private(parts, proved, words)


async def _whisper(parts: Parts, pressed: Pressed, rendered: Rendered) -> None:
    await parts.poster.whisper(
        channel=pressed.room.channel,
        user=pressed.sender.user_id,
        rendered=rendered,
        thread=pressed.thread_ts,
    )


def _language(stored: StoredTask) -> str:
    return language_of(stored.request.question)
