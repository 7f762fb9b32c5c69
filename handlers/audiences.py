"""Who reads along has changed: nobody asks anything, and answers may have to go."""

from collections.abc import Mapping
from typing import Any

from handlers import payloads
from handlers.deps import Deps, What
from handlers.payloads import Payload

_LESSENED = ("deleted", "is_restricted", "is_ultra_restricted", "is_stranger")


async def on_room(deps: Deps, payload: Payload) -> None:
    """Somebody joined or left a channel, or it is shared with others than before."""
    await _changed(deps, payload, What.ROOM, payloads.event_of(payload).get("channel"))


async def on_renumbered(deps: Deps, payload: Payload) -> None:
    """A private channel is shared with another company, and has a new id from then on."""
    event = payloads.event_of(payload)
    changed = payloads.changed(payload, What.ROOM, event.get("new_channel_id"))
    old = payloads.as_text(event.get("old_channel_id"))
    if changed is not None and old:
        await deps.changed(changed.model_copy(update={"was": old}))


async def on_group(deps: Deps, payload: Payload) -> None:
    """A user group has other members, or is there no more."""
    event = payloads.event_of(payload)
    group = event.get("subteam")
    named = group.get("id") if isinstance(group, Mapping) else event.get("subteam_id")
    await _changed(deps, payload, What.GROUP, named)


async def on_person(deps: Deps, payload: Payload) -> None:
    """A person is another than before.

    Slack tells of every new status text too. Only who is no full member can read less, so
    all others are left alone: what a new full member may read is known a minute later.
    """
    user = payloads.event_of(payload).get("user")
    if isinstance(user, Mapping) and (_is_lessened(user) or _is_foreign(payload, user)):
        await _changed(deps, payload, What.PERSON, user.get("id"))


def _is_lessened(user: Mapping[str, Any]) -> bool:
    return any(user.get(flag) for flag in _LESSENED)


def _is_foreign(payload: Payload, user: Mapping[str, Any]) -> bool:
    return user.get("team_id") != payloads.event_sender(payload, {}).team_id


async def _changed(deps: Deps, payload: Payload, what: What, about: object) -> None:
    changed = payloads.changed(payload, what, about)
    if changed is not None:
        await deps.changed(changed)
