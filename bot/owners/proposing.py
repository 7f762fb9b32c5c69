"""What an owner replies goes to whoever asked, and becomes knowledge if a second person says so."""

import logging

from bot.errors import SlackRefused
from bot.owners.handing_off import kind_for
from bot.owners.owners import admins, reachable, readable, report_of, sources_behind
from bot.parts import Parts, is_private
from bot.posts.looking import Spot
from bot.questions.asking import question_of, say, stored_task
from bot.queue.durable import short_hash
from bot.record import (
    Handoff,
    Reply,
    StoredTask,
    Target,
    Words,
)
from bot.slack.client import CLOSED
from bot.slack.identity import Proved, user_of
from handlers.blocks import owners
from handlers.blocks.owners import Proposed
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import language_of
from handlers.deps import Asked
from rag.values import Value

log = logging.getLogger(__name__)

WORD_OF = "reply."
PROPOSAL = "proposal."
DECIDE = "decide:"
_TITLE = 200


class Said(Value):
    """An owner's reply with what it is about."""

    handoff: Handoff
    stored: StoredTask
    reply: Reply

    @property
    def language(self) -> str:
        return language_of(self.stored.request.question)


async def heard(parts: Parts, proved: Proved, job: str, asked: Asked) -> bool:
    """Take up an owner's reply under the message that asked them; False for any other message.

    Doing this again keeps and sends nothing twice. Raises `SlackUnavailable`,
    `StoreUnavailable`.
    """
    handoff = await _answers(parts, proved, asked)
    stored = await stored_task(parts, handoff.task) if handoff else None
    if handoff is None or stored is None:
        return False
    words = Words(reply=job, title=_title(stored), text=asked.question)
    reply = await parts.record.handoffs.reply(
        tenant=parts.tenant, task=stored.id, owner=handoff.owner, words=words
    )
    await note(parts, reply, who=reply.owner, what="reply-as-owner")
    piece = await parts.record.handoffs.proposed(tenant=parts.tenant, reply=reply.id)
    if piece is not None:
        said = Said(handoff=handoff, stored=stored, reply=reply)
        shown = Proposed(title=piece.title, text=piece.text, owner=handoff.name)
        await _show_to_askers(parts, said, shown)
        await _propose(parts, said, shown)
    await say(parts, question_of(job, asked), owners.taken(language=language_of(words.title)))
    return True


async def is_answering(parts: Parts, proved: Proved, asked: Asked) -> bool:
    """Whether this message stands under one that asked its sender as an owner."""
    return await _answers(parts, proved, asked) is not None


async def _answers(parts: Parts, proved: Proved, asked: Asked) -> Handoff | None:
    """Which request to an owner this message answers: in its thread, by that owner."""
    if not is_private(asked.room) or not asked.thread_ts or asked.mentioned:
        return None
    above = await parts.record.deliveries.by_message(
        tenant=parts.tenant, channel=asked.room.channel, ts=asked.thread_ts
    )
    if not any(sent.kind == kind_for(proved.principal) for sent in above):
        return None
    handoffs = await parts.record.handoffs.of(tenant=parts.tenant, task=above[0].task)
    return next((one for one in handoffs if one.owner == proved.principal), None)


def _title(stored: StoredTask) -> str:
    return " ".join(stored.request.question.split())[:_TITLE]


async def _show_to_askers(parts: Parts, said: Said, proposed: Proposed) -> None:
    for asker in await parts.record.handoffs.askers(tenant=parts.tenant, task=said.stored.id):
        if await may_still_see(parts, said, asker):
            kind = WORD_OF + short_hash(said.reply.id, asker)
            shown = owners.word(proposed, language=said.language)
            await _send(parts, said, asker, kind=kind, rendered=shown)


async def may_still_see(parts: Parts, said: Said, person: str) -> bool:
    """Whether this person is still a member and may read all that the question was about."""
    if await reachable(parts, person) is None:
        return False
    return set(await behind(parts, said.stored)) <= (await readable(parts, person)).keys()


async def note(parts: Parts, reply: Reply, *, who: str, what: str) -> None:
    """Write down who did what about a reply, once."""
    about = (reply.task, reply.key, str(reply.version))
    await parts.record.audit.note(
        tenant=parts.tenant, who=who, what=what, about=about, once=reply.id
    )


async def behind(parts: Parts, stored: StoredTask) -> tuple[str, ...]:
    """The ids of the sources a question was about, and of those whose title its words are."""
    report = await report_of(parts, stored.id)
    about = await sources_behind(parts, stored, report) if report else ()
    return tuple(dict.fromkeys((*about, *stored.request.chosen_from)))


async def _propose(parts: Parts, said: Said, proposed: Proposed) -> None:
    """Let each who may approve it see the proposal, with its buttons."""
    target = Target(option=DECIDE + said.reply.id)
    (ident,) = await parts.record.deliveries.handles(
        tenant=parts.tenant, task=said.stored.id, targets=[target]
    )
    wide = proposed.model_copy(update={"readers": await readers_of(parts, said.stored)})
    shown = owners.proposal(wide, ident=ident, language=said.language)
    for approver in await approvers(parts, said):
        kind = f"{kind_of(said.reply)}{short_hash(approver)}"
        await _send(parts, said, approver, kind=kind, rendered=shown)


def kind_of(reply: Reply) -> str:
    """How the kinds of the messages that propose it begin."""
    return f"{PROPOSAL}{short_hash(reply.id)}."


async def approvers(parts: Parts, said: Said) -> tuple[str, ...]:
    """The listed admins, and the other owners whom sources name by id; never who wrote it."""
    asked = await parts.record.handoffs.of(tenant=parts.tenant, task=said.stored.id)
    rest = [one.owner for one in asked if not one.name and one.owner != said.reply.owner]
    able = [owner for owner in rest if await may_still_see(parts, said, owner)]
    found = dict.fromkeys([*await admins(parts), *able])
    return tuple(person for person in found if person != said.reply.owner)


async def readers_of(parts: Parts, stored: StoredTask) -> tuple[str, ...]:
    """Who is a reader of every source the question was about; nobody where that is none."""
    wanted = await behind(parts, stored)
    sources = await parts.record.sources.get(tenant=parts.tenant, source_ids=wanted)
    if not sources or len(sources) < len(wanted):
        return ()
    shared = set.intersection(*(set(source.readers) for source in sources))
    return tuple(reader for reader in sources[0].readers if reader in shared)


async def _send(parts: Parts, said: Said, person: str, *, kind: str, rendered: Rendered) -> None:
    """One message to one person, once; Slack's no is logged and bears no second try."""
    named = user_of(person)
    if named is None:
        return
    try:
        channel = await parts.poster.dm(named[1])
        spot = Spot(tenant=parts.tenant, task=said.stored.id, kind=kind, channel=channel)
        await parts.poster.ensure(spot, rendered)
        await parts.record.deliveries.updated(tenant=spot.tenant, task=spot.task, kind=kind)
    except SlackRefused as refused:
        if refused.code not in CLOSED:
            raise
        log.warning("a message of task %s is not taken: %s", said.stored.id, refused.code)
