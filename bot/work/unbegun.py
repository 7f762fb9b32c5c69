"""A message whose job failed before it became a task: its sender is told so once.

The words are always the same and hold nothing of any source, so that they may stand
wherever the message does. Whoever gets no reply gets none here either.
"""

import logging
from datetime import datetime

from bot.delivery import ANSWER
from bot.errors import SlackRefused
from bot.inbound.amending import task_of
from bot.inbound.telling import Told
from bot.parts import Parts
from bot.posts.looking import Spot
from bot.questions.answering import conclude
from bot.questions.asking import Question, question_of, say, stored_task, waiting_for
from bot.questions.undelivered import WORD
from bot.queue.durable import is_again
from bot.record import StoredTask, TaskState
from bot.slack.client import CLOSED
from bot.slack.identity import Proved
from handlers.blocks import notes
from handlers.blocks.texts import language_of
from handlers.deps import Asked, Commanded, Decided, Edited, Pressed
from rag.values import Value

log = logging.getLogger(__name__)

_RECENT = 20  # of a person's questions, among which changed words are looked for


async def nothing(_parts: Parts, _task: str, _value: Value, _at: datetime) -> None:
    """Nobody waits for an end of it."""


async def in_its_thread(parts: Parts, task: str, asked: Asked, _at: datetime) -> None:
    """Under a message meant for us. Raises `SlackUnavailable`, `StoreUnavailable`."""
    proved = await parts.prove(asked.sender)
    if proved is not None:
        await _say(parts, proved, question_of(task, asked))


async def fixed_reply(parts: Parts, task: str, told: Told, at: datetime) -> None:
    """In the place of the fixed reply."""
    await in_its_thread(parts, task, told.asked, at)


async def if_spoken_to(parts: Parts, task: str, asked: Asked, at: datetime) -> None:
    """Under a message that is ours only with a mention, or in a direct message."""
    if asked.mentioned or question_of(task, asked).place.channel is None:
        await in_its_thread(parts, task, asked, at)


async def if_asked_back(parts: Parts, task: str, asked: Asked, _at: datetime) -> None:
    """Under a reply that is ours only because we asked this person back."""
    proved = await parts.prove(asked.sender)
    question = question_of(task, asked)
    if proved is not None and await waiting_for(parts, proved, question) is not None:
        await _say(parts, proved, question)


async def in_place(parts: Parts, task: str, edited: Edited, at: datetime) -> None:
    """Where the words before the change were, or were to be, answered; else under the message.

    What answers them must not stand under other words. Raises `SlackUnavailable`.
    """
    before = await _newest(parts, edited)
    if before is None or (before.state is TaskState.CANCELLED and not await _stands(parts, before)):
        await if_spoken_to(parts, task_of(edited.asked), edited.asked, at)
    elif edited.asked.question not in ("", before.request.question):
        await parts.record.tasks.cancel(tenant=parts.tenant, task=before.id)
        await conclude(parts, before, notes.failed(language=language_of(before.request.question)))


async def _newest(parts: Parts, edited: Edited) -> StoredTask | None:
    """The task of the message's newest words that were stored."""
    first = await stored_task(parts, task_of(edited.asked))
    if first is None:
        return None
    recent = await parts.record.tasks.list(
        tenant=parts.tenant, principal=first.principal, limit=_RECENT
    )
    return next((stored for stored in recent if is_again(stored.id, of=first.id)), first)


async def _stands(parts: Parts, before: StoredTask) -> bool:
    named = {"tenant": before.tenant, "task": before.id, "kind": ANSWER}
    placed = await parts.record.deliveries.get(**named)
    return placed is not None and placed.ts is not None


async def privately(parts: Parts, task: str, asked_by: Commanded | Pressed, at: datetime) -> None:
    """In the person's direct messages, where nobody else reads along."""
    proved = await parts.prove(asked_by.sender)
    if proved is None:
        return
    channel = await parts.poster.dm(proved.user_id)
    spot = Spot(tenant=parts.tenant, task=task, kind=WORD, channel=channel)
    language = "zh" if proved.locale.startswith("zh") else "en"
    await parts.poster.say_once(spot, notes.failed(language=language), since=at)


async def undecided(parts: Parts, task: str, decided: Decided, at: datetime) -> None:
    """As `privately`, to whoever decided."""
    await privately(parts, task, decided.pressed, at)


async def _say(parts: Parts, proved: Proved, question: Question) -> None:
    try:
        await say(parts, question, notes.failed(language=language_of(question.text)))
    except SlackRefused as refused:
        if refused.code not in CLOSED:
            raise
        log.warning("message %s has no place for a reply: %s", question.task, refused.code)
        await _word(parts, proved, question)


async def _word(parts: Parts, proved: Proved, question: Question) -> None:
    """Once, to its sender alone, where even that is allowed."""
    try:
        channel = await parts.poster.dm(proved.user_id)
        spot = Spot(tenant=parts.tenant, task=question.task, kind=WORD, channel=channel)
        rendered = notes.undeliverable(language=language_of(question.text))
        await parts.poster.say_once(spot, rendered, since=question.at)
    except SlackRefused as refused:
        if refused.code not in CLOSED:
            raise
        log.warning("the sender of message %s could not be told: %s", question.task, refused.code)
