"""A snapshot is its own name's text, or it is refused."""

from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select, update

from bot.database_urls import sqlite_url
from bot.storage.database import Database
from bot.storage.migrate import ensure
from bot.storage.rows import sha256
from bot.storage.snapshots import SqlSnapshots
from bot.storage.tables import snapshots
from rag.errors import SnapshotTampered, StoreUnavailable, UnknownSnapshot
from tests.bot.full_disk import full_disk, is_sound, room_beside
from tests.bot.storage.samples import TEXT


def _count(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(snapshots)).scalar_one())


@pytest.mark.parametrize("text", [TEXT, "", "a\x00b", "lone \ud800 surrogate", "🧾" * 1000])
async def test_any_text_comes_back_character_for_character(database: Database, text: str) -> None:
    kept = SqlSnapshots(database)
    assert await kept.get(await kept.put(text)) == text


async def test_the_name_is_the_hash_of_the_utf8_bytes(database: Database) -> None:
    assert await SqlSnapshots(database).put(TEXT) == sha256(TEXT.encode())


async def test_putting_twice_does_nothing(database: Database) -> None:
    kept = SqlSnapshots(database)
    assert await kept.put(TEXT) == await kept.put(TEXT)
    assert await database.read(_count) == 1


async def test_an_unknown_name_is_said(database: Database) -> None:
    with pytest.raises(UnknownSnapshot):
        await SqlSnapshots(database).get("0" * 64)


async def test_any_flipped_bit_is_refused(database: Database) -> None:
    kept = SqlSnapshots(database)
    name = await kept.put(TEXT)
    original = TEXT.encode()
    for bit in range(0, len(original) * 8, 5):
        body = bytearray(original)
        body[bit // 8] ^= 1 << bit % 8
        await database.write(partial(_overwrite, body=bytes(body)))
        with pytest.raises(SnapshotTampered):
            await kept.get(name)


def _overwrite(connection: Connection, *, body: bytes) -> None:
    connection.execute(update(snapshots).values(body=body))


async def test_a_full_disk_keeps_no_half_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "footnote.db"
    ensure(sqlite_url(path))
    database = Database(sqlite_url(path))
    kept = SqlSnapshots(database)
    before = await kept.put(TEXT)
    large = "".join(f"{number} " for number in range(200_000))
    with full_disk(room_beside(path, 64 * 1024)), pytest.raises(StoreUnavailable):
        await kept.put(large)
    with pytest.raises(UnknownSnapshot):
        await kept.get(sha256(large.encode()))
    assert await kept.get(before) == TEXT
    assert await kept.get(await kept.put(large)) == large
    await database.close()
    assert is_sound(path)
