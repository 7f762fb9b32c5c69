"""Runs the Slack side: the connection or the web server, and the worker when asked to."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from slack_bolt.async_app import AsyncApp

from bot import app as bolt
from bot import front_door, health, listening, outside
from bot.at_work import at_work
from bot.background import Background
from bot.drifting import drifting
from bot.errors import NotBound, SlackUnavailable
from bot.fair_use import ORDINARY, FairUse
from bot.identity import Profiles
from bot.liveness import LOST_SECONDS
from bot.lookout import Check
from bot.metering import UNMETERED, Meter
from bot.pacing import POST_GAP_SECONDS
from bot.parts import BuildAnswer, BuildCatalogue, Parts, Record, Shelve, no_shelf
from bot.posting import Poster
from bot.queue import Queue
from bot.queue_engine import CONNECTIONS
from bot.queue_tables import prepare
from bot.receiving import GRACE_SECONDS, Receiving
from bot.record import Tenants
from bot.slack_client import Installation, Slack, open_client, whoami
from bot.slack_directory import slack_directory
from bot.slots import Lease, Slots
from bot.socket import connected
from bot.spool import SPOOL, Spool
from bot.watchdog import watching
from bot.worker import working
from rag.errors import FootnoteError
from rag.values import Limits

log = logging.getLogger(__name__)

_DRAIN_SECONDS = 5.0
PREPARE_SECONDS = 10.0


Prepare = Callable[[str], Awaitable[None]]
"""Loads what a tenant's first question would wait for."""


