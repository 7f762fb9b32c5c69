"""A second person decides what becomes of an owner's words."""

import logging

from bot.admin.admins import is_admin
from bot.errors import SlackRefused
from bot.owners.handing_off import tell
from bot.owners.proposing import DECIDE, Said, kind_of, may_still_see, note, readers_of
from bot.parts import Parts
from bot.questions.asking import stored_task
from bot.record import Decision, Handle, Reply, knowledge_ref
from bot.slack.client import CLOSED
from bot.slack.identity import Proved
from handlers.blocks import notes, owners
from handlers.blocks.texts import language_of
from handlers.deps import Decided, Pressed
from rag.values import Kind, Source

log = logging.getLogger(__name__)


async def on_decide(parts: Parts, _job: str, decided: Decided) -> None:
    """Approve an owner's words or turn them down, as whoever pressed.

    Doing this again changes nothing more. Raises `SlackUnavailable`, `StoreUnavailable`.
    """
    pressed = decided.pressed
    await parts.profiles.renew(pressed.sender.user_id)
    proved = await parts.prove(pressed.sender)
    if proved is None:
        return
    said = await _pressed_on(parts, pressed)
    if said is not None and said.reply.owner == proved.principal:
        await tell(parts, pressed, owners.own(language=said.language))
    elif said is None or not await _may_decide(parts, proved, said):
        await tell(parts, pressed, notes.unavailable(language="en"))
    else:
        await _decide(parts, proved, said, approved=decided.approved)


async def _pressed_on(parts: Parts, pressed: Pressed) -> Said | None:
    """The reply a button is about; None for any other button's value."""
    handle = await parts.record.deliveries.handle(tenant=parts.tenant, handle_id=pressed.value)
    reply = await _reply_of(parts, handle)
    if handle is None or reply is None or reply.task != handle.task:
        return None
    stored = await stored_task(parts, reply.task)
    asked = await parts.record.handoffs.of(tenant=parts.tenant, task=reply.task)
    handoff = next((one for one in asked if one.owner == reply.owner), None)
    if stored is None or handoff is None:
        return None
    return Said(handoff=handoff, stored=stored, reply=reply)


async def _reply_of(parts: Parts, handle: Handle | None) -> Reply | None:
    if handle is None or not handle.option.startswith(DECIDE):
        return None
    ident = handle.option.removeprefix(DECIDE)
    return await parts.record.handoffs.replied(tenant=parts.tenant, reply=ident)


async def _may_decide(parts: Parts, proved: Proved, said: Said) -> bool:
    """An admin, or an owner who was asked and may still read what it is about.

    A name makes nobody such an owner: people choose theirs in Slack.
    """
    if is_admin(parts, proved):
        return True
    asked = await parts.record.handoffs.of(tenant=parts.tenant, task=said.stored.id)
    owner = any(one.owner == proved.principal and not one.name for one in asked)
    return owner and await may_still_see(parts, said, proved.principal)


async def _decide(parts: Parts, proved: Proved, said: Said, *, approved: bool) -> None:
    reply = await parts.record.handoffs.decide(
        tenant=parts.tenant, reply=said.reply.id, decider=proved.principal, approved=approved
    )
    if reply.decider == proved.principal:
        await note(parts, reply, who=proved.principal, what=f"knowledge-{reply.decision.value}")
        if reply.decision is Decision.APPROVED:
            await _open(parts, said, approver=proved.principal)
    await _show_decided(parts, said, reply)


async def _open(parts: Parts, said: Said, *, approver: str) -> None:
    """Let the approved words be read; whom an admin has since let read them stays."""
    source_id = f"knowledge-{said.reply.key}"
    piece = await parts.record.handoffs.proposed(tenant=parts.tenant, reply=said.reply.id)
    known = await parts.record.sources.get(tenant=parts.tenant, source_ids=[source_id])
    if piece is None or known:
        return
    readers = await readers_of(parts, said.stored)
    await parts.record.sources.put(
        Source(
            id=source_id,
            tenant=parts.tenant,
            title=piece.title,
            kind=Kind.INTERNAL,
            ref=knowledge_ref(parts.tenant, piece.key),
            readers=readers or (said.reply.owner, approver),
            owner=said.reply.owner,
            language=language_of(piece.text),
        )
    )


async def _show_decided(parts: Parts, said: Said, reply: Reply) -> None:
    """Let every message that proposed it show what became of it."""
    approved = reply.decision is Decision.APPROVED
    shown = owners.decided(approved=approved, language=said.language)
    kind = kind_of(reply)
    for sent in await parts.record.deliveries.of(tenant=parts.tenant, task=said.stored.id):
        if not sent.kind.startswith(kind) or sent.ts is None:
            continue
        try:
            await parts.poster.update(channel=sent.channel, ts=sent.ts, rendered=shown)
        except SlackRefused as refused:
            if refused.code not in CLOSED:
                raise
            log.info("a proposal of task %s stays as it is: %s", said.stored.id, refused.code)
