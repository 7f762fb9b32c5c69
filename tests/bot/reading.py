"""Real storage, real search and real files, put together for the tests of intake and importing."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.database_urls import sqlite_url
from bot.engines.search_tantivy import TantivyIndex
from bot.loaders.loading import Loading, Parses
from bot.loaders.parsing import Parser
from bot.loaders.registry import LOADERS
from bot.sources.importing import Importer
from bot.sources.ingest import Ingest
from bot.sources.intake import SourceIntake
from bot.sources.quarantine import Quarantine
from bot.sources.refilled import RefilledIndex
from bot.sources.refreshing import Refresher
from bot.sources.steps import Step
from bot.sources.web_sources import WebSources
from bot.sources.webpages import WebPages
from bot.storage.catalogue import SqlCatalogue
from bot.storage.chunks import SqlChunks
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.enrichments import SqlEnrichments
from bot.storage.failures import SqlFailures
from bot.storage.migrate import ensure
from bot.storage.origins import SqlOrigins
from bot.storage.rows import utc_now
from bot.storage.snapshots import SqlSnapshots
from bot.storage.tenants import SqlTenants
from bot.tables.read_only import Databases
from bot.turns import FileTurns
from rag.errors import IdentityMismatch, SourceUnreadable
from rag.ports import Clock, Hits, Scope
from rag.text.tokenise import terms
from rag.values import Kind, Limits, Source

TENANT = "demo"


@dataclass
class Bodies:
    """Texts that live outside: (title, body) by ref; ``down`` makes every read fail."""

    rows: dict[str, tuple[str, str]] = field(default_factory=dict)
    down: bool = False

    async def read(self, source: Source) -> str:
        if self.down or source.ref not in self.rows:
            raise SourceUnreadable("no answer", source_id=source.id, title=source.title)
        title, body = self.rows[source.ref]
        if title != source.title:
            raise IdentityMismatch("another row", source_id=source.id, title=source.title)
        return body


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a test reads with. ``search`` is the index without its refilling."""

    catalogue: SqlCatalogue
    snapshots: SqlSnapshots
    chunks: SqlChunks
    enrichments: SqlEnrichments
    search: TantivyIndex
    refilled: RefilledIndex
    intake: SourceIntake
    importer: Importer
    origins: SqlOrigins
    failures: SqlFailures
    refresher: Refresher
    external: Bodies
    index_folder: Path

    async def source(self, source_id: str) -> Source:
        """The catalogue entry of that id."""
        (found,) = await self.catalogue.get(tenant=TENANT, source_ids=[source_id])
        return found

    async def text(self, source_id: str) -> str:
        """The newest recorded text of a source."""
        return await self.snapshots.get(str((await self.source(source_id)).snapshot))

    async def find(self, words: str, *source_ids: str) -> Hits:
        """Search the newest versions of the sources named."""
        found = await self.catalogue.get(tenant=TENANT, source_ids=source_ids)
        pins = tuple((source.id, str(source.snapshot)) for source in found)
        return await self.refilled.search(
            terms=terms(words), scope=Scope(tenant=TENANT, pins=pins), limit=5
        )


@asynccontextmanager
async def reading(
    folder: Path,
    *,
    limits: Limits | None = None,
    loaders: Mapping[str, str] = LOADERS,
    parser: Parses | None = None,
    pages: WebPages | None = None,
    seconds: Callable[[], float] = time.monotonic,
    databases: Databases | None = None,
    now: Clock = utc_now,
) -> AsyncIterator[Reading]:
    """Everything opened on the data that lies in ``folder``; ``parser`` in place of ``loaders``."""
    url = sqlite_url(folder / "footnote.db")
    ensure(url)
    database = Database(url)
    await SqlTenants(database).create(TENANT)
    try:
        bounds = limits or Limits()
        loading = Loading(parser or Parser(loaders, limits=bounds), limits=bounds)
        files = Quarantine(loading, SqlFailures(database))
        web = WebSources(
            pages or WebPages(hosts=frozenset(), limits=bounds), files, seconds=seconds
        )
        yield _put_together(
            database,
            folder / "index",
            limits=bounds,
            files=files,
            web=web,
            databases=databases or Databases(lambda _tenant: ""),
            now=now,
        )
    finally:
        await database.close()


def _put_together(
    database: Database,
    index_folder: Path,
    *,
    limits: Limits,
    files: Quarantine,
    web: WebSources,
    databases: Databases,
    now: Clock,
) -> Reading:
    catalogue = SqlCatalogue(database, StoredDirectory(database))
    snapshots, chunks = SqlSnapshots(database), SqlChunks(database)
    search, external = TantivyIndex(index_folder), Bodies()
    refilled = RefilledIndex(search, sources=catalogue, chunks=chunks)
    origins = SqlOrigins(database)
    intake = SourceIntake(
        Ingest(
            catalogue=catalogue,
            snapshots=snapshots,
            chunks=chunks,
            search=refilled,
            files=files,
            origins=origins,
            pages=web.load,
            external=external.read,
            databases=databases,
            internal=external.read,
            count_tokens=lambda text: len(text) // 3 + 1,
            limits=limits,
            now=now,
        )
    )
    importer = Importer(
        catalogue=catalogue,
        intake=intake,
        files=files,
        search=refilled,
        origins=origins,
        failures=SqlFailures(database),
        resolve=_resolve,
        limits=limits,
    )
    return Reading(
        catalogue=catalogue,
        snapshots=snapshots,
        chunks=chunks,
        enrichments=SqlEnrichments(database),
        search=search,
        failures=SqlFailures(database),
        refilled=refilled,
        intake=intake,
        importer=importer,
        origins=origins,
        refresher=Refresher(
            importer=importer,
            watched=origins,
            graves=catalogue,
            turns=FileTurns(index_folder.parent / "turns"),
            now=utc_now,
        ),
        external=external,
        index_folder=index_folder,
    )


async def _resolve(tenant: str, text: str) -> str:
    return f"channel:{text[1:]}" if text.startswith("#") else text


def document(path: Path, *, title: str = "Handbook") -> Source:
    """A document source called after its file."""
    return Source(
        id=path.name,
        tenant=TENANT,
        title=title,
        kind=Kind.DOCUMENT,
        ref=str(path),
        readers=("everyone",),
    )


async def steps(run: AsyncIterator[Step]) -> dict[str, tuple[str, str]]:
    """(outcome, reason) of each source of an import."""
    return {step.source_id: (step.outcome.value, step.reason) async for step in run}
