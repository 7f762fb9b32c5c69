"""The one place that names concrete classes and puts them together."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.audience import Directory, Standing
from bot.database_urls import sqlite_url
from bot.demo import articles_path
from bot.demo.seeding import Enrol
from bot.engines.tokens import load_counter
from bot.guarding import guarded, working_context
from bot.loaders.loading import Loading
from bot.metering import UNMETERED, ModelMeter
from bot.opening_files import open_loading
from bot.readers import open_reader
from bot.settings import Settings
from bot.sources.external import ExternalRows
from bot.sources.ingest import Ingest
from bot.sources.intake import SourceIntake
from bot.sources.internal import internal_reader
from bot.sources.quarantine import Quarantine
from bot.sources.refilled import RefilledIndex
from bot.sources.web_sources import web_loader
from bot.storage import migrate as migrations
from bot.storage.audit import SqlAudit
from bot.storage.catalogue import SqlCatalogue
from bot.storage.changes import SqlChanges
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.chunks import SqlChunks
from bot.storage.database import Database
from bot.storage.deletion_log import DeletionLog
from bot.storage.deletions import Deletions
from bot.storage.deliveries import SqlDeliveries
from bot.storage.directory import StoredDirectory
from bot.storage.enrichments import SqlEnrichments
from bot.storage.failures import SqlFailures
from bot.storage.feedback import SqlFeedback
from bot.storage.handoffs import SqlHandoffs
from bot.storage.installations import SqlInstallations
from bot.storage.knowledge import Knowledge, SqlKnowledge, knowledge_ref
from bot.storage.oauth_states import SqlOAuthStates
from bot.storage.origins import SqlOrigins
from bot.storage.outlook import SqlOutlook
from bot.storage.people import Person, SqlPeople
from bot.storage.retrievals import SqlRetrievals
from bot.storage.rooms import SqlRooms
from bot.storage.showing import SqlShowing
from bot.storage.spending import SqlSpending
from bot.storage.staged import SqlStaged
from bot.storage.tasks import SqlTasks
from bot.storage.tenants import SqlTenants
from bot.storage.uses import SqlUses
from bot.storage.workers import SqlWorkers
from bot.stores import Sweep, open_installations, open_search, open_spending, open_texts
from bot.tables.read_only import Databases
from bot.watch.observing import Silent
from rag.pipeline import Ports
from rag.ports import (
    Catalogue,
    CountTokens,
    Observer,
    Publisher,
    Reader,
    Snapshots,
    WorkingContext,
)

__all__ = [
    "Knowledge",
    "Person",
    "World",
    "enrol",
    "knowledge_ref",
    "migrate_record",
    "new_id",
    "now",
    "open_world",
    "working_context",
]


@dataclass(frozen=True, kw_only=True)
class World:
    """Everything that is open while a command or a process runs, but for Redis.

    ``installations`` is None where no key is named that could encrypt a token.
    """

    settings: Settings
    tenants: SqlTenants
    installations: SqlInstallations | None
    oauth_states: SqlOAuthStates
    people: SqlPeople
    rooms: SqlRooms
    catalogue: SqlCatalogue
    snapshots: Snapshots
    sweep: Sweep
    chunks: SqlChunks
    enrichments: SqlEnrichments
    checkpoints: SqlCheckpoints
    origins: SqlOrigins
    tasks: SqlTasks
    knowledge: SqlKnowledge
    deliveries: SqlDeliveries
    feedback: SqlFeedback
    handoffs: SqlHandoffs
    retrievals: SqlRetrievals
    workers: SqlWorkers
    uses: SqlUses
    spending: SqlSpending
    outlook: SqlOutlook
    audit: SqlAudit
    changes: SqlChanges
    shown: SqlShowing
    staged: SqlStaged
    index: RefilledIndex
    files: Loading
    failures: SqlFailures
    quarantine: Quarantine
    intake: SourceIntake
    count_tokens: CountTokens
    reader: Reader
    build_catalogue: Callable[[Directory], SqlCatalogue]

    @property
    def demo_folder(self) -> Path:
        """Where the demo company's own files lie."""
        return self.settings.home / "demo"

    def ports(
        self,
        *,
        context: WorkingContext,
        publisher: Publisher,
        observer: Observer | None = None,
        catalogue: Catalogue | None = None,
    ) -> Ports:
        """All that a task needs; the stored directory decides unless a catalogue is given."""
        return Ports(
            reader=self.reader,
            catalogue=catalogue or self.catalogue,
            intake=self.intake,
            snapshots=self.snapshots,
            index=self.index,
            checkpoints=self.checkpoints,
            context=context,
            publisher=publisher,
            observer=observer or Silent(),
            retrievals=self.retrievals,
            spending=self.spending,
            now=now,
            stopwatch=time.monotonic,
            count_tokens=self.count_tokens,
            new_id=new_id,
        )


