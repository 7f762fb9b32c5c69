"""What a process speaks for: the one workspace of its bot token, or every installation."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import NotBound
from bot.fair_use import ORDINARY, FairUse
from bot.inbound.receiving import GRACE_SECONDS
from bot.installations import Everyone, kept_up
from bot.installs.installing import OAuth
from bot.installs.pausing import notice, pause_if_ended
from bot.loaders.loading import PLAIN_ONLY
from bot.metering import UNMETERED, Meter
from bot.parts import (
    BuildAnswer,
    BuildCatalogue,
    Parts,
    Preview,
    Record,
    Recut,
    Shelve,
    Workspaces,
    no_preview,
    no_recut,
    no_shelf,
)
from bot.posts.posting import Poster
from bot.queue.durable import Queue
from bot.queue.engine import CONNECTIONS
from bot.queue.lines import SHARED
from bot.queue.liveness import LOST_SECONDS
from bot.queue.tables import prepare
from bot.record import Tenants
from bot.slack.client import Installation, Slack, open_client, whoami
from bot.slack.directory import slack_directory
from bot.slack.fetching import Files
from bot.slack.identity import Profiles
from bot.slack.installed import Installations, Installed
from bot.slack.pacing import POST_GAP_SECONDS
from bot.slots.leased import Slots
from bot.watch import outside
from handlers.deps import Address
from rag.values import Limits

PREPARE_SECONDS = 10.0
_NOBODYS = "of-nobody"  # Bolt takes one from the environment when it is given none


Prepare = Callable[[str], Awaitable[None]]
"""Loads what a tenant's first question would wait for."""


def _at_leisure() -> None:
    """Nobody insists that a stop comes to its end."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """All that starting needs. ``tenant`` is bound to the workspace when it has none yet.

    With ``installations`` the process speaks for all of those, else with ``bot_token``;
    ``oauth`` is how there come to be more of them.

    ``folder`` holds the job queue's file where it has one, ``queue_url`` names the
    queue's database (`bot.queue.engine.system_url`). ``stopping`` is called once the
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
    preview: Preview = no_preview
    recut: Recut = no_recut
    refresh: Callable[[], Awaitable[None]] | None = None
    files: Files = PLAIN_ONLY
    post_gap: float = POST_GAP_SECONDS
    prepare: Prepare | None = None
    prepare_seconds: float = PREPARE_SECONDS
    stopping: Callable[[], None] = _at_leisure
    meter: Meter = UNMETERED
    shown: outside.Shown | None = None
    installations: Installations | None = None
    oauth: OAuth | None = None
    grace_seconds: float = GRACE_SECONDS


@asynccontextmanager
async def opened(setup: Setup) -> AsyncIterator[Parts]:
    """The bot token's workspace's parts, connected to Slack's Web API and to the queue.

    Raises NotBound, SlackUnavailable, StoreUnavailable.
    """
    async with AsyncExitStack() as stack:
        await asyncio.to_thread(prepare, setup.queue_url)
        client = await stack.enter_async_context(_client(setup, setup.bot_token))
        installation = await whoami(client)
        tenant = await bound_tenant(setup.tenants, installation, wanted=setup.tenant)
        queue = Queue(setup.queue_url, workspace=installation.home, meter=setup.meter)
        stack.callback(queue.close)
        watched = stack.enter_context(client.watched())
        yield _parts(setup, watched, installation, tenant=tenant, queue=queue)


@asynccontextmanager
async def opened_all(setup: Setup, kept: Installations) -> AsyncIterator[Everyone]:
    """The parts of every installation, looked for again and again. Raises StoreUnavailable."""
    await asyncio.to_thread(prepare, setup.queue_url)
    with closing(Queue(setup.queue_url, workspace=SHARED, meter=setup.meter)) as queue:
        everyone = Everyone(
            kept,
            partial(_installed, setup, queue),
            queue=queue,
            record=setup.record,
            meter=setup.meter,
        )
        async with kept_up(everyone):
            yield everyone


@asynccontextmanager
async def _installed(setup: Setup, queue: Queue, kept: Installed) -> AsyncIterator[Parts]:
    installation = kept.installation
    address = Address(team_id=installation.team_id, enterprise_id=installation.enterprise_id)
    async with _client(setup, kept.bot_token.get_secret_value()) as client:
        with client.watched() as watched:
            parts = _parts(setup, watched, installation, tenant=kept.tenant, queue=queue)
            yield replace(parts, address=address, ended=partial(_paused, setup, installation.home))


async def _paused(setup: Setup, home: str, reason: str) -> None:
    if setup.installations is not None:
        await pause_if_ended(
            setup.installations, home=home, reason=reason, slack_api_url=setup.slack_api_url
        )


@asynccontextmanager
async def speaking(setup: Setup) -> AsyncIterator[tuple[Workspaces, AsyncWebClient]]:
    """All that this process speaks for, and the way to Slack without anybody's token."""
    if setup.installations is None:
        async with opened(setup) as parts:
            yield parts, parts.client.web
    else:
        async with (
            opened_all(setup, setup.installations) as everyone,
            _client(setup, _NOBODYS) as way,
        ):
            yield everyone, way.web


def _client(setup: Setup, token: str) -> AbstractAsyncContextManager[Slack]:
    return open_client(
        token=token, base_url=setup.slack_api_url, post_gap=setup.post_gap, meter=setup.meter
    )


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
        preview=setup.preview,
        recut=setup.recut,
        files=setup.files,
        mention_only=setup.mention_only,
        expire_seconds=setup.expire_seconds,
        sweep_seconds=setup.sweep_seconds,
        meter=setup.meter,
        ended=partial(notice, client),
    )


async def bound_tenant(tenants: Tenants, installation: Installation, *, wanted: str) -> str:
    """The tenant of this workspace, bound now to ``wanted`` when it has none.

    Raises NotBound with what to type.
    """
    team, enterprise = installation.home, installation.enterprise_id or None
    found = await tenants.of(team=team, enterprise=enterprise)
    if found is not None:
        return found
    if not wanted:
        raise NotBound(
            f"The workspace {installation.team_name or team} belongs to no tenant yet. "
            f"Type `footnote tenants bind TENANT {team}`, or set FOOTNOTE_TENANT."
        )
    await tenants.bind(tenant=wanted, team=team, enterprise=not installation.team_id)
    return wanted
