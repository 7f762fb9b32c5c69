"""The bot against a playground, over real sockets, with a real record and a small catalogue."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp

from bot import app as bolt
from bot import front_door
from bot.background import Background
from bot.database_urls import sqlite_url
from bot.fair_use import FairUse
from bot.inbound import switchboard
from bot.inbound.receiving import GRACE_SECONDS, Receiving
from bot.loaders.chunking import cut
from bot.loaders.loaded import Loaded
from bot.loaders.loading import PLAIN_ONLY
from bot.metering import UNMETERED, Meter
from bot.parts import Parts, Record
from bot.playground import Running, Settings, start
from bot.queue.durable import Queue
from bot.queue.engine import system_url
from bot.queue.tables import prepare
from bot.serve import Setup, opened
from bot.slots.file_slots import FileSlots
from bot.slots.leased import Slots
from bot.slots.session_slots import SessionSlots
from bot.socket import connected
from bot.sources.originals import name_of
from bot.sources.shelving import shelving
from bot.spool import Spool
from bot.storage.audit import SqlAudit
from bot.storage.catalogue import SqlCatalogue
from bot.storage.changes import SqlChanges
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.database import Database
from bot.storage.deliveries import SqlDeliveries
from bot.storage.directory import StoredDirectory
from bot.storage.failures import SqlFailures
from bot.storage.feedback import SqlFeedback
from bot.storage.handoffs import SqlHandoffs
from bot.storage.migrate import ensure
from bot.storage.people import SqlPeople
from bot.storage.rows import utc_now
from bot.storage.showing import SqlShowing
from bot.storage.snapshots import SqlSnapshots
from bot.storage.staged import SqlStaged
from bot.storage.tasks import SqlTasks
from bot.storage.tenants import SqlTenants
from bot.storage.uses import SqlUses
from bot.storage.workers import SqlWorkers
from bot.worker import working
from rag.text.chunk.cutting import Text
from rag.values import Chunk, Kind, Limits, Pinned, Request, Source
from tests.bot.slack.scripted import HANDBOOK, Scripted
from tests.playground.conftest import Driver, Json, until
from tests.unlimited import UNLIMITED

ALICE, BOB, CAROL, DANA = "U0ALICE0001", "U0BOB000001", "U0CAROL0001", "U0DANA00001"
TENANT = "demo"
SQLITE, POSTGRESQL = "sqlite", "postgresql"
on_both = pytest.mark.parametrize("company_url", [SQLITE, POSTGRESQL], indirect=True)


class Company:
    """A record with one tenant and the handbook, at ``url`` or in a file of its folder."""

    def __init__(self, folder: Path, url: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.given = url
        self.url = url or sqlite_url(folder / "footnote.db")
        self.slots: Slots = SessionSlots(url) if url else FileSlots(folder / "workers")
        ensure(self.url)
        self.database = Database(self.url)
        self.tenants = SqlTenants(self.database)
        self.snapshots = SqlSnapshots(self.database)
        self.sources = SqlCatalogue(self.database, StoredDirectory(self.database))
        self.record = Record(
            tasks=SqlTasks(self.database),
            failures=SqlFailures(self.database),
            deliveries=SqlDeliveries(self.database),
            feedback=SqlFeedback(self.database),
            sources=self.sources,
            checkpoints=SqlCheckpoints(self.database),
            snapshots=self.snapshots,
            workers=SqlWorkers(self.database),
            audit=SqlAudit(self.database),
            uses=SqlUses(self.database),
            handoffs=SqlHandoffs(self.database),
            people=SqlPeople(self.database),
            changes=SqlChanges(self.database),
            shown=SqlShowing(self.database),
            staged=SqlStaged(self.database),
        )

    async def seed(self, *, team: str) -> None:
        await self.tenants.create(TENANT)
        await self.tenants.bind(tenant=TENANT, team=team)
        await self.put("handbook", readers=("everyone",))

    async def put(
        self,
        ident: str,
        *,
        readers: tuple[str, ...],
        text: str = HANDBOOK,
        owner: str = "Operations",
        tenant: str = TENANT,
        title: str = "",
    ) -> None:
        snapshot = await self.snapshots.put(text)
        source = Source(
            id=ident,
            tenant=tenant,
            title=title or ident.title(),
            kind=Kind.DOCUMENT,
            ref=f"{ident}.md",
            readers=readers,
            owner=owner,
            snapshot=snapshot,
            updated_at=datetime(2026, 11, 1, tzinfo=UTC),
        )
        await self.sources.put(source)
        await self.sources.ingested(
            tenant=tenant, source_id=ident, snapshot=snapshot, at=datetime.now(UTC)
        )


@pytest.fixture
async def queue_url(migrated_url: str, tmp_path: Path) -> str:
    """The URL of an empty queue, once on each kind of database."""
    url = system_url(migrated_url, tmp_path)
    await asyncio.to_thread(prepare, url)
    return url


@pytest.fixture
def queue(queue_url: str) -> Iterator[Queue]:
    made = Queue(queue_url)
    yield made
    made.close()


class Bot:
    """A running bot: its parts and what its pipeline was asked."""

    def __init__(self, parts: Parts, pipeline: Scripted) -> None:
        self.parts = parts
        self.pipeline = pipeline


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    settings = Settings(data=tmp_path / "playground", ack_seconds=1.5, retry_scale=0.01)
    playground = await start(settings)
    yield playground
    await playground.close()


@pytest.fixture
async def driver(running: Running) -> AsyncIterator[Driver]:
    async with aiohttp.ClientSession() as session:
        yield Driver(running, session)


@pytest.fixture
def company_url(request: pytest.FixtureRequest) -> str:
    """Where the company's record and queue lie: in files, or in one PostgreSQL.

    In files, unless a module or `on_both` says otherwise.
    """
    if getattr(request, "param", SQLITE) == SQLITE:
        return ""
    url: str = request.getfixturevalue("migrated_postgres_url")
    return url


@pytest.fixture
async def company(tmp_path: Path, running: Running, company_url: str) -> AsyncIterator[Company]:
    made = Company(tmp_path / "data", company_url)
    await made.seed(team=running.team_id)
    yield made
    await made.database.close()


def no_pause(_request: Request) -> float:
    return 0.0


def setup_of(
    company: Company,
    api_url: str,
    *,
    pause: Callable[[Request], float] = no_pause,
    limits: Limits | None = None,
    meter: Meter = UNMETERED,
    fair: FairUse = UNLIMITED,
    admins: Sequence[str] = (),
) -> tuple[Setup, list[Scripted]]:
    """What starts this company's bot, and the pipelines it will have made."""
    made: list[Scripted] = []

    def build_answer(catalogue: Any) -> Scripted:
        record = company.record
        made.append(Scripted(catalogue, record.checkpoints, record.snapshots, pause=pause))
        return made[-1]

    setup = Setup(
        slack_api_url=api_url,
        bot_token="xoxb-playground",
        app_token="xapp-playground",
        signing_secrets=["playground-secret"],
        tenant=TENANT,
        tenants=company.tenants,
        record=company.record,
        build_catalogue=lambda directory: SqlCatalogue(company.database, directory),
        build_answer=build_answer,
        queue_url=system_url(company.url, company.folder),
        folder=company.folder,
        slots=company.slots,
        limits=limits or Limits(),
        fair_use=fair,
        membership_seconds=0.0,
        post_gap=0.0,
        meter=meter,
        admins=admins,
        shelve=shelving(
            entries=company.sources, takes=Unsearched(company), search=Unsearched(company)
        ),
        preview=cut_plainly,
    )
    return setup, made


