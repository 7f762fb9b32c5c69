"""Runs the Slack side: the connection or the web server, and the worker when asked to."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from slack_bolt.async_app import AsyncApp

from bot import app as bolt
from bot import front_door
from bot.background import Background
from bot.errors import SlackUnavailable
from bot.inbound import switchboard
from bot.inbound.receiving import Receiving
from bot.installs import installing
from bot.parts import Parts, Workspaces
from bot.slots.leased import Lease
from bot.socket import connected
from bot.speaking import Setup, bound_tenant, opened, speaking
from bot.spool import SPOOL, Spool
from bot.watch import health, outside
from bot.watch.drifting import drifting
from bot.watch.lookout import Check
from bot.watch.watchdog import watching
from bot.work.at_work import at_work
from bot.worker import working
from rag.errors import FootnoteError

__all__ = ["Setup", "bound_tenant", "opened", "serve_http", "serve_socket", "work"]

log = logging.getLogger(__name__)

_DRAIN_SECONDS = 5.0


async def serve_socket(setup: Setup, *, work: bool, ready: Callable[[], None]) -> None:
    """Connect to Slack and stay until told to stop; ``ready`` is called once connected."""
    async with (
        _listening(setup, work=work) as (workspaces, app),
        connected(app, app_token=setup.app_token) as connection,
        _seen(setup, slack=_slack(workspaces, connection.is_connected)),
    ):
        stopped = _hear()  # whoever hears that we are ready may end us at once
        ready()
        await _until(stopped, setup)


async def serve_http(
    setup: Setup, *, work: bool, host: str, port: int, ready: Callable[[], None]
) -> None:
    """Let Slack call us, and stay until told to stop; ``ready`` is called once it can."""
    async with (
        _listening(setup, work=work) as (workspaces, app),
        _seen(setup, slack=_slack(workspaces)) as seen,
    ):
        application = front_door.build(app, signing_secrets=setup.signing_secrets)
        if setup.oauth:
            installing.add_routes(application, setup.oauth)
        if seen:
            health.add_routes(application, seen)
        async with front_door.listening(application, host=host, port=port):
            stopped = _hear()
            ready()
            await _until(stopped, setup)


async def work(setup: Setup) -> None:
    """Only take jobs, and stay until told to stop."""
    async with (
        speaking(setup) as (workspaces, _),
        _worker(setup, workspaces),
        watching(workspaces),
        drifting(workspaces),
        _seen(setup, slack=_slack(workspaces)),
    ):
        await _until(_hear(), setup)


@asynccontextmanager
async def _seen(setup: Setup, *, slack: Check) -> AsyncIterator[health.Outside | None]:
    if setup.shown is None:
        yield None
        return
    async with outside.opened(
        setup.shown,
        queue_url=setup.queue_url,
        folder=setup.folder,
        workers=setup.slots.alive,
        limits=setup.limits,
        slack=slack,
    ) as seen:
        yield seen


async def _without_socket() -> bool:
    """Slack comes to us, or only the Web API is used: there is nothing to be closed."""
    return True


def _slack(
    workspaces: Workspaces, connected: Callable[[], Awaitable[bool]] = _without_socket
) -> Check:
    """Whether the connection stands and Slack takes our token, where there is only one."""

    async def check() -> None:
        if not await connected():
            raise SlackUnavailable("the socket is closed")
        if isinstance(workspaces, Parts) and workspaces.client.paused:
            raise SlackUnavailable("the token is refused")

    return check


@asynccontextmanager
async def _listening(setup: Setup, *, work: bool) -> AsyncIterator[tuple[Workspaces, AsyncApp]]:
    async with AsyncExitStack() as stack:
        workspaces, client = await stack.enter_async_context(speaking(setup))
        background = Background()
        spool = Spool(setup.folder / SPOOL)
        receiving = Receiving(workspaces.queue, spool, grace_seconds=setup.grace_seconds)
        await stack.enter_async_context(receiving.draining())
        app = bolt.build(client=client, hear=switchboard.hearing(workspaces, background, receiving))
        if work:
            await stack.enter_async_context(_worker(setup, workspaces))
        await stack.enter_async_context(watching(workspaces))
        await stack.enter_async_context(drifting(workspaces))
        stack.push_async_callback(background.drain, _DRAIN_SECONDS)
        yield workspaces, app


@asynccontextmanager
async def _worker(setup: Setup, workspaces: Workspaces) -> AsyncIterator[None]:
    def begin() -> AbstractAsyncContextManager[Lease]:
        return working(
            workspaces,
            url=setup.queue_url,
            slots=setup.slots,
            concurrency=setup.concurrency,
            lost_seconds=setup.lost_seconds,
            connections=setup.connections,
        )

    await _prepared(setup, workspaces)
    async with at_work(begin), _refreshing(setup):
        yield


@asynccontextmanager
async def _refreshing(setup: Setup) -> AsyncIterator[None]:
    if setup.refresh is None:
        yield
        return
    task = asyncio.ensure_future(setup.refresh())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _prepared(setup: Setup, workspaces: Workspaces) -> None:
    """Let no job wait, and be there when its worker dies, for what can be done before."""
    if setup.prepare is None:
        return
    try:
        async with asyncio.timeout(setup.prepare_seconds):
            for tenant in {parts.tenant for parts in workspaces.all()}:
                await setup.prepare(tenant)
    except (FootnoteError, TimeoutError) as error:
        log.warning("the search is not ready yet: %s", type(error).__name__)


def _hear() -> asyncio.Event:
    """Set once the process is asked to end, by a signal or from the keyboard."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped


async def _until(stopped: asyncio.Event, setup: Setup) -> None:
    await stopped.wait()
    setup.stopping()
    log.info("stopping")
