"""A task whose place is closed to us ends quietly, with one private word to its asker."""

import logging

from bot.delivery import ANSWER
from bot.errors import SlackRefused, SlackUnavailable
from bot.parts import Parts
from bot.posts.looking import Spot
from bot.record import Delivery, DeliveryState, StoredTask
from bot.slack.client import CLOSED
from bot.slack.identity import user_of
from bot.slack.pacing import RATE_LIMITED
from handlers.blocks import notes
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import language_of
from rag.errors import Undeliverable, UnknownTask
from rag.values import Reason, Status

log = logging.getLogger(__name__)

WORD = "word"
"""The kind of the private message that takes the place of one that could not be sent."""

_NOWHERE = "ephemeral"


def is_closed(error: Exception) -> bool:
    """Whether this says that a task's place takes no message of ours, now and later."""
    closed = isinstance(error, SlackRefused) and error.code in CLOSED
    return closed or isinstance(error, Undeliverable)


async def end_undelivered(parts: Parts, stored: StoredTask) -> None:
    """Tell the asker once, in words that hold nothing of any source, and record the end."""
    log.warning("task %s cannot be delivered: its place is closed", stored.id)
    if not await tell_asker(parts, stored, notes.undeliverable(language=_language(stored))):
        await show_later(parts, stored)
    await parts.record.tasks.finish(
        tenant=stored.tenant,
        lease=stored.held,
        status=Status.FAILED,
        reason=Reason.UNDELIVERABLE,
    )


async def stands(parts: Parts, placed: Delivery) -> bool:
    """Whether this message stands somewhere that we know, or can be found.

    Raises `SlackUnavailable` where a later look may tell.
    """
    try:
        return await parts.poster.where(placed) is not None
    except SlackRefused as refused:
        if refused.code == RATE_LIMITED:
            raise
        log.warning("a message of task %s cannot be looked for: %s", placed.task, refused.code)
        return False


async def show_later(parts: Parts, stored: StoredTask) -> None:
    """Let the task's message count as one that does not show its end yet.

    That is so for one that shows another end, and for one that was never sent. Raises
    `LeaseLost`, `StoreUnavailable`.
    """
    named = {"tenant": stored.tenant, "task": stored.id, "kind": ANSWER}
    placed = await parts.record.deliveries.get(**named)
    channel, _, thread = (stored.conversation or "").partition(":")
    if placed is None and channel:
        await parts.record.deliveries.intend(**named, channel=channel, thread=thread)
    elif placed is not None and placed.state is DeliveryState.UPDATED and placed.ts:
        await parts.record.deliveries.reopened(**named, lease=stored.held)


async def take_away(parts: Parts, stored: StoredTask, placed: Delivery) -> None:
    """Let a message that came too late stand no more. Raises `SlackUnavailable`, `LeaseLost`."""
    try:
        if ts := await parts.poster.where(placed):
            await parts.poster.delete(channel=placed.channel, ts=ts)
    except SlackRefused as refused:
        if refused.code == RATE_LIMITED:
            raise
        log.warning("a message of task %s stays as it is: %s", stored.id, refused.code)
    named = {"tenant": stored.tenant, "task": stored.id, "kind": placed.kind}
    await parts.record.deliveries.updated(**named, lease=stored.held)


async def is_told(parts: Parts, stored: StoredTask) -> bool:
    """Whether the asker was told alone how the task ended."""
    said = await parts.record.deliveries.get(tenant=stored.tenant, task=stored.id, kind=WORD)
    return said is not None and said.ts is not None


async def tell_asker(parts: Parts, stored: StoredTask, rendered: Rendered) -> bool:
    """Say this to the asker alone where Slack allows it, at most once a task.

    False where it may be possible later.
    """
    named = user_of(stored.principal)
    if named is None:
        return True
    try:
        await _tell(parts, stored, user=named[1], rendered=rendered)
    except SlackRefused as refused:
        log.warning("the asker of task %s could not be told: %s", stored.id, refused)
        if refused.code == RATE_LIMITED:
            await _whisper(parts, stored, user=named[1], rendered=rendered)
    except SlackUnavailable as error:
        log.warning("the asker of task %s could not be told: %s", stored.id, error)
        return False
    return True


async def _tell(parts: Parts, stored: StoredTask, *, user: str, rendered: Rendered) -> None:
    if await is_told(parts, stored):
        return
    channel = await parts.poster.dm(user)
    spot = Spot(tenant=stored.tenant, task=stored.id, kind=WORD, channel=channel)
    # Intended first, so that it is looked for: it may have been said before there was a task.
    named = {"tenant": stored.tenant, "task": stored.id, "kind": WORD}
    await parts.record.deliveries.intend(**named, channel=channel, thread="")
    await parts.poster.ensure(spot, rendered, asked_at=stored.created_at)
    await parts.record.deliveries.updated(tenant=stored.tenant, task=stored.id, kind=WORD)


async def _whisper(parts: Parts, stored: StoredTask, *, user: str, rendered: Rendered) -> None:
    """Where they asked, for them alone: Slack counts this apart from messages.

    Nobody can look such a word up, so it is recorded first and lost rather than repeated.
    """
    channel = stored.request.place.channel
    if channel is None:
        return
    named = {"tenant": stored.tenant, "task": stored.id, "kind": WORD}
    try:
        await parts.record.deliveries.placed(**named, ts=_NOWHERE)
        await parts.poster.whisper(channel=channel, user=user, rendered=rendered)
    except (UnknownTask, SlackUnavailable) as error:
        log.warning("nor where they asked: %s", type(error).__name__)


def _language(stored: StoredTask) -> str:
    return language_of(stored.request.question)
