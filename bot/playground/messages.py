"""Messages: posting, editing, deleting, threads, and who sees what.

A message is a row of kind ``message:<channel>`` in Slack's own shape. A private
one (ephemeral) is a row of kind ``ephemeral:<channel>`` with ``to``.
"""

import time

from .errors import SlackError
from .events import emit
from .state import Json
from .text import encode
from .workspace import SLACKBOT, Workspace, token

_THREAD = ("reply_count", "reply_users", "reply_users_count", "latest_reply")


def channel_type(channel: Json) -> str:
    if channel["is_im"]:
        return "im"
    return "group" if channel["is_private"] else "channel"


def find_message(workspace: Workspace, channel: Json, ts: object) -> Json:
    """Raises message_not_found."""
    message = workspace.state.get(f"message:{channel['id']}", str(ts))
    if message is None or message.get("subtype") == "tombstone":
        raise SlackError("message_not_found")
    return message


def thread_root(workspace: Workspace, channel: Json, thread_ts: object) -> str | None:
    """The parent's ts of a reply to ``thread_ts``. Raises thread_not_found."""
    if not thread_ts:
        return None
    message = workspace.state.get(f"message:{channel['id']}", str(thread_ts))
    if message is None:
        raise SlackError("thread_not_found")
    return str(message.get("thread_ts") or message["ts"])


def person_message(
    workspace: Workspace, channel: Json, *, user: str, typed: str, thread_ts: str | None
) -> Json:
    """What somebody typed, as a message ready for ``post``."""
    text, elements = encode(workspace, typed)
    section = {"type": "rich_text_section", "elements": elements}
    message: Json = {
        "type": "message",
        "user": user,
        "client_msg_id": _client_id(),
        "text": text,
        "team": workspace.state.rows("user")[user]["team_id"],
        "blocks": [{"type": "rich_text", "block_id": token(6), "elements": [section]}],
    }
    root = thread_root(workspace, channel, thread_ts)
    return message | ({"thread_ts": root} if root else {})


def _client_id() -> str:
    raw = token(32)
    return "-".join((raw[:8], raw[8:12], raw[12:16], raw[16:20], raw[20:]))


def bot_message(workspace: Workspace, text: str, blocks: list[Json] | None) -> Json:
    """The app's own message, ready for ``post``."""
    app = workspace.description.app
    message: Json = {
        "type": "message",
        "user": workspace.bot_user,
        "bot_id": app.bot_id,
        "app_id": app.id,
        "text": text,
        "team": workspace.team_id,
        "bot_profile": {
            "id": app.bot_id,
            "app_id": app.id,
            "user_id": workspace.bot_user,
            "name": app.name,
            "deleted": False,
            "updated": int(time.time()),
            "team_id": workspace.team_id,
        },
    }
    return message | ({"blocks": with_ids(blocks)} if blocks else {})


def with_ids(blocks: list[Json]) -> list[Json]:
    """Blocks with a ``block_id`` each, children of containers too."""
    out = []
    for block in blocks:
        filled = {**block, "block_id": block.get("block_id") or token(6)}
        if isinstance(block.get("child_blocks"), list):
            filled["child_blocks"] = with_ids(block["child_blocks"])
        out.append(filled)
    return out


def post(workspace: Workspace, channel: Json, message: Json) -> Json:
    """Stores a message under a new ts and tells the app."""
    row = {**message, "ts": workspace.state.next_ts()}
    _join_thread(workspace, channel, row)
    workspace.state.put(f"message:{channel['id']}", row["ts"], row)
    _clear_status(workspace, channel, row)
    _announce(workspace, channel, row)
    return row


def _join_thread(workspace: Workspace, channel: Json, row: Json) -> None:
    parent = workspace.state.get(f"message:{channel['id']}", str(row.get("thread_ts")))
    if parent is None:
        return
    row["parent_user_id"] = parent["user"]
    users = [*parent.get("reply_users", []), row["user"]]
    unique = list(dict.fromkeys(users))
    parent = parent | {
        "thread_ts": parent["ts"],
        "reply_count": parent.get("reply_count", 0) + 1,
        "reply_users": unique,
        "reply_users_count": len(unique),
        "latest_reply": row["ts"],
    }
    workspace.state.put(f"message:{channel['id']}", parent["ts"], parent)


def _clear_status(workspace: Workspace, channel: Json, row: Json) -> None:
    if row["user"] == workspace.bot_user:
        workspace.state.drop("status", f"{channel['id']}:{row.get('thread_ts', row['ts'])}")


def _announce(workspace: Workspace, channel: Json, row: Json) -> None:
    shown = public(row)
    place = {"channel": channel["id"], "event_ts": row["ts"]}
    kind = channel_type(channel)
    emit(workspace, {**shown, **place, "channel_type": kind}, channel=channel)
    mentioned = f"<@{workspace.bot_user}>" in row["text"]
    if mentioned and kind != "im" and row["user"] != workspace.bot_user:
        twin = {**shown, **place, "type": "app_mention"}
        twin.pop("subtype", None)
        twin.pop("parent_user_id", None)
        if row["team"] != workspace.team_id:
            twin |= {"team": workspace.team_id, "user_team": row["team"]}
        emit(workspace, twin, channel=channel)


