"""The JSON API with which a page or a script drives the workspace.

Every answer is HTTP 200 with ``ok``; a refusal is ``{"ok": false, "error": …}``
in Slack's words. People and channels are named by short name or by id.
"""

from collections.abc import Awaitable, Callable

from aiohttp import web

from .errors import SlackError
from .events import emit
from .files import new_file
from .messages import delete, edit, find_message, person_message, post, seen
from .state import Json
from .text import encode
from .webapi import decode
from .webapi_views import shown, top_view
from .workspace import Workspace, check_member, find_channel, find_user, visible_channels

Call = Callable[[Workspace, Json], Json]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def answering(workspace: Workspace, call: Call) -> Handler:
    """An HTTP handler that answers with what ``call`` returns or refuses."""

    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            args = await decode(request)
            answer = {"ok": True, **call(workspace, args)}
        except SlackError as error:
            answer = error.answer()
        await workspace.state.save()
        return web.json_response(answer)

    return handle


def who(workspace: Workspace, args: Json, key: str = "user") -> Json:
    """The person acting. Raises user_not_found."""
    user = find_user(workspace, args.get(key))
    if user["deleted"]:
        raise SlackError("account_inactive")
    return user


def where(workspace: Workspace, args: Json, user: str | None) -> Json:
    return find_channel(workspace, args.get("channel"), user=user)


def writable(workspace: Workspace, args: Json, user: str) -> Json:
    """A channel a person may write to. Raises Slack's refusals."""
    channel = where(workspace, args, user)
    check_member(channel, user)
    if channel["is_archived"]:
        raise SlackError("is_archived")
    return channel


def say(workspace: Workspace, args: Json) -> Json:
    """``{user, channel, text, thread_ts?, files?}`` → ``{ts, channel}``."""
    user = who(workspace, args)["id"]
    channel = writable(workspace, args, user)
    text = str(args.get("text") or "")
    files = [new_file(workspace, user, item) for item in args.get("files") or []]
    if not text.strip() and not files:
        raise SlackError("no_text")
    if len(text) > 40_000:
        raise SlackError("msg_too_long")
    thread_ts = str(args["thread_ts"]) if args.get("thread_ts") else None
    message = person_message(workspace, channel, user=user, typed=text, thread_ts=thread_ts)
    if files:
        message |= {"subtype": "file_share", "files": files, "upload": False}
    return {"ts": post(workspace, channel, message)["ts"], "channel": channel["id"]}


def edit_message(workspace: Workspace, args: Json) -> Json:
    """``{user, channel, ts, text}``: a person edits their own message."""
    user = who(workspace, args)["id"]
    channel = writable(workspace, args, user)
    old = _own(workspace, channel, args, user, "cant_update_message")
    text, elements = encode(workspace, str(args.get("text") or ""))
    if not text.strip():
        raise SlackError("no_text")
    block = old["blocks"][0] | {"elements": [{"type": "rich_text_section", "elements": elements}]}
    changes = {"text": text, "blocks": [block]}
    return {"ts": edit(workspace, channel, old, changes=changes, editor=user)["ts"]}


def delete_message(workspace: Workspace, args: Json) -> Json:
    """``{user, channel, ts}``: a person deletes their own message."""
    user = who(workspace, args)["id"]
    channel = writable(workspace, args, user)
    old = _own(workspace, channel, args, user, "cant_delete_message")
    delete(workspace, channel, old)
    return {"ts": old["ts"]}


def _own(workspace: Workspace, channel: Json, args: Json, user: str, refusal: str) -> Json:
    message = find_message(workspace, channel, args.get("ts"))
    if message["user"] != user:
        raise SlackError(refusal)
    return message


def messages(workspace: Workspace, args: Json) -> Json:
    """``?channel=&thread_ts=&as=`` → what that person sees, oldest first.

    Outside a public channel a person sees only what was whispered to them; a
    private one does not exist for them. Without ``as`` nothing private shows.
    """
    user = who(workspace, args, "as")["id"] if args.get("as") else None
    channel = where(workspace, args, user)
    if channel["is_private"] and user is not None:
        check_member(channel, user)
    thread_ts = str(args["thread_ts"]) if args.get("thread_ts") else None
    rows = seen(workspace, channel, user=user, thread_ts=thread_ts)
    status = workspace.state.get("status", f"{channel['id']}:{thread_ts}")
    return {"messages": rows, "channel": channel["id"], "status": status and status["text"]}


def modal(workspace: Workspace, args: Json) -> Json:
    """``?as=`` → ``{view}``: the modal that person looks at, or null."""
    view = top_view(workspace, who(workspace, args, "as")["id"])
    return {"view": view and shown(view)}


def home(workspace: Workspace, args: Json) -> Json:
    """``?as=`` → ``{view}``: that person's App Home, or null."""
    row = workspace.state.get("home", who(workspace, args, "as")["id"])
    view = workspace.state.get("view", row["view"]) if row else None
    return {"view": view and shown(view)}


def open_home(workspace: Workspace, args: Json) -> Json:
    """``{user, tab: home|messages}``: tells the app somebody opened it."""
    user = who(workspace, args)["id"]
    channel = find_channel(workspace, "dm", user=user)
    tab = str(args.get("tab") or "home")
    view = home(workspace, {"as": user})["view"] if tab == "home" else None
    event = {
        "type": "app_home_opened",
        "user": user,
        "channel": channel["id"],
        "tab": tab,
        "event_ts": workspace.state.next_ts(),
    }
    emit(workspace, event | ({"view": view} if view else {}))
    return {"channel": channel["id"]}


def workspace_info(workspace: Workspace, args: Json) -> Json:
    """``?as=`` → team, app, people, and the channels that person sees."""
    user = who(workspace, args, "as")["id"] if args.get("as") else None
    people = list(workspace.state.rows("user").values())
    channels = visible_channels(workspace, user) if user else []
    if user and not any(row["is_im"] for row in channels):
        channels.append(find_channel(workspace, "dm", user=user))
    prompts = [workspace.state.get("prompts", row["id"]) for row in channels if row["is_im"]]
    described = workspace.description.model_dump()
    return {
        "team": described["team"],
        "other_teams": described["other_teams"],
        "app": described["app"],
        "suggestions": described["suggestions"],
        "users": people,
        "channels": channels,
        "prompts": prompts[0] if prompts else None,
    }


def calls(workspace: Workspace, args: Json) -> Json:
    """``?method=`` → every Web API call so far, in order."""
    wanted = args.get("method")
    rows = workspace.state.rows("call").values()
    return {"calls": [row for row in rows if not wanted or row["method"] == wanted]}


READS: dict[str, Call] = {
    "calls": calls,
    "home": home,
    "messages": messages,
    "modal": modal,
    "workspace": workspace_info,
}
WRITES: dict[str, Call] = {
    "say": say,
    "edit": edit_message,
    "delete": delete_message,
    "home": open_home,
}
