"""Snapshots on object storage: whole or refused, gone with their source, an outage in words."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from obstore.store import LocalStore, S3Store

from bot.engines.objects import ObjectFolder, open_objects
from bot.storage.catalogue import SqlCatalogue
from bot.storage.chunks import SqlChunks
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.errors import RecordConflict
from bot.storage.object_snapshots import ObjectSnapshots
from bot.storage.rows import sha256
from bot.storage.snapshots import SqlSnapshots
from rag.errors import SnapshotTampered, StoreUnavailable, UnknownSnapshot
from tests.bot.storage.samples import TEXT, chunk, source

CANARY = "kingfisher"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "objects"


@pytest.fixture
def kept(database: Database, folder: Path) -> ObjectSnapshots:
    return ObjectSnapshots(database, ObjectFolder(LocalStore(folder, mkdir=True)))


@pytest.fixture
def catalogue(database: Database, kept: ObjectSnapshots) -> SqlCatalogue:
    return SqlCatalogue(database, StoredDirectory(database), erase=kept.erase)


@pytest.fixture
def chunks(database: Database, kept: ObjectSnapshots) -> SqlChunks:
    return SqlChunks(database, texts=kept, erase=kept.erase)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_the_text_lies_in_the_folder_and_not_in_sql(
    kept: ObjectSnapshots, database: Database, folder: Path
) -> None:
    name = await kept.put(TEXT)
    (only,) = _files(folder)
    assert only.name == name
    assert only.read_bytes() == TEXT.encode()
    with pytest.raises(StoreUnavailable, match="object storage"):
        await SqlSnapshots(database).get(name)


async def test_a_text_from_before_stays_readable(kept: ObjectSnapshots, database: Database) -> None:
    name = await SqlSnapshots(database).put(TEXT)
    assert await kept.get(name) == TEXT


async def test_a_changed_object_is_refused_until_the_text_is_put_again(
    kept: ObjectSnapshots, folder: Path
) -> None:
    name = await kept.put(TEXT)
    (only,) = _files(folder)
    only.write_bytes(TEXT.encode()[:-1])
    with pytest.raises(SnapshotTampered):
        await kept.get(name)
    await kept.put(TEXT)
    assert await kept.get(name) == TEXT


async def test_a_lost_object_is_not_an_empty_text(kept: ObjectSnapshots, folder: Path) -> None:
    name = await kept.put(TEXT)
    _files(folder)[0].unlink()
    with pytest.raises(UnknownSnapshot):
        await kept.get(name)


async def test_chunks_are_cut_from_the_object(
    kept: ObjectSnapshots, catalogue: SqlCatalogue, chunks: SqlChunks
) -> None:
    await catalogue.put(source())
    name = await kept.put(TEXT)
    await chunks.store([chunk()], tenant="demo", source_id="handbook", snapshot=name)
    found = await chunks.load(tenant="demo", source_id="handbook", snapshot=name)
    assert found == (chunk(),)


async def test_a_removed_source_leaves_no_object(
    kept: ObjectSnapshots, catalogue: SqlCatalogue, chunks: SqlChunks, folder: Path
) -> None:
    await catalogue.put_all([source(), source("other")])
    for name, text in (("handbook", f"{TEXT} {CANARY}"), ("other", TEXT)):
        sha = await kept.put(text)
        await chunks.store([], tenant="demo", source_id=name, snapshot=sha)
    await catalogue.remove(tenant="demo", source_id="handbook")
    assert [path.name for path in _files(folder)] == [sha256(TEXT)]


async def test_a_removal_that_cannot_reach_the_objects_changes_nothing(
    database: Database, kept: ObjectSnapshots, catalogue: SqlCatalogue, chunks: SqlChunks
) -> None:
    await catalogue.put(source())
    sha = await kept.put(TEXT)
    await chunks.store([], tenant="demo", source_id="handbook", snapshot=sha)
    away = ObjectSnapshots(database, ObjectFolder(_nobody()))
    removing = SqlCatalogue(database, StoredDirectory(database), erase=away.erase)
    with pytest.raises(StoreUnavailable):
        await removing.remove(tenant="demo", source_id="handbook")
    assert await catalogue.get(tenant="demo", source_ids=["handbook"])
    assert await kept.get(sha) == TEXT
    assert await catalogue.remove(tenant="demo", source_id="handbook")


async def test_a_text_put_while_another_source_with_it_goes_is_never_lost(
    kept: ObjectSnapshots, catalogue: SqlCatalogue, chunks: SqlChunks
) -> None:
    async def bring(name: str) -> bool:
        sha = await kept.put(TEXT)
        try:
            await chunks.store([], tenant="demo", source_id=name, snapshot=sha)
        except RecordConflict:  # the text went in between; the next try brings it back
            return False
        return await kept.get(sha) == TEXT

    for _ in range(10):
        await catalogue.put_all([source(), source("other")])
        assert await bring("handbook")
        removing = asyncio.create_task(catalogue.remove(tenant="demo", source_id="handbook"))
        first = await bring("other")
        await removing
        assert first or await bring("other")
        assert await kept.get(sha256(TEXT)) == TEXT
        await catalogue.remove(tenant="demo", source_id="other")


async def test_what_no_row_names_is_swept_and_nothing_else(
    kept: ObjectSnapshots, folder: Path, database: Database
) -> None:
    name = await kept.put(TEXT)
    stray = ObjectFolder(LocalStore(folder))
    stray.keep(f"snapshots/{sha256(CANARY)[:2]}/{sha256(CANARY)}", CANARY.encode())
    assert await kept.sweep(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert len(_files(folder)) == 2
    assert await kept.sweep(datetime.now(UTC) + timedelta(hours=1)) == 1
    assert [path.name for path in _files(folder)] == [name]
    assert await kept.get(name) == TEXT
    with pytest.raises(UnknownSnapshot):
        await kept.get(sha256(CANARY))


async def test_a_storage_that_does_not_answer_is_an_outage(database: Database) -> None:
    away = ObjectSnapshots(database, ObjectFolder(_nobody()))
    with pytest.raises(StoreUnavailable):
        await away.put(TEXT)
    with pytest.raises(StoreUnavailable):
        await away.get(sha256(TEXT))


@pytest.mark.parametrize("url", ["", "s3://", "gs://bucket", "file://host/folder", "/folder"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="s3://bucket/prefix"):
        open_objects(url, options={})


def _nobody() -> S3Store:
    return S3Store(
        "none",
        endpoint="http://127.0.0.1:1",
        access_key_id="x",
        secret_access_key="x",
        region="us-east-1",
        client_options={"allow_http": True, "connect_timeout": "1s"},
        retry_config={"max_retries": 0},
    )
