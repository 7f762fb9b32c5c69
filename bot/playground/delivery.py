"""The delivery loop: takes what is queued to the app, again where needed.

Over Socket Mode an event waits until somebody acknowledges it: it is sent
again when its socket closes and at most three times on a socket that stays
silent. Over HTTP an event is dropped after its third retry. Commands and
interactions are tried until their time is up and then fail visibly.
"""

import asyncio
import time
from dataclasses import dataclass, field

import aiohttp

from .acks import acknowledge, give_up
from .events import EVENTS
from .http_delivery import send_http, url_for
from .socket_mode import Sockets, in_flight, send_envelope
from .state import Json
from .workspace import Workspace

_RETRY_SECONDS = (0.0, 60.0, 300.0)
_IDLE_SECONDS = 30.0


@dataclass
class Schedule:
    """When each queued delivery may be tried next, and which are being tried."""

    due: dict[str, float] = field(default_factory=dict)
    flying: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)


async def deliver(workspace: Workspace, sockets: Sockets, session: aiohttp.ClientSession) -> None:
    """Runs until cancelled."""
    schedule = Schedule()
    while True:
        workspace.woken.clear()
        for row in list(workspace.state.rows("outbox").values()):
            await _consider(workspace, sockets, session, schedule=schedule, row=row)
        await workspace.state.save()
        await _sleep(workspace, schedule)


async def _sleep(workspace: Workspace, schedule: Schedule) -> None:
    queued = workspace.state.rows("outbox")
    for ident in schedule.due.keys() - queued.keys():
        schedule.due.pop(ident)
    times = [at for at in schedule.due.values() if at > time.time()]
    times += [row["expires"] for row in queued.values() if row["expires"]]
    wait = max(0.005, min(times, default=time.time() + _IDLE_SECONDS) - time.time())
    try:
        await asyncio.wait_for(workspace.woken.wait(), min(wait, _IDLE_SECONDS))
    except TimeoutError:
        return


async def _consider(
    workspace: Workspace,
    sockets: Sockets,
    session: aiohttp.ClientSession,
    *,
    schedule: Schedule,
    row: Json,
) -> None:
    ident = row["id"]
    if row["expires"] and time.time() >= row["expires"]:
        sent = ident in schedule.flying or row.get("sent")
        give_up(workspace, ident, "operation_timeout" if sent else "dispatch_failed")
        return
    url = url_for(workspace, row["kind"])
    if url:
        _consider_http(workspace, session, url, schedule=schedule, row=row)
    else:
        await _consider_socket(workspace, sockets, schedule, row)


async def _consider_socket(
    workspace: Workspace, sockets: Sockets, schedule: Schedule, row: Json
) -> None:
    ident = row["id"]
    waiting = in_flight(sockets, ident)
    if waiting and time.time() < schedule.due.get(ident, 0):
        return
    if not sockets.open:
        schedule.due.pop(ident, None)
        return
    again = bool(row.get("sent"))
    if again:
        row = row | {"attempts": row["attempts"] + 1, "reason": "timeout"}
    if await send_envelope(sockets, row):
        workspace.state.put("outbox", ident, row | {"sent": True})
        schedule.due[ident] = time.time() + _patience(workspace, row, again)


def _patience(workspace: Workspace, row: Json, again: bool) -> float:
    """Seconds to wait for an acknowledgement before the next try."""
    if row["kind"] != EVENTS:
        return float("inf")
    if not again:
        return workspace.settings.ack_seconds
    later = dict(enumerate(_RETRY_SECONDS[1:], start=1))
    return later.get(row["attempts"], float("inf")) * workspace.settings.retry_scale


def _consider_http(
    workspace: Workspace,
    session: aiohttp.ClientSession,
    url: str,
    *,
    schedule: Schedule,
    row: Json,
) -> None:
    ident = row["id"]
    if ident in schedule.flying or time.time() < schedule.due.get(ident, 0):
        return
    attempt = _attempt(workspace, session, url, schedule=schedule, row=row)
    schedule.flying[ident] = asyncio.create_task(attempt)


async def _attempt(
    workspace: Workspace,
    session: aiohttp.ClientSession,
    url: str,
    *,
    schedule: Schedule,
    row: Json,
) -> None:
    ident = row["id"]
    try:
        outcome = await send_http(workspace, session, url, row)
    finally:
        schedule.flying.pop(ident, None)
    if outcome.body is not None:
        acknowledge(workspace, ident, outcome.body)
    elif row["kind"] != EVENTS or not outcome.retry or row["attempts"] >= len(_RETRY_SECONDS):
        late = outcome.reason == "http_timeout"
        give_up(workspace, ident, "operation_timeout" if late else "dispatch_failed")
    else:
        wait = _RETRY_SECONDS[row["attempts"]] * workspace.settings.retry_scale
        schedule.due[ident] = time.time() + wait
        changes = {"attempts": row["attempts"] + 1, "reason": outcome.reason}
        workspace.state.put("outbox", ident, row | changes)
    await workspace.state.save()
    workspace.woken.set()
