"""What owners were shown is taken back from those who may not read it any more."""

import logging
from itertools import groupby

from bot.errors import SlackRefused
from bot.owners.handing_off import kind_for, to_owner
from bot.owners.owners import report_of
from bot.parts import Parts
from bot.questions import drift
from bot.questions.asking import stored_task
from bot.questions.drift import lost_to
from bot.record import OURSELVES, Audience, Handoff
from bot.slack.client import CLOSED
from handlers.deps import Changed

log = logging.getLogger(__name__)


async def on_changed(parts: Parts, ident: str, changed: Changed) -> None:
    """Who reads what has changed: first the answers, then what owners were shown.

    Raises `SlackUnavailable`, `StoreUnavailable`.
    """
    await drift.on_changed(parts, ident, changed)
    await review(parts, patient=True)


async def review(parts: Parts, *, patient: bool) -> bool:
    """Take back every quote from an owner who may not read its source; whether all was decided.

    Where ``patient``, what cannot be looked up is left for a later look; otherwise it
    counts as no. Raises `SlackUnavailable`, `StoreUnavailable`.
    """
    sure = True
    quoting = await parts.record.handoffs.quoting(tenant=parts.tenant)
    for owner, handoffs in groupby(quoting, key=lambda handoff: handoff.owner):
        if not parts.looks_after(owner):  # another of the tenant's installations does
            continue
        theirs = tuple(handoffs)
        wanted = {source for handoff in theirs for source in handoff.quoted}
        audience = Audience(home=parts.installation.home, principal=owner)
        lost, unsure = await lost_to(parts, audience, wanted)
        sure &= not unsure
        hidden = lost if patient else lost | unsure
        for handoff in theirs:
            if hidden.intersection(handoff.quoted):
                await _take_back(parts, handoff, hidden)
    return sure


async def _take_back(parts: Parts, handoff: Handoff, hidden: frozenset[str]) -> None:
    """Let the owner's message show the rest alone."""
    named = {"tenant": parts.tenant, "task": handoff.task}
    sent = await parts.record.deliveries.get(**named, kind=kind_for(handoff.owner))
    stored = await stored_task(parts, handoff.task)
    report = await report_of(parts, handoff.task)
    still = frozenset(handoff.quoted) - hidden
    if sent and sent.ts and stored and report:
        shown = await to_owner(parts, stored, report, owner=handoff.owner, allowed=still)
        try:
            await parts.poster.update(channel=sent.channel, ts=sent.ts, rendered=shown)
        except SlackRefused as refused:
            if refused.code not in CLOSED:
                raise
            log.warning("a quote of task %s cannot be taken back: %s", stored.id, refused.code)
    gone = sorted(hidden.intersection(handoff.quoted))
    await parts.record.audit.note(
        tenant=parts.tenant,
        who=OURSELVES,
        what="quote-withdrawn",
        about=(handoff.task, handoff.owner, *gone),
    )
    await parts.record.handoffs.quote(**named, owner=handoff.owner, sources=still)
