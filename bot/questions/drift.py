"""An answer that somebody reads who may not read its sources is taken back.

Its audience changes after it was shown: somebody joins, a channel becomes shared, a
source loses readers, a member becomes a guest. Each such change is stored, so that every
process lets go of what it kept, and whoever takes it looks at the messages it touches.
What Slack cannot say counts as no: at once where the look does not depend on it, after
`PATIENCE_SECONDS` where a later try may still tell.
"""

import logging
from collections.abc import Iterable
from functools import partial
from itertools import groupby

from bot.audience import (
    Change,
    ChangeKind,
    collective_readers,
    may_read,
    room_may_see,
)
from bot.delivery import ANSWER
from bot.errors import SlackRefused, SlackUnavailable
from bot.parts import Parts
from bot.record import OURSELVES, Audience, Delivery, DeliveryState, Showing
from bot.slack.client import CLOSED
from bot.slack.identity import user_of
from handlers.blocks import notes
from handlers.blocks.texts import language_of
from handlers.deps import Changed
from rag.errors import UnknownTask
from rag.values import Source, SourceStatus

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 60.0
"""How long after a change a look-up that fails may be tried again."""

_GONE = "message_not_found"


class _Another(Exception):
    """The message shows another task's answer by now."""


async def on_changed(parts: Parts, ident: str, changed: Changed) -> None:
    """Slack says who reads what has changed. Raises `StoreUnavailable`."""
    own = parts.installation.team_id  # that of a whole Grid names no team
    if own and changed.team_id not in ("", own):
        log.info("change %s is another workspace's", ident)
        return
    kind = ChangeKind(changed.what.value)
    home = parts.installation.home
    change = Change(id=ident, kind=kind, about=changed.about, at=parts.now(), home=home)
    if changed.was:
        await parts.record.shown.renumber(tenant=parts.tenant, room=changed.was, to=changed.about)
    await parts.record.changes.note(change, tenant=parts.tenant)
    await look(parts, change)


async def look(parts: Parts, change: Change) -> None:
    """Take back what the change leaves to wrong eyes; what cannot be done is looked at again.

    Raises `StoreUnavailable`.
    """
    patient = (parts.now() - change.at).total_seconds() < PATIENCE_SECONDS
    because = f"{change.kind.value}:{change.about}"
    sure = True
    for audience, seen in _by_audience(await _touched(parts, change)):
        if audience.home != parts.installation.home:
            await _hand_on(parts, change, audience.home)
            continue
        sure &= await review(parts, audience, seen, because=because, patient=patient)
    if sure:
        await parts.record.changes.looked(change, tenant=parts.tenant)
    else:
        log.warning("change %s is looked at again: not all of it could be done", change.id)


async def _hand_on(parts: Parts, change: Change, home: str) -> None:
    """Leave it to another installation of the tenant's, whose room alone can say who reads."""
    theirs = change.model_copy(update={"id": f"{change.id}:{home}", "home": home})
    await parts.record.changes.hand_on(theirs, tenant=parts.tenant)


async def _touched(parts: Parts, change: Change) -> tuple[Showing, ...]:
    """What is shown that the change may matter to."""
    shown, tenant, home = parts.record.shown, parts.tenant, parts.installation.home
    if change.kind is ChangeKind.SOURCE:
        return await shown.of_source(tenant=tenant, source=change.about)
    if change.kind is ChangeKind.ROOM:
        return await shown.in_room(tenant=tenant, home=home, room=change.about)
    if change.kind is ChangeKind.GROUP:
        return await shown.of_group(tenant=tenant, home=home, group=change.about)
    audiences = await shown.audiences(tenant=tenant, home=home)
    theirs = [one for one in audiences if one.room or _is_of(one.principal, change.about)]
    found = [await shown.seen_by(audience, tenant=tenant) for audience in theirs]
    return tuple(showing for seen in found for showing in seen)


def _is_of(principal: str, user: str) -> bool:
    named = user_of(principal)
    return named is not None and named[1] == user


def _by_audience(found: Iterable[Showing]) -> list[tuple[Audience, tuple[Showing, ...]]]:
    def key(showing: Showing) -> tuple[str, str, str]:
        audience = showing.audience
        return audience.home, audience.room or "", audience.principal

    groups = groupby(sorted(found, key=key), key=key)
    seen = [tuple(group) for _, group in groups]
    return [(group[0].audience, group) for group in seen]