def now() -> datetime:
    """The present instant."""
    return datetime.now(UTC)


def new_id() -> str:
    """A fresh id that sorts by the time it was made."""
    return f"{time.time_ns() // 1_000_000:013d}-{uuid.uuid4().hex[:12]}"


@asynccontextmanager
async def open_world(settings: Settings, *, meter: ModelMeter = UNMETERED) -> AsyncIterator[World]:
    """Everything the settings name, opened; an empty database is migrated first.

    ``meter`` is told of each request to a model. Raises `StoreUnavailable`, `SettingsInvalid`.
    """
    await asyncio.to_thread(migrations.ensure, settings.record_url)
    count_tokens = await asyncio.to_thread(load_counter)
    noted = Deletions(DeletionLog(settings.deletions_path))
    database = Database(settings.record_url, threads=settings.database_connections, deletions=noted)
    external = Databases(lambda tenant: _external_url(settings, tenant))
    try:
        spending = open_spending(settings, database, meter)
        async with (
            guarded(settings, database, spending) as wrap,
            open_reader(settings, count_tokens=count_tokens, ledger=spending, wrap=wrap) as reader,
        ):
            yield _world(
                settings,
                database,
                external,
                count_tokens=count_tokens,
                spending=spending,
                reader=reader,
            )
    finally:
        external.close()
        await database.close()


def _world(
    settings: Settings,
    database: Database,
    external: Databases,
    *,
    count_tokens: CountTokens,
    spending: SqlSpending,
    reader: Reader,
) -> World:
    texts = open_texts(settings, database)
    catalogue = SqlCatalogue(database, StoredDirectory(database), erase=texts.erase)
    chunks = SqlChunks(database, texts=texts.snapshots, erase=texts.erase)
    knowledge = SqlKnowledge(database)
    index = RefilledIndex(open_search(settings), sources=catalogue, chunks=chunks)
    files = open_loading(settings)
    failures, origins = SqlFailures(database), SqlOrigins(database)
    quarantine = Quarantine(files, failures)
    intake = SourceIntake(
        Ingest(
            catalogue=catalogue,
            snapshots=texts.snapshots,
            chunks=chunks,
            search=index,
            files=quarantine,
            origins=origins,
            pages=web_loader(quarantine, hosts=settings.page_hosts, limits=settings.limits),
            external=ExternalRows(external).read,
            databases=external,
            internal=internal_reader(knowledge),
            count_tokens=count_tokens,
            limits=settings.limits,
            now=now,
        )
    )
    return World(
        settings=settings,
        tenants=SqlTenants(database),
        installations=open_installations(settings, database),
        oauth_states=SqlOAuthStates(database),
        people=SqlPeople(database),
        rooms=SqlRooms(database),
        catalogue=catalogue,
        snapshots=texts.snapshots,
        sweep=texts.sweep,
        chunks=chunks,
        enrichments=SqlEnrichments(database),
        checkpoints=SqlCheckpoints(database),
        origins=origins,
        tasks=SqlTasks(database),
        knowledge=knowledge,
        deliveries=SqlDeliveries(database),
        feedback=SqlFeedback(database),
        handoffs=SqlHandoffs(database),
        retrievals=SqlRetrievals(database),
        workers=SqlWorkers(database),
        uses=SqlUses(database),
        spending=spending,
        outlook=SqlOutlook(database),
        audit=SqlAudit(database),
        changes=SqlChanges(database),
        shown=SqlShowing(database),
        staged=SqlStaged(database),
        index=index,
        files=files,
        failures=failures,
        quarantine=quarantine,
        intake=intake,
        count_tokens=count_tokens,
        reader=reader,
        build_catalogue=lambda directory: SqlCatalogue(database, directory),
    )


def _external_url(settings: Settings, tenant: str) -> str:
    """The database of a tenant's external sources; the demo company brings its own."""
    own = articles_path(settings.home / "demo")
    if tenant == "demo" and own.exists():
        return sqlite_url(own)
    return settings.external_url.get_secret_value()


def enrol(people: SqlPeople) -> Enrol:
    """Records one person, as the demo company's seeding asks it."""

    async def put(*, tenant: str, principal: str, name: str, standing: Standing) -> None:
        await people.put(Person(tenant=tenant, principal=principal, name=name, standing=standing))

    return put


def migrate_record(settings: Settings) -> str:
    """Upgrade the SQL record and say which schema it has now. Raises `StoreUnavailable`."""
    migrations.migrate(settings.record_url)
    return migrations.newest()
