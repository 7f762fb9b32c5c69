"""An index that lost something is filled again before it answers."""

import shutil
import sqlite3
from pathlib import Path

from tests.bot.reading import TENANT, Reading, document, reading


async def _two(parts: Reading, folder: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"seven days in {name}", "utf-8")
        await parts.catalogue.put(document(folder / name))
        await parts.intake.pin(await parts.source(name))


async def test_a_lost_index_is_never_told_as_nothing_found(tmp_path: Path) -> None:
    async with reading(tmp_path / "data") as parts:
        await _two(parts, tmp_path)
        before = await parts.find("seven", "a.txt", "b.txt")
    shutil.rmtree(tmp_path / "data" / "index")
    async with reading(tmp_path / "data") as parts:
        after = await parts.find("seven", "a.txt", "b.txt")
    assert before.chunks == 2
    assert after == before


async def test_old_versions_come_back_too(tmp_path: Path) -> None:
    async with reading(tmp_path / "data") as parts:
        await _two(parts, tmp_path)
        old = str((await parts.source("a.txt")).snapshot)
        (tmp_path / "a.txt").write_text("eight days", "utf-8")
        await parts.intake.pin(await parts.source("a.txt"))
    shutil.rmtree(tmp_path / "data" / "index")
    async with reading(tmp_path / "data") as parts:
        await parts.find("eight", "a.txt")
        assert await parts.search.holds(tenant=TENANT, source_id="a.txt", snapshot=old)


async def test_it_is_whole_before_anybody_searches_once_it_was_prepared(tmp_path: Path) -> None:
    async with reading(tmp_path / "data") as parts:
        await _two(parts, tmp_path)
        snapshot = str((await parts.source("a.txt")).snapshot)
    shutil.rmtree(tmp_path / "data" / "index")
    async with reading(tmp_path / "data") as parts:
        await parts.refilled.prepare(tenant=TENANT)
        assert await parts.search.holds(tenant=TENANT, source_id="a.txt", snapshot=snapshot)


async def test_one_tampered_snapshot_does_not_take_the_others_along(tmp_path: Path) -> None:
    async with reading(tmp_path / "data") as parts:
        await _two(parts, tmp_path)
        bad = (await parts.source("a.txt")).snapshot
    with sqlite3.connect(tmp_path / "data" / "footnote.db") as record:
        record.execute("UPDATE snapshots SET body = x'00' WHERE sha256 = ?", (bad,))
    shutil.rmtree(tmp_path / "data" / "index")
    async with reading(tmp_path / "data") as parts:
        found = await parts.find("seven", "a.txt", "b.txt")
    assert [hit.chunk.source_id for hit in found.hits] == ["b.txt"]