async def review(
    parts: Parts,
    audience: Audience,
    seen: Iterable[Showing],
    *,
    because: str,
    patient: bool,
) -> bool:
    """Take back what this audience may not read; False where a later look is due.

    Where ``patient``, what cannot be looked up is left for then; otherwise it counts as no.
    A message that Slack does not let go now keeps no other one waiting.
    """
    shown = tuple(seen)
    lost, unsure = await lost_to(parts, audience, {showing.source for showing in shown})
    if not patient:
        lost, unsure = lost | unsure, frozenset()
    for task, showings in groupby(shown, key=lambda showing: showing.task):
        hidden = [showing for showing in showings if showing.source in lost]
        if not hidden:
            continue
        try:
            await withdraw(parts, hidden, because=because)
        except SlackUnavailable as error:
            log.warning("the answer of task %s is withdrawn later: %s", task, error)
            unsure |= {showing.source for showing in hidden}
        else:
            log.info("the answer of task %s was withdrawn", task)
    return not unsure


async def lost_to(
    parts: Parts, audience: Audience, ids: Iterable[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Which of these sources the audience may not read, and of which nobody can say."""
    wanted = sorted(ids)
    found = await parts.record.sources.get(tenant=parts.tenant, source_ids=wanted)
    live = [source for source in found if source.status is not SourceStatus.WITHDRAWN]
    seen, known = await _seen(parts, audience, live)
    gone = frozenset(wanted) - {source.id for source in live}
    unseen = frozenset(source.id for source in live) - seen
    return (gone | unseen, frozenset()) if known else (gone, unseen)


async def _seen(
    parts: Parts, audience: Audience, sources: list[Source]
) -> tuple[frozenset[str], bool]:
    """Which of the sources the audience may read, and whether all could be looked up."""
    tenant, names = parts.tenant, collective_readers(sources)
    if audience.room is None:
        member = await parts.directory.member(
            tenant=tenant, principal=audience.principal, readers=names
        )
        return frozenset(s.id for s in sources if may_read(s, member)), member.known
    room = await parts.directory.room(tenant=tenant, channel=audience.room, readers=names)
    return frozenset(s.id for s in sources if room_may_see(s, room)), room.known


async def withdraw(parts: Parts, hidden: list[Showing], *, because: str) -> None:
    """Let a message show the neutral note in place of these. Raises `SlackUnavailable`."""
    showing, sources = hidden[0], [showing.source for showing in hidden]
    try:
        await _replace(parts, showing)
    except _Another:
        await parts.record.shown.end(tenant=parts.tenant, task=showing.task)
    except SlackRefused as refused:
        if refused.code not in CLOSED:
            raise
        log.warning("the answer of task %s cannot be withdrawn: %s", showing.task, refused.code)
        await _note(parts, "withdrawal-refused", showing, [because, *sources])
    else:
        await note_withdrawn(parts, showing, sources, because=because)
        await parts.record.tasks.settle(tenant=parts.tenant, task=showing.task)


async def note_withdrawn(
    parts: Parts, message: Showing | Delivery, sources: Iterable[str], *, because: str
) -> None:
    """Write down that a task's message shows these sources no more."""
    await _note(parts, "answer-withdrawn", message, [because, *sorted(sources)])
    await parts.record.shown.end(tenant=parts.tenant, task=message.task)


async def _note(parts: Parts, what: str, message: Showing | Delivery, about: list[str]) -> None:
    await parts.record.audit.note(
        tenant=parts.tenant,
        who=OURSELVES,
        what=what,
        about=[message.task, message.channel, *about],
        once=f"{message.task}:{message.ts}",
    )


async def _replace(parts: Parts, showing: Showing) -> None:
    """Raises `_Another`, `SlackRefused` where the message can be neither changed nor deleted."""
    place = {"channel": showing.channel, "ts": showing.ts}
    rendered = notes.withdrawn(language=await _language(parts, showing))
    hold = partial(_still_theirs, parts, showing)
    try:
        await parts.poster.update(**place, rendered=rendered, hold=hold)
    except SlackRefused as refused:
        if refused.code in CLOSED and refused.code != _GONE:
            await parts.poster.delete(**place)
        elif refused.code != _GONE:
            raise


async def _still_theirs(parts: Parts, showing: Showing) -> None:
    standing = await parts.record.deliveries.by_message(
        tenant=parts.tenant, channel=showing.channel, ts=showing.ts
    )
    answers = [delivery for delivery in standing if delivery.kind == ANSWER]
    newest = max(answers, key=lambda delivery: (delivery.at, delivery.task), default=None)
    if newest is None or newest.task != showing.task or newest.state is not DeliveryState.UPDATED:
        raise _Another


async def _language(parts: Parts, showing: Showing) -> str:
    try:
        stored = await parts.record.tasks.get(tenant=parts.tenant, task=showing.task)
    except UnknownTask:
        return "en"
    return language_of(stored.request.question)
