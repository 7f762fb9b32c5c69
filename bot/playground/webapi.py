"""The Web API's front: authentication, bodies, faults and the log of calls."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import parse_qsl

from aiohttp import web

from .errors import SlackError
from .faults import Fault, take_fault
from .state import Json
from .tokens import check_token, knows, revoke
from .workspace import Workspace

Method = Callable[[Workspace, Json], Json]
KEPT_CALLS = 20_000
_OPEN_METHODS = {"api.test", "blocks.validate"}
_JSON_FIELDS = {
    "blocks",
    "view",
    "metadata",
    "attachments",
    "users",
    "prompts",
    "loading_messages",
    "message",
}


async def decode(request: web.Request) -> Json:
    """The arguments of a call: query, then form or JSON body.

    Raises SlackError for a body that is not what its type says.
    """
    args: Json = dict(request.query)
    raw = await request.read()
    if request.content_type == "application/json":
        args |= _json_body(raw)
    elif request.content_type == "application/x-www-form-urlencoded":
        args |= dict(parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True))
    elif request.content_type == "multipart/form-data":
        args |= {key: str(value) for key, value in (await request.post()).items()}
    return {key: _decoded(key, value) for key, value in args.items()}


def _json_body(raw: bytes) -> Json:
    try:
        body = json.loads(raw or b"{}")
    except ValueError as error:
        raise SlackError("invalid_json") from error
    if not isinstance(body, dict):
        raise SlackError("json_not_object")
    return body


def _decoded(key: str, value: object) -> object:
    """Forms carry structured arguments as JSON text."""
    if key not in _JSON_FIELDS or not isinstance(value, str) or value[:1] not in "[{":
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def truthy(value: object) -> bool:
    return value in (True, 1, "1", "true", "True")


def _token(request: web.Request, args: Json) -> str:
    header = request.headers.get("Authorization", "")
    sent = header.removeprefix("Bearer ").strip() or str(args.get("token") or "")
    args.pop("token", None)
    return sent


def _record(workspace: Workspace, name: str, args: Json) -> str:
    number = workspace.state.number("call")
    row = {"method": name, "args": args, "response": None, "at": time.time()}
    workspace.state.put("call", f"{number:09d}", row)
    calls = workspace.state.rows("call")
    if len(calls) > KEPT_CALLS:
        workspace.state.drop("call", next(iter(calls)))
    return f"{number:09d}"


def _note(workspace: Workspace, ident: str, response: Json) -> None:
    row = workspace.state.get("call", ident)
    if row is not None:
        workspace.state.put("call", ident, row | {"response": response})


def _perform(workspace: Workspace, method: Method, args: Json) -> Json:
    try:
        return {"ok": True, **method(workspace, args)}
    except SlackError as error:
        return error.answer()


async def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)


async def _struck(
    request: web.Request, fault: Fault, perform: Callable[[], Awaitable[Json]]
) -> tuple[Json, web.Response]:
    """The logged answer and the answer sent when a fault strikes."""
    if fault.kind == "status":
        wait = fault.retry_after or str(round(fault.seconds))
        headers = {"Retry-After": wait} if fault.status == 429 else {}
        answer: Json = {"ok": False, "error": "ratelimited" if headers else "fault"}
        sent = web.json_response(answer, status=fault.status, headers=headers)
        return answer | {"status": fault.status}, sent
    if fault.kind == "error":
        answer = {"ok": False, "error": fault.error}
        return answer, web.json_response(answer)
    if fault.kind == "cut_before":
        return {"ok": False, "error": "cut_before"}, await _cut(request)
    if fault.kind == "delay":
        await asyncio.sleep(fault.seconds)
        answer = await perform()
        return answer, web.json_response(answer)
    return await perform(), await _cut(request)


def web_api(
    workspaces: Sequence[Workspace], methods: dict[str, Method]
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """The handler of ``/api/{method}``: the token says which of the workspaces is meant."""

    async def handle(request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        if name not in methods and name != "auth.revoke":
            answer = {"ok": False, "error": "unknown_method", "req_method": name}
            return web.json_response(answer, status=404)
        try:
            args = await decode(request)
            token = _token(request, args)
        except SlackError as error:
            return web.json_response(error.answer())
        named = (one for one in workspaces if knows(one, token))
        workspace = next(named, workspaces[0])
        try:
            if name not in _OPEN_METHODS:
                check_token(workspace, name, token)
        except SlackError as error:
            ident = _record(workspace, name, args)
            _note(workspace, ident, error.answer())
            return web.json_response(error.answer())
        if name == "auth.revoke":
            return await answer_call(request, workspace, _revoking(token), name=name, args=args)
        return await answer_call(request, workspace, methods[name], name=name, args=args)

    return handle


def _revoking(token: str) -> Method:
    def revoke_own(workspace: Workspace, _args: Json) -> Json:
        revoke(workspace, token, "token_revoked")
        return {"revoked": True}

    return revoke_own


async def answer_call(
    request: web.Request,
    workspace: Workspace,
    method: Method,
    *,
    name: str,
    args: Json,
) -> web.Response:
    """Perform a call that may be made, log it, and let a fault strike it."""
    ident = _record(workspace, name, args)
    fault = take_fault(workspace, name, args.get("channel"))

    async def perform() -> Json:
        answer = _perform(workspace, method, args)
        _note(workspace, ident, answer)
        await workspace.state.save()
        return answer

    if fault is None:
        return web.json_response(await perform())
    answer, response = await _struck(request, fault, perform)
    _note(workspace, ident, answer)
    await workspace.state.save()
    return response
