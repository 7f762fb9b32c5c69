"""Every implementation of the ports the record stands behind; each test runs on all of them.

An implementation makes its ports in an empty state. Add a fake beside the real one.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from obstore.store import LocalStore, ObjectStore

from bot.database_urls import sqlite_url
from bot.engines.objects import ObjectFolder
from bot.record import Checkpoints
from bot.storage.catalogue import SqlCatalogue
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.migrate import ensure
from bot.storage.object_snapshots import ObjectSnapshots
from bot.storage.people import Person, SqlPeople
from bot.storage.snapshots import SqlSnapshots
from bot.storage.tenants import SqlTenants
from rag.ports import Catalogue, Snapshots
from rag.testing import MemoryCatalogue, MemoryCheckpoints, MemorySnapshots
from rag.values import Source
from tests.object_storage import ObjectServer


@dataclass(frozen=True, kw_only=True)
class Record:
    """The ports under test."""

    catalogue: Catalogue
    snapshots: Snapshots
    checkpoints: Checkpoints


Opened = Callable[[tuple[Source, ...]], AbstractAsyncContextManager[Record]]
"""Opens the ports, the catalogue holding these sources of the tenant ``demo``."""


@asynccontextmanager
async def in_sql(url: str, sources: tuple[Source, ...]) -> AsyncIterator[Record]:
    """The real record, where alice and bob are full members."""
    ensure(url)
    database = Database(url)
    await SqlTenants(database).create("demo")
    for name in ("alice", "bob"):
        await SqlPeople(database).put(Person(tenant="demo", principal=name))
    catalogue = SqlCatalogue(database, StoredDirectory(database))
    await catalogue.put_all(sources)
    yield Record(
        catalogue=catalogue,
        snapshots=SqlSnapshots(database),
        checkpoints=SqlCheckpoints(database),
    )
    await database.close()


@asynccontextmanager
async def on_objects(
    url: str, store: ObjectStore, sources: tuple[Source, ...]
) -> AsyncIterator[Record]:
    """The real record with its snapshots on an object storage."""
    async with in_sql(url, sources) as record:
        database = Database(url)
        snapshots = ObjectSnapshots(database, ObjectFolder(store))
        yield Record(
            catalogue=record.catalogue, snapshots=snapshots, checkpoints=record.checkpoints
        )
        await database.close()


@asynccontextmanager
async def in_memory(sources: tuple[Source, ...]) -> AsyncIterator[Record]:
    """The fakes that tests of the pipeline stand on."""
    catalogue = MemoryCatalogue()
    for source in sources:
        catalogue.put(source)
    yield Record(catalogue=catalogue, snapshots=MemorySnapshots(), checkpoints=MemoryCheckpoints())


@pytest.fixture(params=["sqlite", "postgresql", "folder", "s3", "memory"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """One implementation of the ports."""
    if request.param == "memory":
        return in_memory
    if request.param == "sqlite":
        return partial(in_sql, sqlite_url(tmp_path / "footnote.db"))
    if request.param == "folder":
        objects = LocalStore(tmp_path / "objects", mkdir=True)
        return partial(on_objects, sqlite_url(tmp_path / "footnote.db"), objects)
    if request.param == "s3":
        server: ObjectServer = request.getfixturevalue("objects")
        url = request.getfixturevalue("migrated_postgres_url")
        return partial(on_objects, url, server.store(uuid4().hex))
    return partial(in_sql, request.getfixturevalue("migrated_postgres_url"))