@dataclass(frozen=True)
class Unsearched:
    """`bot.sources.shelving.Takes` without a search: the scripted pipeline looks nothing up."""

    company: Company

    async def take(self, source: Source, loaded: Loaded) -> Pinned:
        sha, at = await self.company.snapshots.put(loaded.text), utc_now()
        await self.company.sources.ingested(
            tenant=source.tenant, source_id=source.id, snapshot=sha, at=at
        )
        return source.pinned_at(sha, at)

    async def remove(self, **_named: object) -> None:
        """There is nothing to take out."""


async def cut_plainly(source: Source, loaded: Loaded | None = None) -> tuple[Chunk, ...]:
    """`bot.parts.Preview` that counts words as tokens and reads no file but plain text."""
    if loaded is None:
        text = await asyncio.to_thread(Path(source.ref).read_text, "utf-8")
        loaded = PLAIN_ONLY.plain(text, name=source.ref)
    sha = name_of(loaded.text)
    of = Text(source_id=source.id, snapshot=sha, title=source.title, text=loaded.text)
    return cut(of, loaded, source=source, count_tokens=words_in, limits=Limits())


def words_in(text: str) -> int:
    """A stand-in for tokens."""
    return len(text.split())


@asynccontextmanager
async def parts_of(
    company: Company,
    running: Running,
    *,
    pause: Callable[[Request], float] = no_pause,
    limits: Limits | None = None,
    meter: Meter = UNMETERED,
    fair: FairUse = UNLIMITED,
    admins: Sequence[str] = (),
) -> AsyncIterator[Bot]:
    """The parts of a bot of this company in this playground."""
    setup, made = setup_of(
        company, running.api_url, pause=pause, limits=limits, meter=meter, fair=fair, admins=admins
    )
    async with opened(setup) as parts:
        yield Bot(parts, made[0])