def edit(workspace: Workspace, channel: Json, old: Json, *, changes: Json, editor: str) -> Json:
    """Replaces a message's content; the app is told with message_changed."""
    stamp = workspace.state.next_ts()
    row = {**old, **changes, "edited": {"user": editor, "ts": stamp}}
    if not row.get("blocks"):
        row.pop("blocks", None)
    workspace.state.put(f"message:{channel['id']}", row["ts"], row)
    event = {"message": public(row), "previous_message": public(old)}
    _tell_change(workspace, channel, "message_changed", stamp=stamp, body=event)
    return row


def delete(workspace: Workspace, channel: Json, old: Json) -> None:
    """Removes a message; a parent with replies leaves a tombstone."""
    kind = f"message:{channel['id']}"
    if old.get("reply_count"):
        rest = {key: old[key] for key in ("ts", "thread_ts", *_THREAD) if key in old}
        gone = {"type": "message", "subtype": "tombstone", "user": SLACKBOT, "hidden": True}
        text = "This message was deleted."
        workspace.state.put(kind, old["ts"], {**gone, **rest, "text": text})
    else:
        workspace.state.drop(kind, old["ts"])
        _leave_thread(workspace, channel, old)
    body = {"deleted_ts": old["ts"], "previous_message": public(old)}
    stamp = workspace.state.next_ts()
    _tell_change(workspace, channel, "message_deleted", stamp=stamp, body=body)


def _leave_thread(workspace: Workspace, channel: Json, old: Json) -> None:
    kind = f"message:{channel['id']}"
    root = old.get("thread_ts")
    parent = workspace.state.get(kind, str(root))
    if parent is None or root == old["ts"]:
        return
    replies = [row for row in workspace.state.rows(kind).values() if is_reply(row, str(root))]
    users = list(dict.fromkeys(row["user"] for row in replies))
    changed = {key: value for key, value in parent.items() if key not in _THREAD}
    if replies:
        counts = (len(replies), users, len(users), replies[-1]["ts"])
        changed |= dict(zip(_THREAD, counts, strict=True))
    workspace.state.put(kind, parent["ts"], changed)


def _tell_change(
    workspace: Workspace, channel: Json, subtype: str, *, stamp: str, body: Json
) -> None:
    event = {
        "type": "message",
        "subtype": subtype,
        **body,
        "channel": channel["id"],
        "hidden": True,
        "ts": stamp,
        "event_ts": stamp,
        "channel_type": channel_type(channel),
    }
    emit(workspace, event, channel=channel)


def whisper(workspace: Workspace, channel: Json, *, to: str, message: Json) -> Json:
    """Stores a message only ``to`` sees."""
    row = {**message, "ts": workspace.state.next_ts(), "to": to}
    return workspace.state.put(f"ephemeral:{channel['id']}", row["ts"], row)


def slackbot_says(workspace: Workspace, channel: Json, *, to: str, text: str) -> Json:
    """Slack's own notice to one person, as when a command fails."""
    message = {"type": "message", "user": SLACKBOT, "text": text, "team": workspace.team_id}
    return whisper(workspace, channel, to=to, message=message)


def is_reply(row: Json, root: str) -> bool:
    return row.get("thread_ts") == root and row["ts"] != root


def public(row: Json, *, metadata: bool = False) -> Json:
    """A message as the Web API shows it."""
    hidden = {"to"} if metadata else {"to", "metadata"}
    return {key: value for key, value in row.items() if key not in hidden}


def history(workspace: Workspace, channel: Json) -> list[Json]:
    """The channel's top level, oldest first."""
    rows = workspace.state.rows(f"message:{channel['id']}").values()
    return [row for row in rows if row.get("thread_ts", row["ts"]) == row["ts"] or _broadcast(row)]


def _broadcast(row: Json) -> bool:
    return row.get("subtype") == "thread_broadcast"


def thread(workspace: Workspace, channel: Json, root: str) -> list[Json]:
    """A parent and its replies, oldest first; empty when there is no parent."""
    rows = workspace.state.rows(f"message:{channel['id']}")
    if root not in rows:
        return []
    return [rows[root], *(row for row in rows.values() if is_reply(row, root))]


def seen(
    workspace: Workspace, channel: Json, *, user: str | None, thread_ts: str | None
) -> list[Json]:
    """What a person sees: messages if a member, and what was whispered to them."""
    rows: list[Json] = []
    if user is None or user in channel["members"]:
        rows = thread(workspace, channel, thread_ts) if thread_ts else history(workspace, channel)
    private = [
        {**public(row, metadata=True), "ephemeral": True}
        for row in workspace.state.rows(f"ephemeral:{channel['id']}").values()
        if row["to"] == user and row.get("thread_ts") == thread_ts
    ]
    return sorted([*rows, *private], key=lambda row: str(row["ts"]))
