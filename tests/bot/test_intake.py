"""Pinning: the newest readable version, once, and never a stale one told as new."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bot.sources.intake import SourceIntake
from rag.errors import IdentityMismatch, SourceUnreadable
from rag.values import Kind, Limits, Source
from tests.bot.reading import TENANT, document, reading

OUTSIDE = Source(
    id="prices", tenant=TENANT, title="Prices", kind=Kind.EXTERNAL, ref="p1", readers=("everyone",)
)


def _settled(path: Path, text: str) -> None:
    """A file whose instants are long past, as far as its owner can set them."""
    path.write_text(text, "utf-8")
    os.utime(path, (1_700_000_000, 1_700_000_000))


async def test_a_document_is_searchable_by_its_exact_text(tmp_path: Path) -> None:
    file = tmp_path / "lending.md"
    file.write_bytes("\ufeff# 借用\r\n\r\n超过七天须**再次**确认。\r\n".encode())
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(file))
        pinned = await parts.intake.pin(document(file))
        assert await parts.text("lending.md") == "# 借用\n\n超过七天须**再次**确认。\n"
        (hit,) = (await parts.find("再次确认", "lending.md")).hits
        assert (hit.chunk.snapshot, hit.chunk.heading_path) == (pinned.snapshot, ("借用",))
        assert pinned.updated_at is not None


async def test_pinning_again_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("seven days", "utf-8")
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(file))
        first = await parts.intake.pin(await _recorded(parts.catalogue, "a.txt"))
        again = await parts.intake.pin(await _recorded(parts.catalogue, "a.txt"))
        assert again == first
        versions = await parts.chunks.versions(tenant=TENANT, source_id="a.txt")
        assert [version.snapshot for version in versions] == [first.snapshot]
        assert len((await parts.find("seven", "a.txt")).hits) == 1


async def _recorded(catalogue: object, source_id: str) -> Source:
    (found,) = await catalogue.get(tenant=TENANT, source_ids=[source_id])  # type: ignore[attr-defined] # the real one
    assert isinstance(found, Source)
    return found


async def test_a_change_is_a_new_version_and_the_old_one_stays(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(file))
        _settled(file, "five days")
        old = await parts.intake.pin(await parts.source("a.txt"))
        _settled(file, "nine days")  # as long as before, at the same instant
        new = await parts.intake.pin(await parts.source("a.txt"))
        assert await parts.snapshots.get(old.snapshot) == "five days"
        assert await parts.snapshots.get(new.snapshot) == "nine days"
        assert await parts.chunks.stored(tenant=TENANT, source_id="a.txt", snapshot=old.snapshot)


async def test_a_lost_disk_loses_no_source(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("seven days", "utf-8")
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(file))
        before = await parts.intake.pin(await parts.source("a.txt"))
        file.unlink()
        after = await parts.intake.pin(await parts.source("a.txt"))
        assert after.snapshot == before.snapshot


async def test_a_file_that_was_never_read_fails_by_name(tmp_path: Path) -> None:
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(tmp_path / "gone.md", title="Gone"))
        with pytest.raises(SourceUnreadable) as caught:
            await parts.intake.pin(await parts.source("gone.md"))
        assert (caught.value.source_id, caught.value.title) == ("gone.md", "Gone")


async def test_a_file_that_turned_unreadable_is_not_answered_from_memory(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("seven days", "utf-8")
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(file))
        await parts.intake.pin(await parts.source("a.txt"))
        file.write_bytes(b"\xff\xfe\x00broken")
        with pytest.raises(SourceUnreadable, match="UTF-8"):
            await parts.intake.pin(await parts.source("a.txt"))


async def test_a_link_out_of_the_folder_is_refused_when_it_appears_later(tmp_path: Path) -> None:
    root, secret = tmp_path / "root", tmp_path / "secret"
    (root / "sub").mkdir(parents=True)
    secret.mkdir()
    (root / "sub" / "a.txt").write_text("open", "utf-8")
    (secret / "a.txt").write_text("secret", "utf-8")
    source = document(root / "sub" / "a.txt").model_copy(update={"metadata": {"root": str(root)}})
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(source)
        await parts.intake.pin(await parts.source("a.txt"))
        (root / "sub" / "a.txt").unlink()
        (root / "sub").rmdir()
        (root / "sub").symlink_to(secret)
        with pytest.raises(SourceUnreadable, match="outside"):
            await parts.intake.pin(await parts.source("a.txt"))


async def test_an_external_source_that_is_down_is_never_answered_from_the_last_version(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path / "data") as parts:
        parts.external.rows["p1"] = ("Prices", "39 a month")
        await parts.catalogue.put(OUTSIDE)
        pinned = await parts.intake.pin(OUTSIDE)
        assert await parts.text("prices") == "39 a month"
        parts.external.down = True
        with pytest.raises(SourceUnreadable):
            await parts.intake.pin(await parts.source("prices"))
        with pytest.raises(SourceUnreadable):
            await parts.intake.verify(pinned)


async def test_verify_notices_another_row_another_title_and_a_removed_source(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path / "data") as parts:
        parts.external.rows["p1"] = ("Prices", "39 a month")
        await parts.catalogue.put(OUTSIDE)
        pinned = await parts.intake.pin(OUTSIDE)
        await parts.intake.verify(pinned)
        parts.external.rows["p1"] = ("Costs", "39 a month")
        with pytest.raises(IdentityMismatch):
            await parts.intake.verify(pinned)
        parts.external.rows["p1"] = ("Prices", "39 a month")
        await parts.catalogue.put(OUTSIDE.model_copy(update={"title": "Old prices"}))
        with pytest.raises(IdentityMismatch):
            await parts.intake.verify(pinned)
        await parts.catalogue.remove(tenant=TENANT, source_id="prices")
        with pytest.raises(IdentityMismatch):
            await parts.intake.verify(pinned)


async def test_limits_hold_for_every_kind(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("x" * 11, "utf-8")
    async with reading(tmp_path / "data", limits=Limits(document_characters=10)) as parts:
        parts.external.rows["p1"] = ("Prices", "y" * 11)
        for source in (document(file), OUTSIDE):
            await parts.catalogue.put(source)
            with pytest.raises(SourceUnreadable, match="characters"):
                await parts.intake.pin(source)
    few = Limits(document_chunks=1, chunk_safe_tokens=5)
    async with reading(tmp_path / "other", limits=few) as parts:
        file.write_text("One is here. " * 20, "utf-8")
        await parts.catalogue.put(document(file))
        with pytest.raises(SourceUnreadable, match="too many chunks"):
            await parts.intake.pin(document(file))


class Killed(RuntimeError):
    """Stands for the end of the process."""


async def test_a_kill_before_the_index_is_made_good_by_the_next_pin(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("seven days", "utf-8")
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(file))
        whole = parts.intake._parts

        class Dies:
            """Search whose writer does not live to see the commit."""

            async def add(self, **_: object) -> None:
                raise Killed

            holds = staticmethod(whole.search.holds)

        with pytest.raises(Killed):
            await SourceIntake(replace(whole, search=Dies())).pin(document(file))
        assert (await parts.source("a.txt")).snapshot is None
        await parts.intake.pin(await parts.source("a.txt"))
        assert len((await parts.find("seven", "a.txt")).hits) == 1


async def test_a_source_is_cut_as_its_owner_wants_and_a_preview_stores_nothing(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.md"
    file.write_text("one is lent\n***\ntwo is lent", "utf-8")
    entry = {"strategy": "separator", "separator": "\n***\n"}
    source = document(file).model_copy(update={"metadata": {"chunking": entry}})
    async with reading(tmp_path / "data") as parts:
        previewed = await parts.intake.preview(source)
        assert [one.text for one in previewed] == ["one is lent\n***", "two is lent"]
        assert await parts.chunks.versions(tenant=TENANT, source_id="a.md") == ()
        await parts.catalogue.put(source)
        pinned = await parts.intake.pin(source)
        stored = await parts.chunks.load(tenant=TENANT, source_id="a.md", snapshot=pinned.snapshot)
        assert stored == previewed


async def test_a_way_of_cutting_that_does_not_suit_is_said(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("seven days", "utf-8")
    source = document(file).model_copy(update={"metadata": {"chunking": {"strategy": "page"}}})
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(source)
        with pytest.raises(SourceUnreadable, match="cannot be cut by page"):
            await parts.intake.pin(source)


async def test_a_source_that_is_to_be_cut_otherwise_is_cut_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("one is lent\n***\ntwo is lent", "utf-8")
    entry = {"strategy": "separator", "separator": "\n***\n"}
    async with reading(tmp_path / "data") as parts:
        [_ async for _ in parts.importer.add_rows([document(file)])]
        before = await parts.source("a.md")
        assert len((await parts.find("lent", "a.md")).hits) == 1
        other = document(file).model_copy(
            update={"metadata": {**document(file).metadata, "chunking": entry}}
        )
        [_ async for _ in parts.importer.add_rows([other])]
        after = await parts.source("a.md")
        assert after.snapshot == before.snapshot
        hits = (await parts.find("lent", "a.md")).hits
        assert sorted(hit.chunk.text for hit in hits) == ["one is lent\n***", "two is lent"]
        file.unlink()
        await parts.search.remove(tenant=TENANT, source_id="a.md")
        await parts.intake.pin(after)
        assert len((await parts.find("lent", "a.md")).hits) == 2, "as it was cut, without its file"
