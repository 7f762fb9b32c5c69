"""The live feed: which kinds of rows changed, as server-sent events.

A notice carries no content: ``{kind, key}``. The page reads again what the
person it shows may see.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable

from aiohttp import web

from .state import Json
from .workspace import Workspace

_SHOWN = {"modal", "view", "home", "status", "channel", "user", "failed", "prompts"}
_KEEP_ALIVE_SECONDS = 15.0
_GATHER_SECONDS = 0.02


def serve_feed(workspace: Workspace) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def feed(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        )
        await response.prepare(request)
        queue: asyncio.Queue[Json] = asyncio.Queue()
        workspace.state.watchers.add(queue)
        try:
            await response.write(b": open\n\n")
            while True:
                await response.write(await _next(queue))
        except ConnectionError:
            return response
        finally:
            workspace.state.watchers.discard(queue)

    return feed


async def _next(queue: "asyncio.Queue[Json]") -> bytes:
    try:
        first = await asyncio.wait_for(queue.get(), _KEEP_ALIVE_SECONDS)
    except TimeoutError:
        return b": still here\n\n"
    await asyncio.sleep(_GATHER_SECONDS)
    notices = [first]
    while not queue.empty():
        notices.append(queue.get_nowait())
    shown = {json.dumps(notice): None for notice in notices if _is_shown(notice["kind"])}
    return "".join(f"data: {notice}\n\n" for notice in shown).encode() or b": quiet\n\n"


def _is_shown(kind: str) -> bool:
    return kind in _SHOWN or kind.startswith(("message:", "ephemeral:"))
