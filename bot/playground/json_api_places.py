"""The JSON API's people and places, which a test changes while running."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from .errors import SlackError
from .events import emit
from .files import content_of
from .json_api import Call
from .messages import channel_type, post
from .settings import Group, Person, Place
from .state import Json
from .tokens import knows
from .webapi import truthy
from .workspace import (
    Workspace,
    find_channel,
    find_user,
    make_id,
    put_channel,
    put_group,
    put_user,
)

_T = TypeVar("_T", bound=BaseModel)


def _described(model: type[_T], args: Json) -> _T:
    try:
        return model.model_validate(args)
    except ValidationError as error:
        raise SlackError("invalid_arguments", detail=str(error)) from error


def put_person(workspace: Workspace, args: Json) -> Json:
    """``Person`` fields: adds a person or changes one; the app gets user_change."""
    old = _existing(workspace, str(args.get("name")))
    person = _described(Person, {**old, **args})
    known = bool(old)
    user = put_user(workspace, person)
    kind = "user_change" if known else "team_join"
    stamp = workspace.state.next_ts()
    emit(workspace, {"type": kind, "user": user, "event_ts": stamp})
    return {"user": user}


def _existing(workspace: Workspace, name: str) -> Json:
    """The fields of a person as they are now, for a partial change."""
    for user in workspace.state.rows("user").values():
        if name in (user["name"], user["id"]):
            fields = {key: user[key] for key in Person.model_fields if key in user}
            fields |= {"name": user["name"], "title": user["profile"]["title"]}
            if user["team_id"] != workspace.team_id:
                fields["team"] = user["team_id"]
            if "email" in user["profile"]:
                fields["email"] = user["profile"]["email"]
            return fields
    return {}


def put_place(workspace: Workspace, args: Json) -> Json:
    """``Place`` fields: adds a channel, or archives, shares or renames one."""
    try:
        old = find_channel(workspace, args.get("id") or args.get("name"))
    except SlackError:
        place = _described(Place, args)
        ident = place.id or make_id("C", workspace.team_id, place.name)
        return {"channel": put_channel(workspace, place.model_copy(update={"id": ident}))}
    return {"channel": _change_place(workspace, old, args)}


def _change_place(workspace: Workspace, old: Json, args: Json) -> Json:
    fields: Json = {
        "id": old["id"],
        "name": old["name"],
        "topic": old["topic"]["value"],
        "is_private": old["is_private"],
        "is_archived": old["is_archived"],
        "shared_with": old["connected_team_ids"],
        "members": old["members"],
    }
    place = _described(Place, {**fields, **args, "id": old["id"]})
    if old["is_private"] and place.shared_with and not old["connected_team_ids"]:
        old = _renumbered(workspace, old)
    channel = put_channel(workspace, place.model_copy(update={"id": old["id"]}))
    stamp = workspace.state.next_ts()
    event: Json = {"channel": old["id"], "event_ts": stamp, "user": channel["creator"]}
    if channel["is_archived"] != old["is_archived"]:
        kind = "archive" if channel["is_archived"] else "unarchive"
        prefix = "group" if channel["is_private"] else "channel"
        emit(workspace, event | {"type": f"{prefix}_{kind}"}, channel=channel)
    _emit_sharing(workspace, event, old, channel)
    return channel


def _renumbered(workspace: Workspace, old: Json) -> Json:
    """Slack gives a private channel a new id for good when it is shared with another company."""
    state, before = workspace.state, old["id"]
    ident = make_id("C", workspace.team_id, f"{old['name']} shared")
    state.drop("channel", before)
    for kind in ("message", "ephemeral"):
        for ts, message in list(state.rows(f"{kind}:{before}").items()):
            state.put(f"{kind}:{ident}", ts, message)
            state.drop(f"{kind}:{before}", ts)
    channel = state.put("channel", ident, old | {"id": ident})
    renumbered: Json = {"type": "channel_id_changed", "event_ts": state.next_ts()}
    emit(workspace, renumbered | {"old_channel_id": before, "new_channel_id": ident})
    return channel


def _emit_sharing(workspace: Workspace, event: Json, old: Json, channel: Json) -> None:
    before, after = old["connected_team_ids"], channel["connected_team_ids"]
    for team in after:
        if team not in before:
            shared = {"type": "channel_shared", "connected_team_id": team}
            emit(workspace, event | shared, channel=channel)
    for team in before:
        if team not in after:
            unshared = {"type": "channel_unshared", "previously_connected_team_id": team}
            unshared |= {"is_ext_shared": channel["is_ext_shared"]}
            emit(workspace, event | unshared, channel=channel)


def put_usergroup(workspace: Workspace, args: Json) -> Json:
    """``Group`` fields: adds or replaces a user group."""
    described = _described(Group, args)
    old = _group_called(workspace, described)
    before = old["users"] if old else None
    ident = described.id or (old["id"] if old else None)
    group = put_group(workspace, described.model_copy(update={"id": ident}))
    if before is not None and before != group["users"]:
        emit(workspace, _members_changed(workspace, group, before))
    kind = "subteam_created" if before is None else "subteam_updated"
    stamp = workspace.state.next_ts()
    emit(workspace, {"type": kind, "subteam": group, "event_ts": stamp})
    return {"usergroup": group}


def _group_called(workspace: Workspace, group: Group) -> Json | None:
    rows = workspace.state.rows("usergroup").values()
    found = (row for row in rows if row["id"] == group.id or row["handle"] == group.handle)
    return next(found, None)


def _members_changed(workspace: Workspace, group: Json, before: list[str]) -> Json:
    after = group["users"]
    added = [user for user in after if user not in before]
    removed = [user for user in before if user not in after]
    return {
        "type": "subteam_members_changed",
        "subteam_id": group["id"],
        "team_id": workspace.team_id,
        "added_users": added,
        "added_users_count": len(added),
        "removed_users": removed,
        "removed_users_count": len(removed),
        "event_ts": workspace.state.next_ts(),
    }


def change_members(workspace: Workspace, args: Json) -> Json:
    """``{channel, user, action: join|leave, quiet?}``, with the events Slack sends.

    ``quiet``: as when Slack loses them.
    """
    channel = find_channel(workspace, args.get("channel"))
    user = find_user(workspace, args.get("user"))
    leaving = args.get("action") == "leave" or truthy(args.get("remove"))
    if leaving == (user["id"] not in channel["members"]):
        raise SlackError("not_in_channel" if leaving else "already_in_channel")
    if truthy(args.get("quiet")):
        _put_members(workspace, channel, user, leaving=leaving)
    elif leaving:
        _leave(workspace, channel, user)
    else:
        _join(workspace, channel, user)
    row = workspace.state.rows("channel")[channel["id"]]
    return {"channel": channel["id"], "members": row["members"]}


def _put_members(workspace: Workspace, channel: Json, user: Json, *, leaving: bool) -> Json:
    rest = [ident for ident in channel["members"] if ident != user["id"]]
    row = channel | {"members": rest if leaving else [*rest, user["id"]]}
    return workspace.state.put("channel", channel["id"], row)


def _join(workspace: Workspace, channel: Json, user: Json) -> None:
    row = _put_members(workspace, channel, user, leaving=False)
    event = _membership(workspace, "member_joined_channel", row, user)
    emit(workspace, event, channel=row)
    _notice(workspace, row, user, "joined")


def _leave(workspace: Workspace, channel: Json, user: Json) -> None:
    event = _membership(workspace, "member_left_channel", channel, user)
    row = _put_members(workspace, channel, user, leaving=True)
    if user["id"] == workspace.bot_user:
        prefix = "group" if channel["is_private"] else "channel"
        gone = {"type": f"{prefix}_left", "channel": channel["id"], "event_ts": event["event_ts"]}
        emit(workspace, gone)
    else:
        emit(workspace, event, channel=row)
        _notice(workspace, row, user, "left")


def _membership(workspace: Workspace, kind: str, channel: Json, user: Json) -> Json:
    return {
        "type": kind,
        "user": user["id"],
        "channel": channel["id"],
        "channel_type": "G" if channel["is_private"] else "C",
        "team": user["team_id"],
        "event_ts": workspace.state.next_ts(),
    }


def _notice(workspace: Workspace, channel: Json, user: Json, verb: str) -> None:
    prefix = "group" if channel_type(channel) == "group" else "channel"
    suffix = "join" if verb == "joined" else "leave"
    row = {
        "type": "message",
        "subtype": f"{prefix}_{suffix}",
        "user": user["id"],
        "team": user["team_id"],
        "text": f"<@{user['id']}> has {verb} the {prefix}",
    }
    post(workspace, channel, row)


def serving_file(
    workspace: Workspace,
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """A file's content, to the app's token only."""

    async def handle(request: web.Request) -> web.StreamResponse:
        row = workspace.state.get("file", request.match_info["file"])
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if row is None or not knows(workspace, sent):
            return web.json_response({"ok": False, "error": "file_not_found"}, status=404)
        return web.Response(body=content_of(row), content_type=row["mimetype"])

    return handle


READS: dict[str, Call] = {}
WRITES: dict[str, Call] = {
    "channels": put_place,
    "members": change_members,
    "usergroups": put_usergroup,
    "users": put_person,
}
