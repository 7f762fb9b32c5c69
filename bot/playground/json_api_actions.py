"""The JSON API's commands, clicks and modals, and the means of a test."""

import asyncio

from aiohttp import web
from pydantic import ValidationError

from .errors import SlackError
from .events import redeliver
from .faults import KINDS, Fault, add_fault
from .http_delivery import URL_SETTINGS
from .interactions import click_message, click_view, close_view, send_command, submit_view
from .json_api import Call, Handler, home, where, who
from .state import Json
from .webapi import decode, truthy
from .webapi_views import top_view
from .workspace import Workspace


def command(workspace: Workspace, args: Json) -> Json:
    """``{user, channel, command, text}``: types a slash command."""
    user = who(workspace, args)["id"]
    channel = where(workspace, args, user)
    name = "/" + str(args.get("command") or "").lstrip("/")
    typed = str(args.get("text") or "")
    send_command(workspace, channel, user=user, command=name, typed=typed)
    return {"channel": channel["id"]}


def click(workspace: Workspace, args: Json) -> Json:
    """``{user, channel, ts, action_id, value?}``; ``view`` or ``home`` instead of a message.

    ``values`` are what a modal's inputs hold by then, by their action ids.
    """
    user = who(workspace, args)["id"]
    action, value = str(args.get("action_id")), args.get("value")
    if truthy(args.get("view")) or truthy(args.get("home")):
        view = home(workspace, {"as": user})["view"] if args.get("home") else None
        view = view or top_view(workspace, user)
        if view is None:
            raise SlackError("view_not_found")
        named = {"user": user, "view": view, "action_id": action, "value": value}
        click_view(workspace, **named, values=args.get("values"))
        return {}
    channel, ts = where(workspace, args, user), str(args.get("ts"))
    click_message(workspace, channel, user=user, ts=ts, action_id=action, value=value)
    return {}


def close(workspace: Workspace, args: Json) -> Json:
    """``{user, all?}``: closes the top modal, or all of them."""
    user = who(workspace, args)["id"]
    close_view(workspace, user=user, everything=truthy(args.get("all")))
    return {}


def submitting(workspace: Workspace) -> Handler:
    """``{user, values: {action_id: value}}``: submits the top modal and waits.

    Answers with ``errors`` when the app refuses the values.
    """

    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            args = await decode(request)
            user = who(workspace, args)["id"]
            ident = submit_view(workspace, user=user, values=args.get("values") or {})
        except SlackError as error:
            return web.json_response(error.answer())
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        workspace.waiting[ident] = future
        await workspace.state.save()
        return web.json_response(await future)

    return handle


def fault(workspace: Workspace, args: Json) -> Json:
    """``{method, nth, kind, …}``: see ``faults.Fault``."""
    try:
        wanted = Fault.model_validate(args)
    except ValidationError as error:
        raise SlackError("invalid_arguments", detail=str(error)) from error
    if wanted.kind not in KINDS:
        raise SlackError("invalid_arguments", detail=f"kind is one of {sorted(KINDS)}")
    return {"id": add_fault(workspace, wanted)}


def clear_faults(workspace: Workspace, _args: Json) -> Json:
    waiting = list(workspace.state.rows("fault"))
    for ident in waiting:
        workspace.state.drop("fault", ident)
    return {"cleared": len(waiting)}


def send_again(workspace: Workspace, args: Json) -> Json:
    """``{ts, times}``: delivers the events about a message again."""
    sent = redeliver(workspace, str(args.get("ts")), int(args.get("times") or 1))
    if not sent:
        raise SlackError("message_not_found")
    return {"sent": sent}


def set_delivery(workspace: Workspace, args: Json) -> Json:
    """``{events_url, commands_url, interactivity_url}``; null means Socket Mode."""
    for name in URL_SETTINGS.values():
        if name in args:
            workspace.state.put("setting", name, {"value": args[name]})
    workspace.woken.set()
    return {}


def pending(workspace: Workspace, _args: Json) -> Json:
    """What is queued and not acknowledged yet, and the events that were given up."""
    return {
        "deliveries": list(workspace.state.rows("outbox").values()),
        "given_up": list(workspace.state.rows("given_up").values()),
    }


READS: dict[str, Call] = {"deliveries": pending}
WRITES: dict[str, Call] = {
    "click": click,
    "close": close,
    "command": command,
    "delivery": set_delivery,
    "faults": fault,
    "faults/clear": clear_faults,
    "redeliver": send_again,
}
