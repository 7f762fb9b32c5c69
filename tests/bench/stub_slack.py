"""A Slack that agrees to everything at once, so that a bench measures the workers alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

TEAM, BOT = "T0BENCH0001", "U0BENCHBOT1"

_ANSWERS: dict[str, dict[str, Any]] = {
    "auth.test": {"team_id": TEAM, "team": "Bench", "user_id": BOT, "bot_id": "B0BENCH0001"},
    "chat.update": {"ts": "1.000001"},
    "chat.postMessage": {"ts": "1.000001"},
}


async def _agree(request: web.Request) -> web.Response:
    answer = _ANSWERS.get(request.match_info["method"], {})
    return web.json_response({"ok": True, **answer})


@asynccontextmanager
async def stub_slack() -> AsyncIterator[str]:
    """Its API's address."""
    app = web.Application()
    app.router.add_route("*", "/api/{method}", _agree)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}/api/"
    finally:
        await runner.cleanup()
