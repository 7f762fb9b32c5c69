"""Seeding into the real record: all of it, once, and with rights that differ as they should."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.audience import Standing
from bot.database_urls import sqlite_url
from bot.demo import Records, articles_path, load_company, load_sources, seed
from bot.storage.catalogue import SqlCatalogue
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.knowledge import SqlKnowledge
from bot.storage.migrate import ensure
from bot.storage.people import Person, SqlPeople
from bot.storage.rooms import SqlRooms
from bot.storage.snapshots import SqlSnapshots
from bot.storage.tenants import SqlTenants
from rag.values import Kind, Pinned, Place, Source

TENANT = "demo"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    url = sqlite_url(tmp_path / "record.db")
    ensure(url)
    opened = Database(url)
    yield opened
    await opened.close()


def _records(database: Database) -> Records:
    people = SqlPeople(database)
    snapshots = SqlSnapshots(database)

    async def enrol(*, tenant: str, principal: str, name: str, standing: Standing) -> None:
        await people.put(Person(tenant=tenant, principal=principal, name=name, standing=standing))

    async def ingest(source: Source) -> Pinned:
        text = source.ref
        if source.kind is Kind.DOCUMENT:
            text = Path(source.ref).read_text("utf-8")
        fields = source.model_dump(include=set(Pinned.model_fields) - {"source_id", "snapshot"})
        return Pinned(source_id=source.id, snapshot=await snapshots.put(text), **fields)

    return Records(
        tenants=SqlTenants(database),
        enrol=enrol,
        rooms=SqlRooms(database),
        knowledge=SqlKnowledge(database),
        catalogue=_catalogue(database),
        ingest=ingest,
    )


def _catalogue(database: Database) -> SqlCatalogue:
    return SqlCatalogue(database, StoredDirectory(database))


async def _may_read(database: Database, name: str, channel: str | None = None) -> set[str]:
    permitted = await _catalogue(database).permitted(
        tenant=TENANT, principal=load_company().person(name).principal, place=Place(channel=channel)
    )
    return {source.id for source in permitted.sources}


def _channel(name: str) -> str:
    return next(place.id for place in load_company().channels if place.name == name)


async def test_everything_is_written_and_every_source_is_read(
    database: Database, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    seeded = await seed(
        _records(database),
        folder=tmp_path / "demo",
        progress=lambda _, done, total: told.append((done, total)),
    )
    ids = [source.id for source in load_sources()]
    assert seeded.tenant == TENANT
    assert sorted(seeded.changed) == sorted(ids)
    assert [pinned.source_id for pinned in seeded.pinned] == ids
    assert told == [(done, len(ids)) for done in range(len(ids) + 1)]


async def test_a_second_time_changes_nothing(database: Database, tmp_path: Path) -> None:
    records = _records(database)
    first = await seed(records, folder=tmp_path / "demo")
    notes = await SqlKnowledge(database).history(tenant=TENANT, key="maintenance")
    second = await seed(records, folder=tmp_path / "demo")
    assert second.changed == ()
    assert second.pinned == first.pinned
    assert await SqlKnowledge(database).history(tenant=TENANT, key="maintenance") == notes


async def test_an_edited_file_and_row_survive_the_next_start(
    database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "demo"
    records = _records(database)
    await seed(records, folder=folder)
    document = folder / "sources" / "on-call.md"
    document.write_text("# On-call Guide\n\nA shift lasts two days.\n", encoding="utf-8")
    with closing(sqlite3.connect(articles_path(folder))) as connection, connection:
        connection.execute("UPDATE articles SET body = 'edited' WHERE id = 'atlas'")
    await seed(records, folder=folder)
    assert "two days" in document.read_text("utf-8")
    with closing(sqlite3.connect(articles_path(folder))) as connection:
        bodies = dict(connection.execute("SELECT id, body FROM articles WHERE tenant = 'demo'"))
    assert bodies["atlas"] == "edited"
    assert "200 台设备" in bodies["harbor"]


async def test_knowledge_was_written_by_one_and_approved_by_another(
    database: Database, tmp_path: Path
) -> None:
    await seed(_records(database), folder=tmp_path / "demo")
    note = await SqlKnowledge(database).read(tenant=TENANT, key="maintenance")
    assert note is not None
    assert note.writer == load_company().person("bob").principal
    assert note.approver == load_company().person("alice").principal


async def test_the_playground_team_is_bound_and_names_resolve(
    database: Database, tmp_path: Path
) -> None:
    await seed(_records(database), folder=tmp_path / "demo")
    assert await SqlTenants(database).of(team="T0PLAYGROUND") == TENANT
    resolved = await SqlPeople(database).resolve(tenant=TENANT, text="dana")
    assert resolved == "slack:T0NORTHWIND:U0DANA00001"


async def test_each_person_may_read_what_is_theirs(database: Database, tmp_path: Path) -> None:
    await seed(_records(database), folder=tmp_path / "demo")
    everything = {source.id for source in load_sources()}
    assert await _may_read(database, "alice") == everything
    assert await _may_read(database, "bob") == everything - {"doc-private"}
    assert await _may_read(database, "carol") == {"hr-payroll"}
    assert await _may_read(database, "dana") == set()


async def test_each_room_may_see_what_all_its_people_may_read(
    database: Database, tmp_path: Path
) -> None:
    await seed(_records(database), folder=tmp_path / "demo")
    everything = {source.id for source in load_sources()}
    assert await _may_read(database, "alice", _channel("general")) == everything - {"doc-private"}
    assert await _may_read(database, "alice", _channel("hr")) == {"hr-payroll"}
    assert await _may_read(database, "alice", _channel("partners")) == set()
