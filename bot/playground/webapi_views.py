"""``views.*`` and ``assistant.threads.*``.

A view is a row of kind ``view``; a person's open modals are a row of kind
``modal`` holding the ids from the bottom up; an App Home is a row of kind
``home`` holding one id.
"""

import hashlib
import json
import time

from .errors import SlackError
from .limits import check_view, report
from .limits import message_problems as block_message_problems
from .messages import find_message, with_ids
from .state import Json
from .webapi import Method
from .workspace import Workspace, find_channel, find_user, token

_MAX_STACK = 3
_COPIED = ("callback_id", "private_metadata", "external_id", "title", "close", "submit")


def spend_trigger(workspace: Workspace, ident: object) -> Json:
    """The context a trigger id stands for, once.

    Raises invalid_trigger_id, exchanged_trigger_id or expired_trigger_id.
    """
    trigger = workspace.triggers.get(str(ident))
    if trigger is None:
        raise SlackError("invalid_trigger_id")
    if trigger["used"]:
        raise SlackError("exchanged_trigger_id")
    if time.time() - trigger["at"] > workspace.settings.trigger_seconds:
        raise SlackError("expired_trigger_id")
    trigger["used"] = True
    return trigger


def _hash(body: Json) -> str:
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return f"{time.time():.6f}.{digest[:8]}"


def _filled(workspace: Workspace, view: Json, ident: str) -> Json:
    row: Json = {key: view.get(key) or "" for key in _COPIED}
    for key in ("title", "close", "submit"):
        row[key] = view.get(key)
    row |= {
        "id": ident,
        "team_id": workspace.team_id,
        "type": view["type"],
        "blocks": with_ids(view["blocks"]),
        "state": {"values": {}},
        "hash": _hash(view),
        "clear_on_close": bool(view.get("clear_on_close")),
        "notify_on_close": bool(view.get("notify_on_close")),
        "submit_disabled": bool(view.get("submit_disabled")),
        "previous_view_id": None,
        "root_view_id": ident,
        "app_id": workspace.description.app.id,
        "app_installed_team_id": workspace.team_id,
        "bot_id": workspace.description.app.bot_id,
    }
    return row


def stack(workspace: Workspace, user: str) -> list[str]:
    return list((workspace.state.get("modal", user) or {"views": []})["views"])


def set_stack(workspace: Workspace, user: str, views: list[str]) -> None:
    if views:
        workspace.state.put("modal", user, {"views": views})
    else:
        workspace.state.drop("modal", user)


def top_view(workspace: Workspace, user: str) -> Json | None:
    """The modal a person is looking at."""
    views = stack(workspace, user)
    return workspace.state.get("view", views[-1]) if views else None


def push_view(workspace: Workspace, user: str, view: Json, *, below: list[str]) -> Json:
    """Opens a view on top of ``below``. Raises push_limit_reached."""
    if len(below) >= _MAX_STACK:
        raise SlackError("push_limit_reached")
    check_view(view, surface="modal")
    row = _filled(workspace, view, f"V{token(10).upper()}")
    if below:
        row |= {"previous_view_id": below[-1], "root_view_id": below[0]}
    workspace.state.put("view", row["id"], row | {"user": user})
    set_stack(workspace, user, [*below, row["id"]])
    return row


def replace_view(workspace: Workspace, old: Json, view: Json, *, surface: str = "modal") -> Json:
    """The new content of a view under its old id."""
    check_view(view, surface=surface)
    row = _filled(workspace, view, old["id"])
    kept = ("previous_view_id", "root_view_id", "user")
    row |= {key: old[key] for key in kept if key in old}
    workspace.state.put("view", row["id"], row)
    user = str(old["user"])
    if surface == "modal":
        set_stack(workspace, user, stack(workspace, user))
    return row


def shown(row: Json) -> Json:
    return {key: value for key, value in row.items() if key != "user"}


