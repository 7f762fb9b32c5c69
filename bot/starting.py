"""Puts the Slack side together from the settings, and runs it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

from aiohttp import web

from bot import front_door, serve
from bot.bringing import refreshing
from bot.doctor import SCOPES
from bot.errors import SettingsInvalid
from bot.extras import load
from bot.installs import installing
from bot.installs.installing import OAuth
from bot.parts import Answer, Record
from bot.processes import insist
from bot.queue.engine import system_url
from bot.settings import Settings
from bot.sources.shelving import recutting, shelving
from bot.stores import worker_slots
from bot.watch.metrics import Metrics
from bot.watch.outside import Shown
from bot.watch.watching import CountedReader, Watch, watched
from bot.wiring import World, open_world, working_context
from rag.pipeline import run
from rag.ports import Catalogue, Lease, Observer, Publisher, WorkingContext
from rag.values import Report, Request


async def run_slack(settings: Settings, *, work: bool, ready: Callable[[str], None]) -> None:
    """Speak with Slack until told to stop. Raises `BotError`, `StoreUnavailable`."""
    metrics = Metrics()
    async with (
        traced(settings) as spans,
        open_world(settings, meter=metrics) as world,
        working_context(settings) as context,
    ):
        setup = slack_setup(world, context, watches=spans, metrics=metrics)
        setup = replace(setup, stopping=insist)

        def said() -> None:
            ready("ready: connected to Slack")

        if settings.slack_mode == "socket":
            _require(settings.slack_app_token.get_secret_value(), "SLACK_APP_TOKEN")
            async with _install_pages(settings, setup.oauth):
                await serve.serve_socket(setup, work=work, ready=said)
        else:
            _require(settings.slack_signing_secret.get_secret_value(), "SLACK_SIGNING_SECRET")
            await serve.serve_http(
                setup, work=work, host=settings.host, port=settings.port, ready=said
            )


@asynccontextmanager
async def _install_pages(settings: Settings, oauth: OAuth | None) -> AsyncIterator[None]:
    """Where Slack does not call us, browsers still do, to install us."""
    if oauth is None:
        yield
        return
    application = web.Application(client_max_size=front_door.MAX_BYTES)
    installing.add_routes(application, oauth)
    async with front_door.listening(application, host=settings.host, port=settings.port):
        yield


async def run_worker(settings: Settings) -> None:
    """Work questions until told to stop."""
    metrics = Metrics()
    async with (
        traced(settings) as spans,
        open_world(settings, meter=metrics) as world,
        working_context(settings) as context,
    ):
        setup = slack_setup(world, context, watches=spans, metrics=metrics)
        await serve.work(replace(setup, prepare=partial(_prepare, world), stopping=insist))


async def _prepare(world: World, tenant: str) -> None:
    await world.index.prepare(tenant=tenant)


@asynccontextmanager
async def traced(settings: Settings) -> AsyncIterator[tuple[Watch, ...]]:
    """The spans that go to the collector, where one is named. Raises `SettingsInvalid`."""
    if not settings.otel_exporter_otlp_endpoint:
        yield ()
        return
    otlp = load("bot.engines.tracing_otlp", setting="OTEL_EXPORTER_OTLP_ENDPOINT", extra="tracing")
    with otlp.exported(settings.otel_exporter_otlp_endpoint) as spans:
        yield (spans,)


def slack_setup(
    world: World,
    context: WorkingContext,
    *,
    watches: Sequence[Watch] = (),
    metrics: Metrics | None = None,
) -> serve.Setup:
    """The Slack side's setup with this world behind it. Raises `SettingsInvalid`."""
    counted = metrics or Metrics()
    settings = world.settings
    _require_tokens(settings)

    def build_answer(catalogue: Catalogue) -> Answer:
        return _answering(world, context, catalogue, metrics=counted, watches=(counted, *watches))

    return serve.Setup(
        slack_api_url=settings.slack_api_url,
        bot_token=settings.slack_bot_token.get_secret_value(),
        app_token=settings.slack_app_token.get_secret_value(),
        signing_secrets=(
            settings.slack_signing_secret.get_secret_value(),
            settings.slack_signing_secret_previous.get_secret_value(),
        ),
        installations=world.installations if settings.oauth else None,
        oauth=_oauth(world) if settings.oauth else None,
        tenant=settings.tenant,
        tenants=world.tenants,
        record=_record(world),
        build_catalogue=world.build_catalogue,
        build_answer=build_answer,
        queue_url=system_url(settings.record_url, settings.home),
        folder=settings.home,
        slots=worker_slots(settings),
        limits=settings.limits,
        fair_use=settings.fair_use,
        concurrency=settings.concurrency,
        connections=settings.database_connections,
        expire_seconds=settings.expire_seconds,
        sweep_seconds=settings.sweep_seconds,
        membership_seconds=settings.membership_cache_seconds,
        post_gap=settings.post_gap_seconds,
        mention_only=settings.mention_only,
        contact=settings.contact,
        admins=settings.named_admins,
        refresh=refreshing(world),
        shelve=shelving(entries=world.catalogue, takes=world.intake, search=world.index),
        preview=world.intake.preview,
        recut=recutting(versions=world.chunks, search=world.index, pins=world.intake),
        files=world.files,
        meter=counted,
        shown=_shown(world, context, counted),
    )


