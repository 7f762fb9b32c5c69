"""Whether a person or a tenant has asked too much just now, and the one who asks is told so.

What follows from a question that was taken is not counted: an answer to our question back,
and the one private repeat that "Ask privately" offers.
"""

import logging
from datetime import datetime

from bot.errors import SlackRefused, SlackUnavailable
from bot.fair_use import Limit, Verdict, seconds_until
from bot.parts import Parts
from bot.questions.asking import Question, pursue, say, sent_at, stored_task
from bot.slack.client import respond
from bot.slack.identity import Proved
from handlers.blocks import fair
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import language_of
from handlers.deps import Commanded

log = logging.getLogger(__name__)


async def admit(parts: Parts, proved: Proved, question: Question) -> bool:
    """Pursue the question, or tell its asker when to ask again. False: it is not taken."""
    taken = question.parent is not None or await may_ask(parts, proved, question)
    if taken:
        await pursue(parts, proved, question)
    return taken


async def may_ask(
    parts: Parts, proved: Proved, question: Question, *, at: datetime | None = None
) -> bool:
    """Whether the question is taken; its asker is told when it is not.

    ``at`` is when its words were changed, where they are not as they were first said.
    """
    verdict = await _verdict(parts, proved, task=question.task, at=at or question.at)
    if verdict.limit and verdict.notice:
        notice = _notice(
            parts, verdict.limit, verdict.again_at, language=language_of(question.text)
        )
        await _tell(parts, proved, question, notice)
    return verdict.limit is None


async def may_command(
    parts: Parts, proved: Proved, commanded: Commanded, *, task: str, at: datetime
) -> bool:
    """As `may_ask`, for a command; the notice goes where it was typed."""
    verdict = await _verdict(parts, proved, task=task, at=at)
    if verdict.limit and verdict.notice:
        notice = _notice(
            parts, verdict.limit, verdict.again_at, language=language_of(commanded.text)
        )
        try:
            await respond(parts.client, commanded.response_url, notice)
        except SlackUnavailable as error:
            log.info("a caller could not be told to wait: %s", error)
    return verdict.limit is None


async def _verdict(parts: Parts, proved: Proved, *, task: str, at: datetime) -> Verdict:
    if await stored_task(parts, task) is not None:
        return Verdict()  # taken before
    verdict = await parts.record.uses.take(
        tenant=parts.tenant, principal=proved.principal, task=task, at=at, fair=parts.fair_use
    )
    if verdict.limit:
        log.warning("task %s is not taken: %s", task, verdict.limit.value)
    return verdict


def _notice(parts: Parts, limit: Limit, again_at: datetime | None, *, language: str) -> Rendered:
    seconds = None if again_at is None else seconds_until(again_at, now=parts.now())
    return fair.too_many(limit.value, seconds=seconds, language=language)


async def _tell(parts: Parts, proved: Proved, question: Question, notice: Rendered) -> None:
    """To the asker alone, where they asked; a place that is closed to us hears nothing."""
    if question.place.channel is None:
        await say(parts, question, notice)
        return
    try:
        await parts.poster.whisper(
            channel=question.channel,
            user=proved.user_id,
            rendered=notice,
            thread=_thread(question),
        )
    except SlackRefused as refused:
        log.info("the asker of %s could not be told to wait: %s", question.task, refused.code)
        channel = await parts.poster.dm(proved.user_id)
        await parts.poster.post(channel=channel, rendered=notice)


def _thread(question: Question) -> str | None:
    """The thread that was asked in: one that the question itself would begin shows no word."""
    if not question.thread or sent_at(question.thread) == question.at:
        return None
    return question.thread