def _argument(args: Json) -> Json:
    view = args.get("view")
    if not isinstance(view, dict):
        raise SlackError("invalid_arguments")
    return view


def open_view(workspace: Workspace, args: Json) -> Json:
    view = _argument(args)
    check_view(view, surface="modal")
    user = spend_trigger(workspace, args.get("trigger_id"))["user"]
    return {"view": shown(push_view(workspace, user, view, below=[]))}


def push(workspace: Workspace, args: Json) -> Json:
    view = _argument(args)
    check_view(view, surface="modal")
    user = spend_trigger(workspace, args.get("trigger_id"))["user"]
    return {"view": shown(push_view(workspace, user, view, below=stack(workspace, user)))}


def update_view(workspace: Workspace, args: Json) -> Json:
    old = _find_view(workspace, args)
    if args.get("hash") and args["hash"] != old["hash"]:
        raise SlackError("hash_conflict")
    row = replace_view(workspace, old, _argument(args), surface=old["type"])
    return {"view": shown(row)}


def _find_view(workspace: Workspace, args: Json) -> Json:
    rows = workspace.state.rows("view")
    if args.get("view_id") in rows:
        return rows[str(args["view_id"])]
    wanted = args.get("external_id")
    found = [row for row in rows.values() if wanted and row["external_id"] == wanted]
    if not found:
        raise SlackError("not_found")
    return found[-1]


def publish(workspace: Workspace, args: Json) -> Json:
    user = find_user(workspace, args.get("user_id"))["id"]
    view = _argument(args)
    check_view(view, surface="home")
    home = workspace.state.get("home", user)
    old = workspace.state.get("view", home["view"]) if home else None
    if old is not None:
        if args.get("hash") and args["hash"] != old["hash"]:
            raise SlackError("hash_conflict")
        row = replace_view(workspace, old, view, surface="home")
    else:
        row = _filled(workspace, view, f"V{token(10).upper()}") | {"user": user}
        workspace.state.put("view", row["id"], row)
    workspace.state.put("home", user, {"view": row["id"]})
    return {"view": shown(row)}


def set_status(workspace: Workspace, args: Json) -> Json:
    channel = find_channel(workspace, args.get("channel_id"))
    thread = str(args.get("thread_ts") or "")
    find_message(workspace, channel, thread)
    key = f"{channel['id']}:{thread}"
    if args.get("status"):
        workspace.state.put("status", key, {"text": str(args["status"])})
    else:
        workspace.state.drop("status", key)
    return {}


def set_prompts(workspace: Workspace, args: Json) -> Json:
    channel = find_channel(workspace, args.get("channel_id"))
    prompts = args.get("prompts")
    if not isinstance(prompts, list) or not 1 <= len(prompts) <= 4:
        raise SlackError("invalid_arguments")
    row = {"title": str(args.get("title") or ""), "prompts": prompts}
    workspace.state.put("prompts", channel["id"], row)
    return {}


def set_title(workspace: Workspace, args: Json) -> Json:
    channel = find_channel(workspace, args.get("channel_id"))
    key = f"{channel['id']}:{args.get('thread_ts')}"
    workspace.state.put("title", key, {"title": str(args.get("title") or "")})
    return {}


def validate(_workspace: Workspace, args: Json) -> Json:
    given = [key for key in ("blocks", "message", "view") if args.get(key) is not None]
    if len(given) != 1:
        raise SlackError("invalid_arguments")
    if given == ["view"]:
        check_view(args["view"], surface=str(args["view"].get("type")))
        return {}
    blocks = args["blocks"] if given == ["blocks"] else args["message"].get("blocks")
    report(block_message_problems(blocks))
    return {}


METHODS: dict[str, Method] = {
    "assistant.threads.setStatus": set_status,
    "assistant.threads.setSuggestedPrompts": set_prompts,
    "assistant.threads.setTitle": set_title,
    "blocks.validate": validate,
    "views.open": open_view,
    "views.publish": publish,
    "views.push": push,
    "views.update": update_view,
}
