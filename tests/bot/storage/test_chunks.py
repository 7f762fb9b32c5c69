"""Versions of sources and the chunks cut from them."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from bot.storage.catalogue import SqlCatalogue
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.chunks import SqlChunks
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.errors import RecordConflict
from bot.storage.snapshots import SqlSnapshots
from bot.storage.tables import snapshots
from rag.errors import SnapshotTampered, UnknownSnapshot
from rag.values import Chunk
from tests.bot.storage.samples import NOON, TEXT, at, chunk, report, request, source

CUT = (chunk(), chunk(ordinal=1, start=8, end=len(TEXT)))


@pytest.fixture
async def catalogue(database: Database) -> SqlCatalogue:
    kept = SqlCatalogue(database, StoredDirectory(database))
    await kept.put(source())
    return kept


async def _store(kept: SqlChunks, name: str, cut: tuple[Chunk, ...] = CUT) -> bool:
    return await kept.store(cut, tenant="demo", source_id="handbook", snapshot=name)


async def test_chunks_come_back_whole_and_in_order(
    database: Database, catalogue: SqlCatalogue
) -> None:
    name = await SqlSnapshots(database).put(TEXT)
    kept = SqlChunks(database)
    assert await _store(kept, name, CUT[::-1])
    assert await kept.load(tenant="demo", source_id="handbook", snapshot=name) == CUT


class NewerChunk(Chunk):
    """A chunk as a later version of the program may keep it."""

    novelty: str = "of which this version knows nothing"


async def test_chunks_that_a_newer_version_kept_come_back(
    database: Database, catalogue: SqlCatalogue
) -> None:
    name = await SqlSnapshots(database).put(TEXT)
    kept = SqlChunks(database)
    assert await _store(kept, name, tuple(NewerChunk(**dict(one)) for one in CUT))
    assert await kept.load(tenant="demo", source_id="handbook", snapshot=name) == CUT


async def test_a_version_is_stored_once(database: Database, catalogue: SqlCatalogue) -> None:
    name = await SqlSnapshots(database).put(TEXT)
    kept = SqlChunks(database)
    assert not await kept.stored(tenant="demo", source_id="handbook", snapshot=name)
    assert await _store(kept, name)
    assert not await _store(kept, name)
    assert await kept.stored(tenant="demo", source_id="handbook", snapshot=name)
    assert len(await kept.load(tenant="demo", source_id="handbook", snapshot=name)) == 2


async def test_a_version_without_chunks_is_a_version(
    database: Database, catalogue: SqlCatalogue
) -> None:
    name = await SqlSnapshots(database).put("")
    kept = SqlChunks(database, clock=lambda: NOON)
    assert await _store(kept, name, ())
    assert not await _store(kept, name, ())
    assert await kept.load(tenant="demo", source_id="handbook", snapshot=name) == ()
    (version,) = await kept.versions(tenant="demo", source_id="handbook")
    assert (version.snapshot, version.chunks, version.ingested_at) == (name, 0, NOON)


async def test_the_title_is_the_sources_present_one(
    database: Database, catalogue: SqlCatalogue
) -> None:
    name = await SqlSnapshots(database).put(TEXT)
    await _store(SqlChunks(database), name)
    await catalogue.put(source(title="New title"))
    found = await SqlChunks(database).load(tenant="demo", source_id="handbook", snapshot=name)
    assert {piece.title for piece in found} == {"New title"}


async def test_chunks_of_a_tampered_snapshot_are_refused(
    database: Database, catalogue: SqlCatalogue
) -> None:
    name = await SqlSnapshots(database).put(TEXT)
    await _store(SqlChunks(database), name)
    statement = update(snapshots).values(body=TEXT.replace("7", "9").encode())
    await database.write(lambda connection: connection.execute(statement).rowcount)
    with pytest.raises(SnapshotTampered):
        await SqlChunks(database).load(tenant="demo", source_id="handbook", snapshot=name)


async def test_chunks_need_their_snapshot_and_source(
    database: Database, catalogue: SqlCatalogue
) -> None:
    kept = SqlChunks(database)
    with pytest.raises(RecordConflict):
        await _store(kept, chunk().snapshot)
    await SqlSnapshots(database).put(TEXT)
    with pytest.raises(RecordConflict):
        await kept.store((), tenant="demo", source_id="unknown", snapshot=chunk().snapshot)
    with pytest.raises(ValueError, match="cut from the snapshot"):
        await kept.store(CUT, tenant="demo", source_id="handbook", snapshot="0" * 64)


async def test_purging_keeps_what_is_shown_or_cited(
    database: Database, catalogue: SqlCatalogue
) -> None:
    kept = SqlChunks(database, clock=lambda: NOON)
    texts = {"cited": TEXT, "old": "old text", "shown": "shown text"}
    names = {word: await SqlSnapshots(database).put(text) for word, text in texts.items()}
    for name in names.values():
        await _store(kept, name, ())
    shown = names["shown"]
    await catalogue.ingested(tenant="demo", source_id="handbook", snapshot=shown, at=NOON)
    asked = request()
    held = await SqlCheckpoints(database).open(asked)
    await SqlCheckpoints(database).save(held, "report", report(asked).model_dump_json())
    assert await kept.purge_superseded(tenant="demo", before=NOON) == 0
    assert await kept.purge_superseded(tenant="acme", before=at(1)) == 0
    assert await kept.purge_superseded(tenant="demo", before=at(1)) == 1
    left = await kept.versions(tenant="demo", source_id="handbook")
    assert {version.snapshot for version in left} == {names["cited"], names["shown"]}
    with pytest.raises(UnknownSnapshot):
        await SqlSnapshots(database).get(names["old"])


async def test_versions_are_the_newest_first(database: Database, catalogue: SqlCatalogue) -> None:
    instants = iter([NOON, NOON + timedelta(hours=1)])
    kept = SqlChunks(database, clock=lambda: next(instants))
    names = [await SqlSnapshots(database).put(text) for text in ("one", "two")]
    for name in names:
        await _store(kept, name, ())
    found = await kept.versions(tenant="demo", source_id="handbook")
    assert [version.snapshot for version in found] == names[::-1]
    assert found[0].ingested_at == datetime(2026, 3, 2, 13, tzinfo=UTC)
