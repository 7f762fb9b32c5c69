"""Messages: direct ones, mentions seen as messages, thread replies, edits, deletions."""

from handlers import intent, payloads
from handlers.deps import Asked, Deps, RoomKind
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


_SUBTYPES = {"message_changed": _changed, "message_deleted": _deleted}
