"""Asks the owners of sources about a conflict or a gap, each once a task."""

import logging

from bot.delivery import ANSWER
from bot.errors import SlackRefused, SlackUnavailable
from bot.owners.owners import Owners, owners_of, readable, report_of, sources_behind
from bot.parts import Parts
from bot.posts.looking import Spot
from bot.questions.judging import OWNERS_WANTED, Judged, answer, judged, keep
from bot.queue.durable import short_hash
from bot.record import StoredTask
from bot.slack.client import CLOSED, pages
from bot.slack.identity import user_of
from handlers.blocks import notes, owners
from handlers.blocks.rendered import Rendered
from handlers.deps import Pressed
from rag.values import Report, Source

log = logging.getLogger(__name__)

OWNER = "owner."
"""How the kind of an owner's message begins."""

_LOOKED_THROUGH = 1_000  # members of a room among whom an owner is looked for


def kind_for(owner: str) -> str:
    """The kind of the message that asks this owner about a task."""
    return OWNER + short_hash(owner)


async def on_ask_owners(parts: Parts, job: str, pressed: Pressed) -> None:
    """Send the question to the owners, then tell the presser whom it went to.

    Doing this again sends nothing twice. Raises `SlackUnavailable`, `StoreUnavailable`.
    """
    found = await judged(parts, pressed)
    if found is None:
        return
    report = await report_of(parts, found.stored.id)
    concerned = await _concerned(parts, found, report) if report else None
    if report is None or concerned is None:
        await tell(parts, pressed, notes.unavailable(language=found.language))
        return
    reached = await _asked(parts, found, report, await owners_of(parts, concerned))
    await keep(parts, found, up=False, note=OWNERS_WANTED)
    await _note(parts, found, reached, job)
    told = owners.asked(
        tuple(reached.found.values()),
        beyond=reached.beyond,
        contact=parts.contact,
        language=found.language,
    )
    await tell(parts, pressed, told)


async def _concerned(parts: Parts, found: Judged, report: Report) -> tuple[Source, ...] | None:
    """The sources whose owners are asked; None when the presser may not read what is shown."""
    behind = await sources_behind(parts, found.stored, report)
    mine = await readable(parts, found.proved.principal)
    if report.evidence and not set(behind) <= mine.keys():
        return None
    return tuple(mine[ident] for ident in behind if ident in mine)


async def _asked(parts: Parts, found: Judged, report: Report, wanted: Owners) -> Owners:
    """Record who is asked, and send each their message; those it could be sent to."""
    if not wanted.found:
        return wanted
    named = {"tenant": parts.tenant, "task": found.stored.id}
    await parts.record.handoffs.ask(**named, owners=wanted.found, asker=found.proved.principal)
    sent = {
        owner: name
        for owner, name in wanted.found.items()
        if await _sent(parts, found.stored, report, owner)
    }
    closed = tuple(name for owner, name in wanted.found.items() if owner not in sent and name)
    return Owners(found=sent, beyond=(*wanted.beyond, *closed))


async def _sent(parts: Parts, stored: StoredTask, report: Report, owner: str) -> bool:
    """Whether the owner has the question now, or had it; False where Slack takes no message."""
    user = user_of(owner)
    if user is None:
        return False
    try:
        channel = await parts.poster.dm(user[1])
        spot = Spot(tenant=parts.tenant, task=stored.id, kind=kind_for(owner), channel=channel)
        await _place(parts, spot, stored, report, owner)
    except SlackRefused as refused:
        if refused.code not in CLOSED:
            raise
        log.warning("an owner of task %s takes no message: %s", stored.id, refused.code)
        return False
    return True


async def _place(parts: Parts, spot: Spot, stored: StoredTask, report: Report, owner: str) -> None:
    allowed = frozenset(await readable(parts, owner)) & _told(stored, report)
    named = {"tenant": parts.tenant, "task": stored.id}
    await parts.record.handoffs.quote(**named, owner=owner, sources=allowed)
    shown = await to_owner(parts, stored, report, owner=owner, allowed=allowed)
    ts = await parts.poster.ensure(spot, shown)
    still = frozenset(await readable(parts, owner)) & allowed
    if still != allowed:
        less = await to_owner(parts, stored, report, owner=owner, allowed=still)
        await parts.poster.update(channel=spot.channel, ts=ts, rendered=less)
        await parts.record.handoffs.quote(**named, owner=owner, sources=still)
    await parts.record.deliveries.updated(tenant=spot.tenant, task=spot.task, kind=spot.kind)


async def to_owner(
    parts: Parts, stored: StoredTask, report: Report, *, owner: str, allowed: frozenset[str]
) -> Rendered:
    """An owner's message as it may stand right now, with the quotes of ``allowed`` alone."""
    link = await _link(parts, stored, user=_user(owner))
    chosen_from = stored.request.chosen_from
    if chosen_from and not set(chosen_from) <= (await readable(parts, owner)).keys():
        report = report.model_copy(update={"question": ""})
    return owners.asking(report, allowed=allowed, link=link)


def _user(owner: str) -> str:
    named = user_of(owner)
    return named[1] if named else ""


def _told(stored: StoredTask, report: Report) -> frozenset[str]:
    """The sources that a message to an owner quotes, or whose title its question may be."""
    quoted = (item.source.source_id for item in report.evidence)
    return frozenset((*quoted, *stored.request.chosen_from))


async def _link(parts: Parts, stored: StoredTask, *, user: str) -> str:
    """The address of the answer's message, where the owner is in its room; else empty."""
    placed = await parts.record.deliveries.get(tenant=parts.tenant, task=stored.id, kind=ANSWER)
    channel = stored.request.place.channel
    if placed is None or placed.ts is None or channel is None or placed.channel != channel:
        return ""
    if not parts.installation.url or not await _is_in(parts, channel, user):
        return ""
    return f"{parts.installation.url}archives/{channel}/p{placed.ts.replace('.', '')}"


async def _is_in(parts: Parts, channel: str, user: str) -> bool:
    """Whether Slack lists this person in that room; not where nobody can tell."""
    try:
        members = await pages(
            parts.client,
            "conversations.members",
            key="members",
            limit=_LOOKED_THROUGH,
            most=_LOOKED_THROUGH,
            channel=channel,
        )
    except SlackUnavailable as error:
        log.info("no link is given, for room %s could not be looked up: %s", channel, error)
        return False
    return user in (members or ())


async def _note(parts: Parts, found: Judged, reached: Owners, job: str) -> None:
    await parts.record.audit.note(
        tenant=parts.tenant,
        who=found.proved.principal,
        what="ask-owners",
        about=(found.stored.id, *reached.found),
        once=job,
    )


async def tell(parts: Parts, pressed: Pressed, rendered: Rendered) -> None:
    """Tell the presser; the address of the button may have grown old while we were away."""
    try:
        await answer(parts, pressed, rendered)
    except SlackUnavailable as error:
        log.info("a presser could not be told: %s", error)
