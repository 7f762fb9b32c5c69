"""Questions as they come in: a mention, a direct message, a reply in a thread, `/ask`."""

import logging
from datetime import datetime

from bot.errors import SlackUnavailable
from bot.owners import proposing
from bot.parts import Parts, is_private
from bot.questions.admitting import admit, may_command
from bot.questions.asking import (
    PATIENCE,
    Question,
    pursue,
    question_of,
    say,
    stored_task,
    waiting_for,
)
from bot.questions.settling import settle
from bot.slack.client import respond
from bot.slack.identity import Proved
from handlers.blocks import notes
from handlers.blocks.texts import language_of
from handlers.deps import Asked, Commanded
from rag.values import Place, Value

log = logging.getLogger(__name__)


async def on_ask(parts: Parts, task: str, asked: Asked) -> None:
    """A question meant for us."""
    proved = await parts.prove(asked.sender)
    if proved is None:
        log.info("task %s comes from somebody who gets no reply", task)
        return
    if await proposing.heard(parts, proved, task, asked):
        return
    question = question_of(task, asked)
    waiting = await waiting_for(parts, proved, question)
    await admit(parts, proved, question.model_copy(update={"parent": waiting}))


async def on_reply(parts: Parts, task: str, asked: Asked) -> None:
    """A thread reply without a mention: ours only when we asked this person back."""
    proved = await parts.prove(asked.sender)
    if proved is None:
        return
    question = question_of(task, asked)
    waiting = await waiting_for(parts, proved, question)
    if waiting is None and not await stored_task(parts, task):
        return
    if waiting is not None and question.at - waiting.created_at > PATIENCE:
        await settle(parts, waiting, choice=None)
        note = notes.clarification_expired(language=language_of(question.text))
        await say(parts, question, note)
        return
    await pursue(parts, proved, question.model_copy(update={"parent": waiting}))


async def on_ask_privately(parts: Parts, task: str, commanded: Commanded, at: datetime) -> None:
    """`/ask`: the answer goes into the caller's direct messages."""
    proved = await parts.prove(commanded.sender)
    if proved is None or not await may_command(parts, proved, commanded, task=task, at=at):
        return
    if not is_private(commanded.room):
        await _point_to_the_answer(parts, commanded)
    await ask_in_private(parts, proved, Words(task=task, text=commanded.text, at=at))


async def _point_to_the_answer(parts: Parts, commanded: Commanded) -> None:
    """Say where the answer will be; its address may have grown old while we were away."""
    taken = notes.ask_taken(language=language_of(commanded.text))
    try:
        await respond(parts.client, commanded.response_url, taken)
    except SlackUnavailable as error:
        log.info("a caller could not be told where the answer is: %s", error)


class Words(Value):
    """What somebody wants answered, wherever they said it. ``chosen_from`` as in `Request`."""

    task: str
    text: str
    at: datetime
    chosen_from: tuple[str, ...] = ()


async def ask_in_private(parts: Parts, proved: Proved, words: Words) -> None:
    """Answer ``words`` to this person alone."""
    channel = await parts.poster.dm(proved.user_id)
    question = Question(place=Place(), conversation=channel, channel=channel, **dict(words))
    await pursue(parts, proved, question)