@asynccontextmanager
async def received(
    bot: Bot, company: Company, *, grace_seconds: float = GRACE_SECONDS
) -> AsyncIterator[Receiving]:
    """Where this bot's listeners put their jobs, laid by in the company's folder."""
    spool = Spool(company.folder / "spool")
    receiving = Receiving(bot.parts.queue, spool, grace_seconds=grace_seconds)
    async with receiving.draining():
        yield receiving


def app_of(bot: Bot, receiving: Receiving, background: Background) -> AsyncApp:
    """The Bolt app of this bot alone."""
    hear = switchboard.hearing(bot.parts, background, receiving)
    return bolt.build(client=bot.parts.client.web, hear=hear)


@asynccontextmanager
async def socket_bot(
    company: Company,
    running: Running,
    *,
    pause: Callable[[Request], float] = no_pause,
    limits: Limits | None = None,
    meter: Meter = UNMETERED,
    fair: FairUse = UNLIMITED,
    admins: Sequence[str] = (),
) -> AsyncIterator[Bot]:
    """A bot that listens over Socket Mode and works its own jobs."""
    async with (
        parts_of(
            company, running, pause=pause, limits=limits, meter=meter, fair=fair, admins=admins
        ) as bot,
        received(bot, company) as receiving,
    ):
        background = Background()
        app = app_of(bot, receiving, background)
        queue_url = system_url(company.url, company.folder)
        async with working(bot.parts, url=queue_url, slots=company.slots, concurrency=2):
            async with connected(app, app_token="xapp-playground"):
                yield bot
            await background.drain(2.0)


@asynccontextmanager
async def http_door(
    company: Company,
    running: Running,
    *,
    grace_seconds: float = GRACE_SECONDS,
    pause: Callable[[Request], float] = no_pause,
) -> AsyncIterator[tuple[Bot, str]]:
    """A front door whose jobs nobody takes yet; the address Slack calls."""
    async with (
        parts_of(company, running, pause=pause) as bot,
        received(bot, company, grace_seconds=grace_seconds) as receiving,
    ):
        background = Background()
        app = app_of(bot, receiving, background)
        application = front_door.build(
            app, signing_secrets=["", "playground-secret", "old-secret"], body_seconds=1.0
        )
        async with front_door.listening(application, host="127.0.0.1", port=0) as port:
            yield bot, f"http://127.0.0.1:{port}{front_door.PATH}"
            await background.drain(2.0)


@asynccontextmanager
async def http_bot(
    company: Company, running: Running, *, pause: Callable[[Request], float] = no_pause
) -> AsyncIterator[tuple[Bot, str]]:
    """A bot behind the front door that works its own jobs; the address Slack calls."""
    async with http_door(company, running, pause=pause) as (bot, url):
        queue_url = system_url(company.url, company.folder)
        async with working(bot.parts, url=queue_url, slots=company.slots, concurrency=2):
            yield bot, url


@pytest.fixture
async def bot(company: Company, running: Running) -> AsyncIterator[Bot]:
    async with socket_bot(company, running) as made:
        yield made


def finished(message: Json) -> bool:
    return all(block.get("block_id") != "progress" for block in message.get("blocks", []))


async def replies(
    driver: Driver, channel: str, person: str, thread: str, *, count: int = 1
) -> list[Json]:
    """The bot's finished messages in a thread, once there are ``count`` of them."""

    async def check() -> list[Json]:
        found = await driver.messages(channel, person, thread)
        ours = [message for message in found if message.get("bot_id")]
        return ours if len(ours) >= count and all(map(finished, ours)) else []

    return list(await until(check, seconds=60.0))


def shown(message: Json) -> str:
    """Every text in a message's blocks."""
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            found.extend(str(value[key]) for key in ("text",) if isinstance(value.get(key), str))
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(message.get("blocks", []))
    return "\n".join(found)
