"""The server: every route of the playground."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from . import (
    json_api,
    json_api_actions,
    json_api_places,
    oauth,
    webapi_chat,
    webapi_places,
    webapi_views,
)
from .delivery import deliver
from .errors import PlaygroundError
from .feed import serve_feed
from .oauth import add_oauth
from .response_urls import serve_response_url
from .settings import Settings, read_description
from .socket_mode import Sockets, disconnect_all, open_method, serve_socket
from .state import State
from .webapi import decode, web_api
from .workspace import Workspace, seed

PAGE = Path(__file__).parent / "page"
MAX_BODY = 8 * 1024 * 1024
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_EVERY_ADDRESS = {"0.0.0.0", "::"}  # noqa: S104 - compared with, never bound by default
_LOCAL_HOSTS = {"127.0.0.1", "localhost", "[::1]"}


@dataclass(frozen=True)
class Running:
    """A playground that answers. ``url`` is its page; ``api_url`` its Web API."""

    workspace: Workspace
    runner: web.AppRunner
    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def api_url(self) -> str:
        return f"{self.url}/api/"

    @property
    def team_id(self) -> str:
        return self.workspace.team_id

    async def close(self) -> None:
        """Ends every connection; what happened so far is on disk."""
        await self.runner.cleanup()


async def start(settings: Settings) -> Running:
    """Starts a playground and returns once it answers.

    Raises PlaygroundError when the data folder is in use or the port is taken.
    """
    workspaces = [_workspace(settings), *map(_workspace, _neighbours(settings))]
    for workspace in workspaces:
        seed(workspace)
        await workspace.state.save()
    runner = web.AppRunner(build(workspaces), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.host, settings.port)
        await site.start()
    except OSError as error:
        await runner.cleanup()
        raise PlaygroundError(f"port {settings.port} cannot be opened: {error}") from error
    port = int(runner.addresses[0][1])
    shown = "127.0.0.1" if settings.host in _EVERY_ADDRESS else settings.host
    running = Running(workspaces[0], runner, shown, port)
    for workspace in workspaces:
        workspace.base = running.url
    for workspace in workspaces[1:]:
        workspace.base += _below(workspace)
    return running


def _workspace(settings: Settings) -> Workspace:
    return Workspace(settings, read_description(settings), State(settings.data))


def _neighbours(settings: Settings) -> list[Settings]:
    """The settings of the further workspaces: the same app, with places of their own."""
    found = []
    for path in settings.neighbours:
        team = read_description(settings.model_copy(update={"description": path})).team.id
        changes = {
            "description": path,
            "data": settings.data / team,
            "bot_token": f"{settings.bot_token}-{team}",
        }
        found.append(settings.model_copy(update=changes))
    return found


def _below(workspace: Workspace) -> str:
    """Where a neighbour's page and its JSON API begin."""
    return f"/team/{workspace.team_id}"


def build(workspaces: Sequence[Workspace]) -> web.Application:
    """The application of the first workspace, with its neighbours below it."""
    sockets = Sockets(tuple(workspaces))
    app = _build(workspaces[0], sockets, workspaces)
    add_oauth(app, workspaces)
    for neighbour in workspaces[1:]:
        app.add_subapp(_below(neighbour), _build(neighbour, sockets, [neighbour]))
    return app


def _build(workspace: Workspace, sockets: Sockets, reached: Sequence[Workspace]) -> web.Application:
    """A workspace's own application; its delivery loop runs with it."""
    app = web.Application(client_max_size=MAX_BODY, middlewares=[_guard(workspace)])
    methods = {
        **webapi_chat.METHODS,
        **webapi_places.METHODS,
        **webapi_views.METHODS,
        "apps.connections.open": open_method(sockets),
    }
    app.router.add_route("*", "/api/{method}", web_api(reached, methods))
    _add_sockets(app, workspace, sockets)
    _add_json_api(app, workspace)
    _add_page(app)
    app.cleanup_ctx.append(_delivering(workspace, sockets))
    return app


def _add_sockets(app: web.Application, workspace: Workspace, sockets: Sockets) -> None:
    async def link(request: web.Request) -> web.StreamResponse:
        return await serve_socket(sockets, request)

    async def disconnect(request: web.Request) -> web.StreamResponse:
        args = await decode(request)
        asked = await disconnect_all(sockets, str(args.get("reason") or "refresh_requested"))
        return web.json_response({"ok": True, "sockets": asked})

    async def response_url(request: web.Request) -> web.StreamResponse:
        return await serve_response_url(workspace, request)

    app.router.add_get("/link/", link)
    app.router.add_post("/playground/disconnect", disconnect)
    for kind in ("commands", "actions"):
        app.router.add_post(f"/{kind}/{{team}}/{{secret}}", response_url)


def _add_json_api(app: web.Application, workspace: Workspace) -> None:
    for module in (json_api, json_api_actions, json_api_places, oauth):
        for name, call in module.READS.items():
            app.router.add_get(f"/playground/{name}", json_api.answering(workspace, call))
        for name, call in module.WRITES.items():
            app.router.add_post(f"/playground/{name}", json_api.answering(workspace, call))
    app.router.add_post("/playground/submit", json_api_actions.submitting(workspace))
    app.router.add_get("/files-pri/{file}/{name:.*}", json_api_places.serving_file(workspace))
    app.router.add_get("/playground/feed", serve_feed(workspace))


def _add_page(app: web.Application) -> None:
    async def index(_request: web.Request) -> web.StreamResponse:
        headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
        return web.FileResponse(PAGE / "index.html", headers=headers)

    app.router.add_get("/", index)
    app.router.add_static("/page", PAGE)


def _guard(workspace: Workspace) -> Middleware:
    """Keeps other web sites' scripts from driving a workspace on this machine."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if origin is not None and origin.split("://", 1)[-1] != request.host:
            return web.json_response({"ok": False, "error": "wrong_origin"}, status=403)
        local = workspace.settings.host in ("127.0.0.1", "localhost", "::1")
        if local and request.host.rsplit(":", 1)[0] not in _LOCAL_HOSTS:
            return web.json_response({"ok": False, "error": "wrong_host"}, status=403)
        return await handler(request)

    return guard


def _delivering(
    workspace: Workspace, sockets: Sockets
) -> Callable[[web.Application], AsyncIterator[None]]:
    async def context(_app: web.Application) -> AsyncIterator[None]:
        async with aiohttp.ClientSession() as session:
            task = asyncio.create_task(deliver(workspace, sockets, session))
            yield
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await workspace.state.close()

    return context


async def serve(settings: Settings, *, ready: Callable[[Running], None]) -> None:
    """Runs a playground until cancelled; ``ready`` is told once it answers."""
    running = await start(settings)
    try:
        ready(running)
        await asyncio.Event().wait()
    finally:
        await running.close()
