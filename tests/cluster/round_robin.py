"""One address for several web processes: each request goes to the next one that takes it."""

import itertools
from collections.abc import Sequence
from typing import Any

import aiohttp
from aiohttp import web

_HOP = {"host", "content-length", "transfer-encoding", "connection"}
_SECONDS = aiohttp.ClientTimeout(total=10, connect=1)


class RoundRobin:
    """The proxy; ``url`` is set once it listens, ``served`` counts each target's answers."""

    def __init__(self, targets: Sequence[str]) -> None:
        self._targets = tuple(targets)
        self._turns = itertools.count()
        self.served = dict.fromkeys(targets, 0)
        self.url = ""

    async def start(self, stack: Any) -> None:
        """Listen until ``stack`` closes."""
        self._session = await stack.enter_async_context(aiohttp.ClientSession())
        application = web.Application(client_max_size=2 * 1024 * 1024)
        application.router.add_route("*", "/{path:.*}", self._pass_on)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"

    async def _pass_on(self, request: web.Request) -> web.Response:
        body = await request.read()
        first = next(self._turns)
        for step in range(len(self._targets)):
            target = self._targets[(first + step) % len(self._targets)]
            try:
                return await self._ask(target, request, body)
            except aiohttp.ClientConnectorError:
                continue  # nobody listens there at the moment, so nothing was taken
            except (aiohttp.ClientError, TimeoutError):
                break  # it may have been taken: Slack is to send it again
        return web.Response(status=502)

    async def _ask(self, target: str, request: web.Request, body: bytes) -> web.Response:
        headers = {key: value for key, value in request.headers.items() if key.lower() not in _HOP}
        async with self._session.request(
            request.method, target + request.path_qs, data=body, headers=headers, timeout=_SECONDS
        ) as answer:
            content = await answer.read()
            self.served[target] += 1
            return web.Response(
                status=answer.status, body=content, content_type=answer.content_type
            )
