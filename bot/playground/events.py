"""Events as Slack wraps them, and the queue of what must reach the app."""

import base64
import json
import time

from .state import Json
from .workspace import Workspace, token

EVENTS = "events_api"
COMMANDS = "slash_commands"
INTERACTIVE = "interactive"
KEPT_EVENTS = 20_000


def enqueue(workspace: Workspace, kind: str, payload: Json, *, origin: Json | None = None) -> str:
    """Queues one delivery and returns its id.

    Events wait for as long as it takes; a person's command or click is dropped
    when nothing acknowledges it in time, as in Slack.
    """
    ident = f"{workspace.team_id}.{workspace.state.number('delivery'):09d}"
    expires = None if kind == EVENTS else time.time() + workspace.settings.ack_seconds
    row = {
        "id": ident,
        "kind": kind,
        "payload": payload,
        "attempts": 0,
        "reason": "",
        "expires": expires,
        "origin": origin or {},
    }
    workspace.state.put("outbox", ident, row)
    workspace.woken.set()
    return ident


def emit(workspace: Workspace, event: Json, *, channel: Json | None = None) -> None:
    """Sends an event to the app when it may see the channel."""
    if channel is not None and workspace.bot_user not in channel["members"]:
        return
    ident = f"Ev{workspace.state.number('event'):09d}"
    envelope = _wrap(workspace, event, ident, bool(channel and channel["is_ext_shared"]))
    row = {"payload": envelope, "ts": _about(event)}
    workspace.state.put("event", ident, row)
    kept = workspace.state.rows("event")
    if len(kept) > KEPT_EVENTS:
        workspace.state.drop("event", next(iter(kept)))
    enqueue(workspace, EVENTS, envelope)


def _about(event: Json) -> str | None:
    """The ts of the message an event is about."""
    inner = event.get("message") or {}
    return inner.get("ts") or event.get("deleted_ts") or event.get("ts")


def _wrap(workspace: Workspace, event: Json, ident: str, shared: bool) -> Json:
    home = workspace.team_id
    actor = _actor_team(workspace, event)
    outer = actor if shared and event["type"] == "message" else home
    context = {"t": home, "c": event.get("channel"), "e": ident}
    packed = base64.b64encode(json.dumps(context).encode()).decode()
    envelope: Json = {
        "token": "playground-verification-token",
        "team_id": outer,
        "api_app_id": workspace.description.app.id,
        "event": event,
        "type": "event_callback",
        "event_id": ident,
        "event_time": int(time.time()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": home,
                "user_id": workspace.bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": shared,
        "event_context": f"4-{packed}",
    }
    if event["type"] == "message":
        envelope["context_team_id"] = home
        envelope["context_enterprise_id"] = None
    return envelope


def _actor_team(workspace: Workspace, event: Json) -> str:
    inner = event.get("message") or event.get("previous_message") or event
    user = workspace.state.get("user", str(inner.get("user")))
    return str(user["team_id"]) if user else workspace.team_id


def new_trigger(workspace: Workspace, user: str, **context: object) -> str:
    """A trigger id: good once, for ``trigger_seconds``."""
    ident = f"{time.time_ns()}.{workspace.team_id}.{token(32)}"
    workspace.triggers[ident] = {"user": user, "at": time.time(), "used": False, **context}
    return ident


def redeliver(workspace: Workspace, ts: str, times: int) -> int:
    """Sends every event about a message again, ``times`` each; returns how many."""
    found = [row["payload"] for row in workspace.state.rows("event").values() if row["ts"] == ts]
    for attempt in range(1, times + 1):
        for payload in found:
            ident = enqueue(workspace, EVENTS, payload)
            row = workspace.state.rows("outbox")[ident]
            workspace.state.put(
                "outbox", ident, row | {"attempts": attempt, "reason": "http_timeout"}
            )
    return len(found) * times
