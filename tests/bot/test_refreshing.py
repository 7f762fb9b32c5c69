"""Sources looked at again: what is new, changed, gone or away, by one process at a time."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from bot.errors import TurnTaken
from bot.sources.refreshing import keep_refreshing
from rag.values import Kind
from tests.bot.reading import TENANT, Reading, document, reading, steps


def _write(root: Path, path: str, text: str) -> Path:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")
    return root


def _folder(root: Path, *paths: str) -> Path:
    for path in paths:
        _write(root, path, f"# {path}\n\nAbout {path} here.")
    return root


async def _add(parts: Reading, root: Path, *readers: str, prefix: str = "") -> None:
    await steps(
        parts.importer.add_folder(
            root, tenant=TENANT, readers=readers or ("everyone",), prefix=prefix
        )
    )


async def _refresh(parts: Reading) -> dict[str, tuple[str, str]]:
    """What is not as it was."""
    found = await steps(parts.refresher.refresh(tenant=TENANT))
    return {name: told for name, told in found.items() if told[0] != "unchanged"}


async def test_a_folder_gains_changes_and_loses_files(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md", "b.md", "c.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root, "#hr")
        before = await parts.source("a.md")
        _folder(root, "deep/d.md")
        _write(root, "b.md", "# B\n\nBadgers.")
        (root / "c.md").unlink()
        assert await _refresh(parts) == {
            "b.md": ("changed", ""),
            "c.md": ("removed", "its file is gone"),
            "deep/d.md": ("added", ""),
        }
        assert (await parts.source("deep/d.md")).readers == ("channel:hr",)
        assert await parts.source("a.md") == before
        assert (await parts.find("badgers", "b.md")).hits
        assert await _refresh(parts) == {}


async def test_a_new_file_has_the_readers_that_its_folder_was_given_last(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root, "everyone", prefix="p")
        await _add(parts, root, "#hr", prefix="p")
        _folder(root, "b.md")
        await _refresh(parts)
        assert (await parts.source("p/b.md")).readers == ("channel:hr",)


async def test_an_unchanged_file_is_not_parsed_again(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md", "b.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        # What a person set stands as long as the file says nothing new.
        named = (await parts.source("a.md")).model_copy(update={"title": "By hand"})
        await parts.catalogue.put(named)
        assert await _refresh(parts) == {}
        assert (await parts.source("a.md")).title == "By hand"
        _write(root, "a.md", "# Anew\n\nText.")
        assert await _refresh(parts) == {"a.md": ("changed", "")}
        assert (await parts.source("a.md")).title == "Anew"


async def test_a_version_that_search_lost_is_searchable_again(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        await parts.search.remove(tenant=TENANT, source_id="a.md")
        assert await _refresh(parts) == {}
        source = await parts.source("a.md")
        assert await parts.search.holds(
            tenant=TENANT, source_id="a.md", snapshot=str(source.snapshot)
        )


async def test_what_a_person_removed_stays_away_until_it_is_added_again(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md", "b.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        await parts.importer.remove(tenant=TENANT, source_id="a.md")
        (told,) = (await _refresh(parts)).values()
        assert told == ("skipped", "it was removed; `footnote sources add` brings it back")
        assert not await parts.catalogue.get(tenant=TENANT, source_ids=["a.md"])
        await _add(parts, root)
        assert await parts.source("a.md")


async def test_a_file_that_comes_back_is_a_source_again(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md", "b.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        (root / "a.md").unlink()
        assert (await _refresh(parts))["a.md"][0] == "removed"
        _folder(root, "a.md")
        assert await _refresh(parts) == {"a.md": ("added", "")}


async def test_a_folder_that_is_empty_or_away_takes_nothing(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        (root / "a.md").unlink()
        (told,) = (await _refresh(parts)).values()
        assert (told[0], "nothing was removed" in told[1]) == ("failed", True)
        shutil.rmtree(root)
        assert (await _refresh(parts))["a.md"][0] == "skipped"
        assert await parts.source("a.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
async def test_a_folder_that_cannot_be_looked_into_takes_nothing(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md", "deep/b.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        (root / "deep").chmod(0)
        try:
            assert (await _refresh(parts))["deep/b.md"][0] == "failed"
        finally:
            (root / "deep").chmod(0o700)


async def _appears_by_itself(parts: Reading, source_id: str, *, tenants: Sequence[str]) -> None:
    """Return once the refresh that nobody asks for has brought the source in."""

    async def known() -> Sequence[str]:
        return tenants

    keeping = asyncio.create_task(
        keep_refreshing(
            parts.refresher, tenants=known, every=timedelta(seconds=0.05), look_seconds=0.01
        )
    )
    async with asyncio.timeout(30):
        while not await parts.catalogue.get(  # noqa: ASYNC110 - another task does it
            tenant=TENANT, source_ids=[source_id]
        ):
            await asyncio.sleep(0.05)
    keeping.cancel()


async def test_one_tenants_fault_keeps_no_other_waiting(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")

    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        _folder(root, "b.md")
        # A tenant whose turn cannot be asked for: its lock is a folder.
        name = sha256(b"refresh away").hexdigest()[:32]
        (tmp_path / "data" / "turns" / f"{name}.lock").mkdir(parents=True)
        await _appears_by_itself(parts, "b.md", tenants=("away", TENANT))


async def test_a_folder_inside_says_who_reads_its_own_new_files(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root, "everyone")
        _folder(root, "hr/pay.md")
        await _add(parts, root / "hr", "#hr", prefix="inner")
        _folder(root, "hr/more.md")
        assert await _refresh(parts) == {"inner/more.md": ("added", "")}
        assert (await parts.source("inner/more.md")).readers == ("channel:hr",)


async def test_a_broken_new_file_leaves_no_entry_and_is_told_each_time(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        (root / "bad.txt").write_bytes("für".encode("latin-1"))
        for _ in range(2):
            assert (await _refresh(parts))["bad.txt"][0] == "failed"
        assert [source.id for source in await parts.catalogue.list(tenant=TENANT)] == ["a.md"]
        _write(root, "bad.txt", "für")
        assert await _refresh(parts) == {"bad.txt": ("added", "")}


async def test_why_a_source_fails_is_known_until_it_no_longer_does(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md", "b.md")
    for name in ("b.md", "new.txt"):
        _write(root, f"{name}.footnote.json", "{")
    _write(root, "new.txt", "New.")
    _write(root, "broken.xlsx", "PK")
    row = document(Path("row")).model_copy(update={"kind": Kind.EXTERNAL})
    async with reading(tmp_path / "data") as parts:

        async def failing() -> dict[str, str]:
            return await parts.failures.reasons(tenant=TENANT)

        await _add(parts, root)
        await steps(parts.importer.add_rows([row]))
        told = await failing()
        assert told.keys() == {"b.md", "broken.xlsx", "new.txt", "row"}
        assert told["new.txt"] == "new.txt.footnote.json is not JSON"
        assert "no answer" in told["row"]
        quarantined = await parts.failures.of(tenant=TENANT, source_id="broken.xlsx")
        assert quarantined is not None
        assert (quarantined.tries, bool(quarantined.digest)) == (1, True)
        await _refresh(parts)
        assert await failing() == told
        for name in ("b.md.footnote.json", "broken.xlsx", "new.txt"):
            (root / name).unlink()
        parts.external.rows["row"] = (row.title, "A body.")
        moved = root.rename(tmp_path / "away")
        await _refresh(parts)
        assert (await failing()).keys() == {"b.md", "broken.xlsx", "new.txt"}
        moved.rename(root)
        await _refresh(parts)
        assert await failing() == {}


async def test_one_process_refreshes_at_a_time(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", *(f"{number}.md" for number in range(60)))
    async with reading(tmp_path / "data") as one, reading(tmp_path / "data") as other:
        await _add(one, root)
        _write(root, "7.md", "# Seven\n\nAnew.")
        looking = one.refresher.refresh(tenant=TENANT)
        await anext(looking)
        with pytest.raises(TurnTaken):
            await _refresh(other)
        assert {"7.md"} == {step.source_id async for step in looking if step.outcome == "changed"}
        assert await _refresh(other) == {}


async def test_it_is_due_once_an_interval_whoever_did_it_last(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")
    hour, begun = timedelta(hours=1), datetime.now(UTC)
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        due = parts.refresher.due
        assert not await due(tenant=TENANT, every=hour, since=begun)
        assert await due(tenant=TENANT, every=hour, since=begun - hour)
        await _refresh(parts)
        assert not await due(tenant=TENANT, every=hour, since=begun - hour)
        # Another machine has refreshed all that it has, which is not our folder.
        await parts.origins.note_refreshed([str(root)], tenant=TENANT, at=begun - 2 * hour)
        assert await due(tenant=TENANT, every=hour, since=begun - hour)
        shutil.rmtree(root)
        assert not await due(tenant=TENANT, every=hour, since=begun - hour)


async def test_what_is_due_is_done_by_itself(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")

    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        _folder(root, "b.md")
        await _appears_by_itself(parts, "b.md", tenants=(TENANT,))


async def test_two_that_ingest_the_same_version_at_once_ingest_it_once(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")
    async with reading(tmp_path / "data") as one, reading(tmp_path / "data") as other:
        await _add(one, root)
        _write(root, "a.md", "# A\n\nKangaroos.")
        source = await one.source("a.md")
        pinned = await asyncio.gather(*(each.intake.pin(source) for each in (one, other)))
        assert len({pin.snapshot for pin in pinned}) == 1
        stored = await one.chunks.load(tenant=TENANT, source_id="a.md", snapshot=pinned[0].snapshot)
        hits = (await one.find("kangaroos", "a.md")).hits
        assert [hit.chunk.id for hit in hits] == [chunk.id for chunk in stored]


async def test_a_folder_that_is_left_gains_no_more_files(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", "a.md")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        assert await parts.origins.leave(tenant=TENANT, root=str(root))
        _folder(root, "b.md")
        assert (await _refresh(parts))["b.md"][0] == "skipped"
