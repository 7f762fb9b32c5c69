"""Socket Mode: tickets, sockets and envelopes."""

import asyncio
import json
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from .acks import acknowledge
from .state import Json
from .webapi import Method
from .workspace import Workspace, token

MAX_SOCKETS = 10
_CONNECTION_SECONDS = 18_060


@dataclass
class Sockets:
    """Connections: ``open`` ones take envelopes, ``leaving`` ones only acknowledge.

    ``sent`` maps an envelope to its delivery and socket. ``workspaces`` are those whose
    deliveries go this way.
    """

    workspaces: tuple[Workspace, ...] = ()

    tickets: set[str] = field(default_factory=set)
    open: list[web.WebSocketResponse] = field(default_factory=list)
    leaving: list[web.WebSocketResponse] = field(default_factory=list)
    transports: dict[web.WebSocketResponse, asyncio.Transport] = field(default_factory=dict)
    sent: dict[str, tuple[str, web.WebSocketResponse]] = field(default_factory=dict)
    turn: int = 0


def open_method(sockets: Sockets) -> Method:
    """``apps.connections.open``: an address good for one connection."""

    def connections_open(workspace: Workspace, _args: Json) -> Json:
        ticket = token(32)
        sockets.tickets.add(ticket)
        host = workspace.base.replace("http", "ws", 1)
        app = workspace.description.app.id
        return {"url": f"{host}/link/?ticket={ticket}&app_id={app}"}

    return connections_open


async def send_envelope(sockets: Sockets, row: Json) -> bool:
    """Sends a queued delivery down one of the open sockets.

    False when there is none, or it broke.
    """
    if not sockets.open:
        return False
    sockets.turn += 1
    socket = sockets.open[sockets.turn % len(sockets.open)]
    envelope: Json = {
        "envelope_id": token(32),
        "type": row["kind"],
        "payload": row["payload"],
        "accepts_response_payload": row["kind"] != "events_api",
    }
    if row["kind"] == "events_api":
        retries = max(row["attempts"], 0)
        envelope |= {"retry_attempt": retries, "retry_reason": row["reason"]}
    sockets.sent[envelope["envelope_id"]] = (row["id"], socket)
    try:
        await socket.send_str(json.dumps(envelope, ensure_ascii=False))
    except (ConnectionError, RuntimeError):
        sockets.sent.pop(envelope["envelope_id"], None)
        return False
    return True


def in_flight(sockets: Sockets, ident: str) -> bool:
    """Whether a delivery was sent down a socket that is still open."""
    alive = [*sockets.open, *sockets.leaving]
    return any(ident == sent and socket in alive for sent, socket in sockets.sent.values())


def _wake(sockets: Sockets) -> None:
    for workspace in sockets.workspaces:
        workspace.woken.set()


async def serve_socket(sockets: Sockets, request: web.Request) -> web.StreamResponse:
    """One connection, from its hello until it closes."""
    ticket = request.query.get("ticket", "")
    if ticket not in sockets.tickets:
        return web.json_response({"ok": False, "error": "invalid_ticket"}, status=403)
    sockets.tickets.discard(ticket)
    socket = web.WebSocketResponse(autoping=True)
    await socket.prepare(request)
    if len(sockets.open) >= MAX_SOCKETS:
        await _disconnect(socket, "too_many_websockets")
        await socket.close()
        return socket
    sockets.open.append(socket)
    if isinstance(request.transport, asyncio.Transport):
        sockets.transports[socket] = request.transport
    app_id = sockets.workspaces[0].description.app.id
    await socket.send_str(json.dumps(_hello(app_id, len(sockets.open))))
    _wake(sockets)
    try:
        await _listen(sockets, socket)
    finally:
        _forget(sockets, socket)
        _wake(sockets)
    return socket


def _hello(app_id: str, count: int) -> Json:
    return {
        "type": "hello",
        "num_connections": count,
        "debug_info": {
            "host": "playground",
            "build_number": 1,
            "approximate_connection_time": _CONNECTION_SECONDS,
        },
        "connection_info": {"app_id": app_id},
    }


async def _listen(sockets: Sockets, socket: web.WebSocketResponse) -> None:
    async for message in socket:
        if message.type != WSMsgType.TEXT:
            continue
        try:
            body = json.loads(message.data)
        except ValueError:
            continue
        if isinstance(body, dict):
            await _take_ack(sockets, body)


async def _take_ack(sockets: Sockets, body: Json) -> None:
    ident, _socket = sockets.sent.get(str(body.get("envelope_id")), ("", None))
    if not ident:
        return
    for envelope in [key for key, (sent, _) in sockets.sent.items() if sent == ident]:
        sockets.sent.pop(envelope)
    payload = body.get("payload")
    if isinstance(payload, str):
        payload = {"text": payload}
    for workspace in sockets.workspaces:
        if workspace.state.get("outbox", ident):
            acknowledge(workspace, ident, payload if isinstance(payload, dict) else {})
            await workspace.state.save()


def _forget(sockets: Sockets, socket: web.WebSocketResponse) -> None:
    for group in (sockets.open, sockets.leaving):
        if socket in group:
            group.remove(socket)
    sockets.transports.pop(socket, None)
    # A client acknowledges late, on its next socket: an envelope stays known for
    # as long as its delivery is queued.
    queued = {ident for one in sockets.workspaces for ident in one.state.rows("outbox")}
    for envelope, (ident, _carrier) in list(sockets.sent.items()):
        if ident not in queued:
            sockets.sent.pop(envelope)


async def _disconnect(socket: web.WebSocketResponse, reason: str) -> None:
    body = {"type": "disconnect", "reason": reason, "debug_info": {"host": "playground"}}
    await socket.send_str(json.dumps(body))


async def disconnect_all(sockets: Sockets, reason: str) -> int:
    """Asks every client to reconnect; ``cut`` drops the connections instead.

    Slack's reasons: warning, refresh_requested, link_disabled.
    """
    connected = list(sockets.open)
    for socket in connected:
        if reason == "cut":
            sockets.transports[socket].abort()
            continue
        sockets.open.remove(socket)
        sockets.leaving.append(socket)
        await _disconnect(socket, reason)
    return len(connected)
