"""``response_url``: answering an interaction without a token.

An address works five times within half an hour. What is sent to it is a
message from the app: private unless ``response_type`` is ``in_channel``, or a
replacement or removal of the message that was pressed.
"""

import time

from aiohttp import web

from .errors import SlackError
from .messages import bot_message, delete, edit, find_message, post, thread_root, whisper, with_ids
from .state import Json
from .webapi import decode, truthy
from .webapi_chat import content
from .workspace import Workspace, token

USES = 5


def new_response_url(workspace: Workspace, kind: str, origin: Json) -> str:
    secret = token(24)
    row = {"left": USES, "until": time.time() + workspace.settings.response_url_seconds}
    workspace.state.put("response_url", secret, row | {"origin": origin})
    return f"{workspace.base}/{kind}/{workspace.team_id}/{secret}"


def _spend(workspace: Workspace, secret: str) -> Json:
    row = workspace.state.get("response_url", secret)
    if row is None:
        raise SlackError("invalid_url")
    if time.time() > row["until"]:
        raise SlackError("expired_url")
    if row["left"] < 1:
        raise SlackError("used_url")
    workspace.state.put("response_url", secret, row | {"left": row["left"] - 1})
    origin: Json = row["origin"]
    return origin


def respond(workspace: Workspace, origin: Json, body: Json) -> None:
    """Applies what the app answered to the place the interaction came from."""
    channel = workspace.state.rows("channel")[origin["channel"]]
    ts = origin.get("ts")
    if ts and truthy(body.get("delete_original")):
        _remove(workspace, channel, origin)
    elif ts and truthy(body.get("replace_original")):
        _replace(workspace, channel, origin, body)
    else:
        _add(workspace, channel, origin, body)


def _remove(workspace: Workspace, channel: Json, origin: Json) -> None:
    if origin.get("private"):
        workspace.state.drop(f"ephemeral:{channel['id']}", origin["ts"])
    else:
        delete(workspace, channel, find_message(workspace, channel, origin["ts"]))


def _replace(workspace: Workspace, channel: Json, origin: Json, body: Json) -> None:
    text, blocks = content(body)
    changes: Json = {"text": text, "blocks": with_ids(blocks or [])}
    if not origin.get("private"):
        old = find_message(workspace, channel, origin["ts"])
        edit(workspace, channel, old, changes=changes, editor=workspace.bot_user)
        return
    kind = f"ephemeral:{channel['id']}"
    private = workspace.state.get(kind, origin["ts"])
    if private is None:
        raise SlackError("message_not_found")
    workspace.state.put(kind, origin["ts"], private | changes)


def _add(workspace: Workspace, channel: Json, origin: Json, body: Json) -> None:
    text, blocks = content(body)
    message = bot_message(workspace, text, blocks)
    root = thread_root(workspace, channel, body.get("thread_ts"))
    if root:
        message["thread_ts"] = root
    if body.get("response_type") == "in_channel":
        post(workspace, channel, message)
    else:
        whisper(workspace, channel, to=origin["user"], message=message)


async def serve_response_url(workspace: Workspace, request: web.Request) -> web.Response:
    """Used up, expired and unknown addresses are 404, bad content is 400."""
    try:
        body = await decode(request)
        origin = _spend(workspace, request.match_info["secret"])
    except SlackError as error:
        return web.json_response(error.answer(), status=404)
    try:
        respond(workspace, origin, body)
    except SlackError as error:
        return web.json_response(error.answer(), status=400)
    finally:
        await workspace.state.save()
    return web.json_response({"ok": True})