def _require_tokens(settings: Settings) -> None:
    if settings.oauth:
        _require(settings.token_keys.get_secret_value(), "FOOTNOTE_TOKEN_KEYS")
    else:
        _require(settings.slack_bot_token.get_secret_value(), "SLACK_BOT_TOKEN")


def _record(world: World) -> Record:
    return Record(
        tasks=world.tasks,
        deliveries=world.deliveries,
        feedback=world.feedback,
        sources=world.catalogue,
        checkpoints=world.checkpoints,
        failures=world.failures,
        snapshots=world.snapshots,
        workers=world.workers,
        audit=world.audit,
        uses=world.uses,
        handoffs=world.handoffs,
        people=world.people,
        changes=world.changes,
        shown=world.shown,
        staged=world.staged,
    )


def _shown(world: World, context: WorkingContext, metrics: Metrics) -> Shown:
    settings = world.settings
    return Shown(
        metrics=metrics,
        ledger=world.outlook,
        context=context,
        host=settings.metrics_host,
        port=settings.metrics_port,
        token=settings.metrics_token.get_secret_value(),
    )


def _oauth(world: World) -> OAuth | None:
    """Our app as Slack knows it. Raises `SettingsInvalid`."""
    settings = world.settings
    _require(settings.public_url, "FOOTNOTE_PUBLIC_URL")
    if world.installations is None:
        return None
    return OAuth(
        client_id=settings.oauth_client_id,
        client_secret=settings.oauth_client_secret.get_secret_value(),
        slack_api_url=settings.slack_api_url,
        public_url=settings.public_url,
        scopes=tuple(sorted(SCOPES)),
        strangers=settings.oauth_tenants == "open",
        states=world.oauth_states,
        book=world.installations,
    )


def _answering(
    world: World,
    context: WorkingContext,
    catalogue: Catalogue,
    *,
    metrics: Metrics,
    watches: Sequence[Watch],
) -> Answer:
    """The pipeline that asks this catalogue, with every run and stage seen."""

    async def answer(
        request: Request, lease: Lease, publisher: Publisher, observer: Observer
    ) -> Report:
        with watched(observer, watches, task=request.task) as seen:
            ports = world.ports(
                context=context, publisher=publisher, observer=seen, catalogue=catalogue
            )
            counted = replace(ports, reader=CountedReader(ports.reader, metrics))
            return await run(request, counted, limits=world.settings.limits, lease=lease)

    return answer


def _require(value: str, name: str) -> None:
    if not value:
        raise SettingsInvalid(f"{name} is not set; `footnote doctor` says where to find it")
