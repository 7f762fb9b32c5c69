"""Messages: direct ones, mentions seen as messages, thread replies, edits, deletions."""

from handlers import intent, payloads
from handlers.deps import Asked, Deps, RoomKind, What
from handlers.payloads import Payload


async def on_message(deps: Deps, payload: Payload) -> None:
    """Any `message` event."""
    listener = _SUBTYPES.get(str(payloads.event_of(payload).get("subtype")), _spoken)
    await listener(deps, payload)


async def _spoken(deps: Deps, payload: Payload) -> None:
    asked = payloads.asked(payload, payloads.event_of(payload))
    if asked is None:
        return
    if asked.mentioned or asked.room.kind is RoomKind.IM:
        await intent.put(deps, asked)
    elif asked.thread_ts:
        await _replied(deps, asked)


async def _replied(deps: Deps, asked: Asked) -> None:
    """People also talk to one another in our threads; the text alone does not say to whom."""
    if payloads.to_someone_else(asked):
        return
    if intent.wants_out(asked.question):
        await deps.cancel(asked)
    elif asked.question:
        await deps.reply(asked)


async def _changed(deps: Deps, payload: Payload) -> None:
    edited = payloads.edited(payload)
    if edited is not None:
        await deps.edit(edited)


async def _deleted(deps: Deps, payload: Payload) -> None:
    deleted = payloads.deleted(payload)
    if deleted is not None:
        await deps.withdraw(deleted)


async def _converted(deps: Deps, payload: Payload) -> None:
    """The channel is open to more people than before, or to fewer."""
    room = payloads.event_of(payload).get("channel")
    changed = payloads.changed(payload, What.ROOM, room)
    if changed is not None:
        await deps.changed(changed)


_SUBTYPES = {
    "channel_convert_to_private": _converted,
    "channel_convert_to_public": _converted,
    "message_changed": _changed,
    "message_deleted": _deleted,
}
