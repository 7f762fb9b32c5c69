"""``chat.*``: posting, updating and deleting the app's messages."""

from .errors import SlackError
from .limits import check_message_blocks, check_metadata
from .messages import (
    bot_message,
    delete,
    edit,
    find_message,
    post,
    public,
    thread_root,
    whisper,
    with_ids,
)
from .state import Json
from .webapi import Method, truthy
from .workspace import Workspace, check_member, find_channel, find_user, open_dm

MAX_TEXT = 40_000


def content(args: Json) -> tuple[str, list[Json] | None]:
    """Checked text and blocks of a message. Raises Slack's refusals."""
    text = args.get("text")
    blocks = args.get("blocks")
    text = text if isinstance(text, str) else ""
    if len(text) > MAX_TEXT:
        raise SlackError("msg_too_long")
    if blocks in ("", None):
        blocks = None
    else:
        check_message_blocks(blocks)
    if not text.strip() and not blocks:
        raise SlackError("no_text")
    return text, blocks


def target(workspace: Workspace, args: Json) -> Json:
    """The channel the app may write to; a user id means the direct message."""
    name = str(args.get("channel") or "")
    if name in workspace.state.rows("user"):
        return open_dm(workspace, name)
    channel = find_channel(workspace, name)
    check_member(channel, workspace.bot_user)
    if channel["is_archived"]:
        raise SlackError("is_archived")
    return channel


def _metadata(args: Json) -> Json:
    metadata = args.get("metadata")
    if metadata in (None, ""):
        return {}
    check_metadata(metadata)
    return {"metadata": metadata} if metadata else {}


def post_message(workspace: Workspace, args: Json) -> Json:
    channel = target(workspace, args)
    text, blocks = content(args)
    message = bot_message(workspace, text, blocks) | _metadata(args)
    root = thread_root(workspace, channel, args.get("thread_ts"))
    if root:
        message["thread_ts"] = root
        if truthy(args.get("reply_broadcast")):
            message["subtype"] = "thread_broadcast"
    row = post(workspace, channel, message)
    return {"channel": channel["id"], "ts": row["ts"], "message": public(row)}


def _own(workspace: Workspace, channel: Json, ts: object, refusal: str) -> Json:
    message = find_message(workspace, channel, ts)
    if message.get("bot_id") != workspace.description.app.bot_id:
        raise SlackError(refusal)
    return message


def update(workspace: Workspace, args: Json) -> Json:
    channel = target(workspace, args)
    old = _own(workspace, channel, args.get("ts"), "cant_update_message")
    text, blocks = content(args)
    changes: Json = _metadata(args)
    if text:
        changes["text"] = text
    # Without a blocks argument the earlier blocks stay; an empty list removes them.
    if blocks is not None:
        changes["blocks"] = with_ids(blocks)
    row = edit(workspace, channel, old, changes=changes, editor=workspace.bot_user)
    shown = public(row)
    return {"channel": channel["id"], "ts": row["ts"], "text": row["text"], "message": shown}


def delete_message(workspace: Workspace, args: Json) -> Json:
    channel = target(workspace, args)
    old = _own(workspace, channel, args.get("ts"), "cant_delete_message")
    delete(workspace, channel, old)
    return {"channel": channel["id"], "ts": old["ts"]}


def post_ephemeral(workspace: Workspace, args: Json) -> Json:
    channel = target(workspace, args)
    user = find_user(workspace, args.get("user"))
    if user["id"] not in channel["members"]:
        raise SlackError("user_not_in_channel")
    text, blocks = content(args)
    message = bot_message(workspace, text, blocks)
    root = thread_root(workspace, channel, args.get("thread_ts"))
    if root:
        message["thread_ts"] = root
    row = whisper(workspace, channel, to=user["id"], message=message)
    return {"message_ts": row["ts"]}


def permalink(workspace: Workspace, args: Json) -> Json:
    channel = find_channel(workspace, args.get("channel"))
    message = find_message(workspace, channel, args.get("message_ts"))
    where = f"#{channel['id']}/{message['ts']}"
    return {"channel": channel["id"], "permalink": f"{workspace.base}/{where}"}


METHODS: dict[str, Method] = {
    "chat.postMessage": post_message,
    "chat.update": update,
    "chat.delete": delete_message,
    "chat.postEphemeral": post_ephemeral,
    "chat.getPermalink": permalink,
}
