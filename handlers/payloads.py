"""Slack's payloads as values. Nothing here decides; nothing here trusts.

A `Payload` is the body as Bolt hands it over, with our own user id. Fields that
are missing, null or of the wrong type become empty: a listener then drops the
payload instead of failing on it for ever.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from handlers.deps import (
    Asked,
    Changed,
    Commanded,
    Deleted,
    Edited,
    HomeOpened,
    Pressed,
    Room,
    RoomKind,
    Sender,
    ViewRef,
    What,
)
from handlers.written import written

_HUMAN_SUBTYPES = {None, "", "thread_broadcast", "file_share", "me_message"}
_ENTITY = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_SLACK_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


@dataclass(frozen=True, kw_only=True)
class Payload:
    """One request from Slack; ``app_user_id`` is the id we are mentioned by."""

    body: Mapping[str, Any]
    app_user_id: str = ""


def as_text(found: object) -> str:
    """A string that every store can keep: no lone surrogate, no NUL."""
    if not isinstance(found, str):
        return ""
    return found.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")


def as_map(found: object) -> Mapping[str, Any]:
    """A mapping, empty where there is none."""
    return found if isinstance(found, Mapping) else {}


def _first(found: object) -> Mapping[str, Any]:
    return as_map(found[0]) if isinstance(found, list) and found else {}


def _distinct(found: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for item in found if isinstance(item, str) and item))


def event_of(payload: Payload) -> Mapping[str, Any]:
    """The inner event."""
    return as_map(payload.body.get("event"))


def _own_id(payload: Payload) -> str:
    authorization = _first(payload.body.get("authorizations"))
    named = as_text(authorization.get("user_id")) if authorization.get("is_bot") else ""
    return named or payload.app_user_id


def event_sender(payload: Payload, message: Mapping[str, Any]) -> Sender:
    """Who wrote ``message``, and the installation Slack delivered it to.

    ``authorizations[0]`` alone names the installation: with shared channels each
    of the outer ``team_id``, ``context_team_id`` and ``event.team`` is wrong in
    some real payloads.
    """
    authorization = _first(payload.body.get("authorizations"))
    profile = as_map(message.get("user_profile"))
    named = ("user_team", "source_team", "team")
    return Sender(
        team_id=as_text(authorization.get("team_id")),
        enterprise_id=as_text(authorization.get("enterprise_id")),
        enterprise_install=authorization.get("is_enterprise_install") is True,
        app_user_id=_own_id(payload),
        user_id=as_text(message.get("user")),
        homes=_distinct([*(message.get(key) for key in named), profile.get("team")]),
    )


def _kind(named: object) -> RoomKind | None:
    return next((kind for kind in RoomKind if kind == named), None)


def event_room(payload: Payload) -> Room:
    """Where the event happened."""
    event = event_of(payload)
    return Room(
        channel=as_text(event.get("channel")),
        kind=_kind(event.get("channel_type")),
        shared=payload.body.get("is_ext_shared_channel") is True,
    )


def plain(text: str, *, without: str = "") -> str:
    """Slack's encoded ``text`` as a person wrote it, mentions of ``without`` left out.

    Half a character, which no store can hold, becomes U+FFFD.
    """

    def written(match: re.Match[str]) -> str:
        sign, target, label = match.group(1), match.group(2), match.group(3) or ""
        if sign == "@" and target == without:
            return " "
        if sign == "!":
            return label or "@" + target.split("^")[0]
        if sign:
            return sign + (label or target).removeprefix(sign)
        return label or target

    shown = _ENTITY.sub(written, text)
    for escaped, character in _SLACK_ESCAPES:
        shown = shown.replace(escaped, character)
    whole = shown.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\u00a0", " ").strip(" \t\r\n,，:：")


def mentions(text: str, user_id: str) -> bool:
    """Whether Slack's encoded ``text`` holds a mention of ``user_id``."""
    found = (match for match in _ENTITY.finditer(text) if match.group(1) == "@")
    return bool(user_id) and any(match.group(2) == user_id for match in found)


def to_someone_else(asked: Asked) -> bool:
    """Whether a message opens by addressing another person."""
    opening = _ENTITY.match(asked.text.lstrip())
    return bool(opening and opening.group(1) == "@" and not asked.mentioned)


def by_a_person(message: Mapping[str, Any], sender: Sender) -> bool:
    """Whether a human being typed this message: no bot, no join, not ourselves."""
    if message.get("bot_id") or message.get("bot_profile") or message.get("hidden"):
        return False
    if message.get("subtype") not in _HUMAN_SUBTYPES:
        return False
    return bool(sender.user_id and message.get("ts")) and sender.user_id != sender.app_user_id


def asked(payload: Payload, message: Mapping[str, Any]) -> Asked | None:
    """``message`` as a value; None when no person wrote it or it has no place."""
    sender, room = event_sender(payload, message), event_room(payload)
    if not room.channel or not by_a_person(message, sender):
        return None
    text = as_text(message.get("text")) or as_text(written(message.get("blocks")))
    files, ts = message.get("files"), as_text(message.get("ts"))
    thread_ts = as_text(message.get("thread_ts"))
    return Asked(
        sender=sender,
        room=room,
        ts=ts,
        thread_ts=thread_ts if thread_ts and thread_ts != ts else None,
        text=text,
        question=plain(text, without=sender.app_user_id),
        mentioned=mentions(text, sender.app_user_id),
        files=len(files) if isinstance(files, list) else 0,
        event_id=as_text(payload.body.get("event_id")),
    )


