"""What a person does with buttons, commands and modals, as Slack reports it."""

import time

from .errors import SlackError
from .events import COMMANDS, INTERACTIVE, enqueue, new_trigger
from .inputs import interactive_elements, state_of
from .messages import find_message, public
from .response_urls import new_response_url
from .state import Json
from .text import escape
from .webapi_views import set_stack, shown, stack, top_view
from .workspace import Workspace, check_member

_TOKEN = "playground-verification-token"  # noqa: S105 - Slack's deprecated, public constant


def person(workspace: Workspace, user: str) -> Json:
    row = workspace.state.rows("user")[user]
    name = row["name"]
    return {"id": user, "username": name, "name": name, "team_id": row["team_id"]}


def _frame(workspace: Workspace, kind: str, user: str) -> Json:
    team = workspace.description.team
    return {
        "type": kind,
        "team": {"id": team.id, "domain": team.domain},
        "user": person(workspace, user),
        "api_app_id": workspace.description.app.id,
        "token": _TOKEN,
        "trigger_id": new_trigger(workspace, user),
        "enterprise": None,
        "is_enterprise_install": False,
    }


def channel_name(channel: Json) -> str:
    if channel["is_im"]:
        return "directmessage"
    return "privategroup" if channel["is_private"] else str(channel["name"])


def send_command(
    workspace: Workspace, channel: Json, *, user: str, command: str, typed: str
) -> str:
    """A slash command; anybody may type one in a public channel.

    Raises unknown_command and Slack's refusals about the channel. Returns the
    delivery's id.
    """
    known = {item.command for item in workspace.description.app.commands}
    if command not in known:
        raise SlackError("unknown_command")
    if channel["is_private"]:
        check_member(channel, user)
    if channel["is_archived"]:
        raise SlackError("is_archived")
    where = {"channel": channel["id"], "user": user, "command": command}
    payload = {
        "token": _TOKEN,
        "team_id": workspace.team_id,
        "team_domain": workspace.description.team.domain,
        "channel_id": channel["id"],
        "channel_name": channel_name(channel),
        "user_id": user,
        "user_name": person(workspace, user)["username"],
        "command": command,
        "text": escape(typed),
        "api_app_id": workspace.description.app.id,
        "is_enterprise_install": "false",
        "response_url": new_response_url(workspace, "commands", where),
        "trigger_id": new_trigger(workspace, user),
    }
    return enqueue(workspace, COMMANDS, payload, origin=where)


def _find_element(blocks: object, action_id: str, value: object) -> tuple[Json, Json]:
    """Raises action_not_found."""
    found = [pair for pair in interactive_elements(blocks) if pair[1]["action_id"] == action_id]
    exact = [pair for pair in found if value is not None and pair[1].get("value") == value]
    if not found:
        raise SlackError("action_not_found")
    return (exact or found)[0]


def _action(block: Json, element: Json, value: object) -> Json:
    """One entry of ``actions``; ``value`` picks an option or a feedback button.

    A button reports the ``value`` given, even one that is not its own: a forged press.
    """
    kind = element["type"]
    stamp = time.time()
    action: Json = {
        "type": kind,
        "action_id": element["action_id"],
        "block_id": block["block_id"],
        "action_ts": f"{stamp:.6f}",
    }
    if kind == "button":
        chosen = {key: element[key] for key in ("text", "value", "style") if key in element}
        return action | chosen | ({} if value is None else {"value": value})
    if kind == "feedback_buttons":
        buttons = (element["positive_button"], element["negative_button"])
        pressed = [button for button in buttons if button.get("value") == value] or buttons
        return action | {key: pressed[0][key] for key in ("text", "value") if key in pressed[0]}
    options = element.get("options") or []
    picked = [option for option in options if option.get("value") == value]
    if picked:
        return action | {"selected_option": picked[0]}
    return action | {"value": value}


def click_message(
    workspace: Workspace, channel: Json, *, user: str, ts: str, action_id: str, value: object
) -> str:
    """A press on a message somebody sees. Raises Slack's refusals."""
    message, private = _pressed(workspace, channel, user, ts)
    block, element = _find_element(message.get("blocks"), action_id, value)
    origin = {"channel": channel["id"], "user": user, "ts": ts, "private": private}
    container: Json = {
        "type": "message",
        "message_ts": ts,
        "channel_id": channel["id"],
        "is_ephemeral": private,
    }
    if message.get("thread_ts"):
        container["thread_ts"] = message["thread_ts"]
    payload = _frame(workspace, "block_actions", user) | {
        "container": container,
        "channel": {"id": channel["id"], "name": channel_name(channel)},
        "state": {"values": {}},
        "response_url": new_response_url(workspace, "actions", origin),
        "actions": [_action(block, element, value)],
    }
    if not private:
        payload["message"] = public(message)
    return enqueue(workspace, INTERACTIVE, payload, origin=origin)


def _pressed(workspace: Workspace, channel: Json, user: str, ts: str) -> tuple[Json, bool]:
    private = workspace.state.get(f"ephemeral:{channel['id']}", ts)
    if private is not None and private["to"] == user:
        return private, True
    check_member(channel, user)
    return find_message(workspace, channel, ts), False


def click_view(
    workspace: Workspace,
    *,
    user: str,
    view: Json,
    action_id: str,
    value: object,
    values: Json | None = None,
) -> str:
    """A press inside a modal or an App Home, whose inputs hold ``values`` by then."""
    block, element = _find_element(view["blocks"], action_id, value)
    held = state_of(workspace, user, view, {**(values or {}), action_id: value})
    payload = _frame(workspace, "block_actions", user) | {
        "container": {"type": "view", "view_id": view["id"]},
        "view": shown(view | {"state": {"values": held}}),
        "actions": [_action(block, element, value)],
    }
    return enqueue(workspace, INTERACTIVE, payload, origin={"user": user, "view": view["id"]})


def submit_view(workspace: Workspace, *, user: str, values: Json) -> str:
    """Sends the top modal; ``values`` maps action_id (or block_id) to the input.

    Raises view_not_found.
    """
    view = top_view(workspace, user)
    if view is None:
        raise SlackError("view_not_found")
    filled = view | {"state": {"values": state_of(workspace, user, view, values)}}
    payload = _frame(workspace, "view_submission", user) | {
        "view": shown(filled),
        "response_urls": [],
    }
    return enqueue(workspace, INTERACTIVE, payload, origin={"user": user, "view": view["id"]})


def close_view(workspace: Workspace, *, user: str, everything: bool) -> None:
    """Closes the top modal, or all, for good; the app hears of it where it asked to."""
    views = stack(workspace, user)
    if not views:
        return
    closed = views if everything else views[-1:]
    set_stack(workspace, user, [] if everything else views[:-1])
    for ident in closed:
        view = workspace.state.get("view", ident)
        if view and view["notify_on_close"]:
            payload = _frame(workspace, "view_closed", user) | {
                "view": shown(view),
                "is_cleared": everything,
            }
            enqueue(workspace, INTERACTIVE, payload, origin={"user": user})
        workspace.state.drop("view", ident)