def _at_leisure() -> None:
    """Nobody insists that a stop comes to its end."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """All that starting needs. ``tenant`` is bound to the workspace when it has none yet.

    ``folder`` holds the job queue's file where it has one, ``queue_url`` names the
    queue's database (`bot.queue_engine.system_url`). ``stopping`` is called once the
    process is asked to end.
    """

    slack_api_url: str
    bot_token: str
    app_token: str
    signing_secrets: Sequence[str]
    tenant: str
    tenants: Tenants
    record: Record
    build_catalogue: BuildCatalogue
    build_answer: BuildAnswer
    queue_url: str
    folder: Path
    slots: Slots
    limits: Limits
    fair_use: FairUse = ORDINARY
    concurrency: int = 4
    connections: int = CONNECTIONS
    expire_seconds: float = 3600.0
    sweep_seconds: float = 600.0
    lost_seconds: float = LOST_SECONDS
    membership_seconds: float = 60.0
    mention_only: bool = False
    contact: str = ""
    admins: Sequence[str] = ()
    shelve: Shelve = no_shelf
    post_gap: float = POST_GAP_SECONDS
    prepare: Prepare | None = None
    prepare_seconds: float = PREPARE_SECONDS
    stopping: Callable[[], None] = _at_leisure
    meter: Meter = UNMETERED
    shown: outside.Shown | None = None
    grace_seconds: float = GRACE_SECONDS


@asynccontextmanager
async def opened(setup: Setup) -> AsyncIterator[Parts]:
    """The workspace's parts, connected to Slack's Web API and to the queue.

    Raises NotBound, SlackUnavailable, StoreUnavailable.
    """
    async with AsyncExitStack() as stack:
        await asyncio.to_thread(prepare, setup.queue_url)
        client = await stack.enter_async_context(
            open_client(
                token=setup.bot_token,
                base_url=setup.slack_api_url,
                post_gap=setup.post_gap,
                meter=setup.meter,
            )
        )
        installation = await whoami(client)
        tenant = await bound_tenant(setup.tenants, installation, wanted=setup.tenant)
        queue = Queue(setup.queue_url, workspace=installation.team_id, meter=setup.meter)
        stack.callback(queue.close)
        watched = stack.enter_context(client.watched())
        yield _parts(setup, watched, installation, tenant=tenant, queue=queue)


def _parts(
    setup: Setup,
    client: Slack,
    installation: Installation,
    *,
    tenant: str,
    queue: Queue,
) -> Parts:
    profiles = Profiles(client, installation, keep_seconds=setup.membership_seconds)
    directory = slack_directory(
        client, installation, tenant=tenant, profiles=profiles, changes=setup.record.changes
    )
    catalogue = setup.build_catalogue(directory)
    return Parts(
        tenant=tenant,
        installation=installation,
        client=client,
        poster=Poster(client, installation, setup.record.deliveries),
        profiles=profiles,
        directory=directory,
        record=setup.record,
        catalogue=catalogue,
        answer=setup.build_answer(catalogue),
        queue=queue,
        limits=setup.limits,
        fair_use=setup.fair_use,
        contact=setup.contact,
        admins=tuple(setup.admins),
        shelve=setup.shelve,
        mention_only=setup.mention_only,
        expire_seconds=setup.expire_seconds,
        sweep_seconds=setup.sweep_seconds,
        meter=setup.meter,
    )


async def bound_tenant(tenants: Tenants, installation: Installation, *, wanted: str) -> str:
    """The tenant of this workspace, bound now to ``wanted`` when it has none.

    Raises NotBound with what to type.
    """
    team, enterprise = installation.team_id, installation.enterprise_id or None
    found = await tenants.of(team=team, enterprise=enterprise)
    if found is not None:
        return found
    if not wanted:
        raise NotBound(
            f"The workspace {installation.team_name or team} belongs to no tenant yet. "
            f"Type `footnote tenants bind TENANT {team}`, or set FOOTNOTE_TENANT."
        )
    await tenants.bind(tenant=wanted, team=team)
    return wanted


async def serve_socket(setup: Setup, *, work: bool, ready: Callable[[], None]) -> None:
    """Connect to Slack and stay until told to stop; ``ready`` is called once connected."""
    async with (
        _listening(setup, work=work) as (parts, app),
        connected(app, app_token=setup.app_token) as connection,
        _seen(setup, slack=_slack(parts, connection.is_connected)),
    ):
        ready()
        await _until_stopped(setup)


async def serve_http(
    setup: Setup, *, work: bool, host: str, port: int, ready: Callable[[], None]
) -> None:
    """Let Slack call us, and stay until told to stop; ``ready`` is called once it can."""
    async with (
        _listening(setup, work=work) as (parts, app),
        _seen(setup, slack=_slack(parts)) as seen,
    ):
        application = front_door.build(app, signing_secrets=setup.signing_secrets)
        if seen:
            health.add_routes(application, seen)
        async with front_door.listening(application, host=host, port=port):
            ready()
            await _until_stopped(setup)


async def work(setup: Setup) -> None:
    """Only take jobs, and stay until told to stop."""
    async with (
        opened(setup) as parts,
        _worker(setup, parts),
        watching(parts),
        drifting(parts),
        _seen(setup, slack=_slack(parts)),
    ):
        await _until_stopped(setup)


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


def _slack(parts: Parts, connected: Callable[[], Awaitable[bool]] = _without_socket) -> Check:
    """Whether the connection stands and Slack takes our token."""

    async def check() -> None:
        if not await connected():
            raise SlackUnavailable("the socket is closed")
        if parts.client.watch and parts.client.watch.reason:
            raise SlackUnavailable("the token is refused")

    return check


@asynccontextmanager
async def _listening(setup: Setup, *, work: bool) -> AsyncIterator[tuple[Parts, AsyncApp]]:
    async with AsyncExitStack() as stack:
        parts = await stack.enter_async_context(opened(setup))
        background = Background()
        spool = Spool(setup.folder / SPOOL)
        receiving = Receiving(parts.queue, spool, grace_seconds=setup.grace_seconds)
        await stack.enter_async_context(receiving.draining())
        deps = listening.build(parts, background, receiving)
        app = bolt.build(client=parts.client.web, installation=parts.installation, deps=deps)
        if work:
            await stack.enter_async_context(_worker(setup, parts))
        await stack.enter_async_context(watching(parts))
        await stack.enter_async_context(drifting(parts))
        stack.push_async_callback(background.drain, _DRAIN_SECONDS)
        yield parts, app


@asynccontextmanager
async def _worker(setup: Setup, parts: Parts) -> AsyncIterator[None]:
    def begin() -> AbstractAsyncContextManager[Lease]:
        return working(
            parts,
            url=setup.queue_url,
            slots=setup.slots,
            concurrency=setup.concurrency,
            lost_seconds=setup.lost_seconds,
            connections=setup.connections,
        )

    await _prepared(setup, parts.tenant)
    async with at_work(begin):
        yield


async def _prepared(setup: Setup, tenant: str) -> None:
    """Let no job wait, and be there when its worker dies, for what can be done before."""
    if setup.prepare is None:
        return
    try:
        await asyncio.wait_for(setup.prepare(tenant), setup.prepare_seconds)
    except (FootnoteError, TimeoutError) as error:
        log.warning("the search is not ready yet: %s", type(error).__name__)


async def _until_stopped(setup: Setup) -> None:
    """Return when the process is asked to end, by a signal or from the keyboard."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
    setup.stopping()
    log.info("stopping")
