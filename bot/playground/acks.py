"""What follows an acknowledgement, or the lack of one."""

from .errors import SlackError
from .events import COMMANDS, EVENTS, KEPT_EVENTS
from .messages import slackbot_says
from .response_urls import respond
from .state import Json
from .webapi_views import push_view, replace_view, set_stack, stack
from .workspace import Workspace


def acknowledge(workspace: Workspace, ident: str, body: Json) -> None:
    """Takes a delivery off the queue and applies the app's answer to it."""
    row = workspace.state.get("outbox", ident)
    if row is None:
        return
    workspace.state.drop("outbox", ident)
    answer: Json = {"ok": True}
    try:
        _apply(workspace, row, body)
        if body.get("response_action") == "errors":
            answer = {"ok": False, "error": "validation", "errors": body.get("errors") or {}}
    except SlackError as error:
        answer = error.answer()
    _settle(workspace, ident, answer)


def _apply(workspace: Workspace, row: Json, body: Json) -> None:
    if row["payload"].get("type") == "view_submission":
        _after_submission(workspace, row["origin"], body)
    elif row["kind"] == COMMANDS and (body.get("text") or body.get("blocks")):
        respond(workspace, row["origin"], body)


def _after_submission(workspace: Workspace, origin: Json, body: Json) -> None:
    user, ident = origin["user"], origin["view"]
    views = stack(workspace, user)
    action = body.get("response_action")
    view = workspace.state.get("view", ident)
    if ident not in views or view is None or action == "errors":
        return
    if action == "clear":
        set_stack(workspace, user, [])
    elif action == "update":
        replace_view(workspace, view, body["view"])
    elif action == "push":
        push_view(workspace, user, body["view"], below=views)
    else:
        set_stack(workspace, user, [other for other in views if other != ident])


def give_up(workspace: Workspace, ident: str, reason: str) -> None:
    """Drops a delivery nobody took and tells the person who waits for it."""
    row = workspace.state.get("outbox", ident)
    if row is None:
        return
    workspace.state.drop("outbox", ident)
    origin = row["origin"]
    if row["kind"] == EVENTS:
        _note(workspace, row["payload"]["event_id"], reason)
    elif row["kind"] == COMMANDS:
        channel = workspace.state.rows("channel")[origin["channel"]]
        text = f'{origin["command"]} failed with the error "{reason}"'
        slackbot_says(workspace, channel, to=origin["user"], text=text)
    elif origin.get("user"):
        workspace.state.tell({"kind": "failed", "key": origin["user"], "reason": reason})
    _settle(workspace, ident, {"ok": False, "error": reason})


def _note(workspace: Workspace, event_id: str, reason: str) -> None:
    """Keep that the app was never told of this event; in Slack nobody sees as much."""
    event = workspace.state.get("event", event_id) or {}
    workspace.state.put("given_up", event_id, {"ts": event.get("ts"), "reason": reason})
    kept = workspace.state.rows("given_up")
    if len(kept) > KEPT_EVENTS:
        workspace.state.drop("given_up", next(iter(kept)))


def _settle(workspace: Workspace, ident: str, answer: Json) -> None:
    future = workspace.waiting.pop(ident, None)
    if future is not None and not future.done():
        future.set_result(answer)