def edited(payload: Payload) -> Edited | None:
    """A change of a person's words. Unfurls and reactions change a message, not its words."""
    event = event_of(payload)
    message, previous = as_map(event.get("message")), as_map(event.get("previous_message"))
    now = asked(payload, message)
    if now is None or now.text == as_text(previous.get("text")):
        return None
    before = plain(as_text(previous.get("text")), without=now.sender.app_user_id)
    return Edited(asked=now, previous_question=before) if before != now.question else None


def deleted(payload: Payload) -> Deleted | None:
    """A deleted message that was not a bot's."""
    event = event_of(payload)
    previous = as_map(event.get("previous_message"))
    sender, room = event_sender(payload, previous), event_room(payload)
    ts = as_text(event.get("deleted_ts")) or as_text(previous.get("ts"))
    if not (ts and room.channel) or previous.get("bot_id") or sender.user_id == sender.app_user_id:
        return None
    thread_ts = as_text(previous.get("thread_ts"))
    return Deleted(
        sender=sender,
        room=room,
        ts=ts,
        thread_ts=thread_ts if thread_ts and thread_ts != ts else None,
    )


def home_opened(payload: Payload) -> HomeOpened:
    """Someone opened one of our tabs."""
    event = event_of(payload)
    return HomeOpened(
        sender=event_sender(payload, event),
        channel=as_text(event.get("channel")),
        event_id=as_text(payload.body.get("event_id")),
    )


def changed(payload: Payload, what: What, about: object) -> Changed | None:
    """Something that people read by has changed; None where Slack does not say which."""
    if not isinstance(about, str) or not about:
        return None
    event = event_of(payload)
    return Changed(
        team_id=event_sender(payload, event).team_id,
        what=what,
        about=as_text(about),
        at=as_text(event.get("event_ts")) or as_text(event.get("ts")),
        event_id=as_text(payload.body.get("event_id")),
    )


_COMMAND_ROOMS = {"directmessage": RoomKind.IM, "privategroup": RoomKind.GROUP}


def commanded(payload: Payload) -> Commanded:
    """A slash command. A channel's name says its kind only for the private ones."""
    body = payload.body
    name = as_text(body.get("channel_name"))
    channel = as_text(body.get("channel_id"))
    kind = RoomKind.MPIM if name.startswith("mpdm-") else _COMMAND_ROOMS.get(name)
    if kind is RoomKind.IM and not channel.startswith("D"):
        kind = None  # a channel may be called like that
    return Commanded(
        sender=Sender(
            team_id=as_text(body.get("team_id")),
            enterprise_id=as_text(body.get("enterprise_id")),
            enterprise_install=str(body.get("is_enterprise_install")).lower() == "true",
            app_user_id=payload.app_user_id,
            user_id=as_text(body.get("user_id")),
        ),
        room=Room(channel=channel, kind=kind),
        text=plain(as_text(body.get("text")), without=payload.app_user_id),
        trigger_id=as_text(body.get("trigger_id")),
        response_url=as_text(body.get("response_url")),
    )


def presser(payload: Payload) -> Sender:
    """Whoever pressed a button or sent a form off, and the installation whose it is."""
    body, view = payload.body, as_map(payload.body.get("view"))
    user, team = as_map(body.get("user")), as_map(body.get("team"))
    installed = (view.get("app_installed_team_id"), team.get("id"))
    return Sender(
        team_id=next((found for found in installed if isinstance(found, str) and found), ""),
        enterprise_id=as_text(as_map(body.get("enterprise")).get("id"))
        or as_text(team.get("enterprise_id")),
        enterprise_install=body.get("is_enterprise_install") is True,
        app_user_id=payload.app_user_id,
        user_id=as_text(user.get("id")),
        homes=_distinct([user.get("team_id")]),
    )


def pressed(payload: Payload) -> Pressed:
    """A pressed button, wherever it stands."""
    body, action = payload.body, _first(payload.body.get("actions"))
    container, view = as_map(body.get("container")), as_map(body.get("view"))
    channel = as_text(as_map(body.get("channel")).get("id")) or as_text(container.get("channel_id"))
    opened = ViewRef(id=as_text(view.get("id")), hash=as_text(view.get("hash")))
    return Pressed(
        sender=presser(payload),
        room=Room(channel=channel),
        message_ts=as_text(container.get("message_ts")),
        thread_ts=as_text(container.get("thread_ts")) or None,
        ephemeral=container.get("is_ephemeral") is True,
        value=as_text(action.get("value"))
        or as_text(as_map(action.get("selected_option")).get("value")),
        action_ts=as_text(action.get("action_ts")),
        trigger_id=as_text(body.get("trigger_id")),
        response_url=as_text(body.get("response_url")),
        view=opened if opened.id else None,
    )


def shown_text(payload: Payload) -> str:
    """The notification text of the message a button stands in: tells its language."""
    return as_text(as_map(payload.body.get("message")).get("text"))


def button_text(payload: Payload) -> str:
    """The words on the pressed button: tell its language where there is no message."""
    return as_text(as_map(_first(payload.body.get("actions")).get("text")).get("text"))
