"""Whole folders and catalogues: each source once, each fault alone, each outcome counted."""

import json
import os
import shutil
from pathlib import Path

import pytest

from bot.errors import WrongUsage
from bot.sources.folders import survey
from bot.sources.told import (
    SIDECAR,
    refuse_circles,
    refuse_unknown_before,
    replaces_none,
    set_by_hand,
)
from rag.errors import FootnoteError
from rag.values import Kind, Limits, Source, SourceStatus
from tests.bot.reading import TENANT, Reading, document, reading, steps

FRONT = """---
title: Lending
status: proposed
owner: Equipment
effective_from: 2026-01-31
tags: [hr, devices]
---

# Something else

Devices go back after 7 days.
"""


def _folder(root: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_md", ".md").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


async def _add(parts: Reading, root: Path, prefix: str = "") -> dict[str, tuple[str, str]]:
    return await steps(
        parts.importer.add_folder(root, tenant=TENANT, readers=["everyone", "#hr"], prefix=prefix)
    )


async def test_a_second_import_changes_nothing(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md="# Title A\n\nOne.", deep__b_txt="Two.")
    async with reading(tmp_path / "data") as parts:
        assert await _add(parts, root) == {"a.md": ("added", ""), "deep/b.txt": ("added", "")}
        before = await parts.catalogue.list(tenant=TENANT)
        again = await _add(parts, root)
        assert {outcome for outcome, _ in again.values()} == {"unchanged"}
        assert await parts.catalogue.list(tenant=TENANT) == before
        assert [source.title for source in before] == ["Title A", "b"]
        assert before[0].readers == ("everyone", "channel:hr")


async def test_what_a_file_says_of_itself_is_taken_over(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md=FRONT, b_md="# 借用制度\n\n设备借用超过七天须登记。")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        source, chinese = await parts.source("a.md"), await parts.source("b.md")
    assert (source.title, source.status, source.owner) == (
        "Lending",
        SourceStatus.PROPOSED,
        "Equipment",
    )
    assert (str(source.effective_from), source.tags) == ("2026-01-31", ("hr", "devices"))
    assert (source.language, chinese.language, chinese.title) == ("en", "zh", "借用制度")


async def test_a_changed_file_and_a_new_title_are_changes(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md="# A\n\nOne.", b_md="---\ntitle: B\n---\nTwo.")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        _folder(root, a_md="# A\n\nOne more.")
        assert await _add(parts, root) == {"a.md": ("changed", ""), "b.md": ("unchanged", "")}
        await parts.catalogue.put(
            (await parts.source("b.md")).model_copy(update={"title": "Old name"})
        )
        assert (await _add(parts, root))["b.md"] == ("changed", "")


async def test_a_renamed_source_is_found_and_shown_by_its_new_title(tmp_path: Path) -> None:
    row = document(tmp_path / "a.txt", title="Kangaroo")
    (tmp_path / "a.txt").write_text("seven days", "utf-8")
    async with reading(tmp_path / "data") as parts:
        await steps(parts.importer.add_rows([row]))
        assert len((await parts.find("kangaroo", "a.txt")).hits) == 1
        renamed = row.model_copy(update={"title": "Wombat"})
        assert await steps(parts.importer.add_rows([renamed])) == {"a.txt": ("changed", "")}
        assert not (await parts.find("kangaroo", "a.txt")).hits
        (hit,) = (await parts.find("wombat", "a.txt")).hits
        assert hit.chunk.title == "Wombat"


async def test_broken_files_fail_alone_and_leave_no_entry(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", good_md="# Good\n\nOne.", long_txt="x" * 200)
    (root / "latin.txt").write_bytes("für".encode("latin-1"))
    os.mkfifo(root / "pipe.txt")
    (root / "link.md").symlink_to(root / "good.md")
    (root / "empty.md").touch()
    (root / "picture.png").write_bytes(b"\x89PNG")
    (root / ".hidden.md").write_text("no", "utf-8")
    async with reading(tmp_path / "data", limits=Limits(document_characters=100)) as parts:
        done = await _add(parts, root)
        listed = [source.id for source in await parts.catalogue.list(tenant=TENANT)]
    outcomes = {name: outcome for name, (outcome, _) in done.items()}
    assert outcomes == {
        "good.md": "added",
        "long.txt": "failed",
        "latin.txt": "failed",
        "pipe.txt": "skipped",
        "link.md": "skipped",
        "empty.md": "skipped",
        "picture.png": "skipped",
    }
    assert "100 characters" in done["long.txt"][1]
    assert "UTF-8" in done["latin.txt"][1]
    assert listed == ["good.md"]


async def test_a_file_of_too_many_chunks_leaves_no_entry(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_txt="One is here. " * 40, b_txt="Two.")
    few = Limits(document_chunks=1, chunk_safe_tokens=20)
    async with reading(tmp_path / "data", limits=few) as parts:
        done = await _add(parts, root)
        assert (done["a.txt"][0], done["b.txt"][0]) == ("failed", "added")
        assert [source.id for source in await parts.catalogue.list(tenant=TENANT)] == ["b.txt"]


async def test_the_same_path_of_another_folder_needs_a_prefix(tmp_path: Path) -> None:
    one = _folder(tmp_path / "one", a_md="# One\n\nOne.")
    two = _folder(tmp_path / "two", a_md="# Two\n\nTwo.", z_md="# Z\n\nLast.")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, one)
        with pytest.raises(WrongUsage, match="--prefix"):
            await _add(parts, two)
        assert (await parts.source("a.md")).title == "One"
        assert not await parts.catalogue.get(tenant=TENANT, source_ids=["z.md"])
        assert set(await _add(parts, two, prefix="two")) == {"two/a.md", "two/z.md"}
        assert (await parts.source("a.md")).title == "One"


async def test_a_withdrawn_source_stays_withdrawn(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md=FRONT.replace("proposed", "current"))
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        await parts.catalogue.set_status(
            tenant=TENANT, source_id="a.md", status=SourceStatus.WITHDRAWN
        )
        await _add(parts, root)
        await steps(parts.refresher.refresh(tenant=TENANT))
        assert (await parts.source("a.md")).status is SourceStatus.WITHDRAWN


async def test_vanished_files_stay_until_refresh(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md="# A\n\nAlpaca.", b_md="# B\n\nBear.")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        pin = await parts.source("a.md")
        (root / "a.md").unlink()
        _folder(root, b_md="# B\n\nBadger.")
        assert await _add(parts, root) == {"b.md": ("changed", "")}
        assert await parts.text("a.md") == "# A\n\nAlpaca."
        done = await steps(parts.refresher.refresh(tenant=TENANT))
        assert done == {"a.md": ("removed", "its file is gone"), "b.md": ("unchanged", "")}
        assert not await parts.search.holds(
            tenant=TENANT, source_id="a.md", snapshot=str(pin.snapshot)
        )
        assert (await parts.source("b.md")).readers == ("everyone", "channel:hr")


async def test_refresh_without_the_folder_removes_nothing(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md="# A\n\nAlpaca.")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root, prefix="p")
        shutil.rmtree(root)
        assert await steps(parts.refresher.refresh(tenant=TENANT)) == {
            "p/a.md": ("skipped", "its folder is not on this machine")
        }
        assert len((await parts.find("alpaca", "p/a.md")).hits) == 1


async def test_refresh_keeps_a_prefix(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", deep__a_md="# A\n\nAlpaca.")
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root, prefix="p")
        _folder(root, deep__a_md="# A\n\nAnteater.")
        assert await steps(parts.refresher.refresh(tenant=TENANT)) == {
            "p/deep/a.md": ("changed", "")
        }


async def test_an_entry_whose_text_cannot_be_read_now_stays_and_says_so(tmp_path: Path) -> None:
    row = Source(
        id="prices", tenant=TENANT, title="Prices", kind=Kind.EXTERNAL, ref="p1", readers=("#hr",)
    )
    async with reading(tmp_path / "data") as parts:
        (tmp_path / "a.txt").write_text("seven days", "utf-8")
        done = await steps(parts.importer.add_rows([row, document(tmp_path / "a.txt")]))
        assert (done["prices"][0], done["a.txt"]) == ("failed", ("added", ""))
        parts.external.rows["p1"] = ("Prices", "39 a month")
        assert (await steps(parts.refresher.refresh(tenant=TENANT)))["prices"][0] == "changed"
        assert (await parts.source("prices")).readers == ("channel:hr",)


async def test_an_outage_is_no_failed_file(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md="# A\n\nAlpaca.")
    async with reading(tmp_path / "data") as parts:
        (tmp_path / "data" / "index").write_text("not a folder", "utf-8")
        with pytest.raises(FootnoteError):
            await _add(parts, root)


def test_a_survey_wants_a_folder(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="not a folder"):
        survey(tmp_path / "nowhere")


async def test_a_sidecar_says_what_the_document_does_not(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md=FRONT)
    beside = root / "a.md.footnote.json"
    said = {"status": "current", "effective_until": "2026-12-31", "importance": 2}
    beside.write_text(json.dumps({**said, "collection": "important", "supersedes": "z"}), "utf-8")
    async with reading(tmp_path / "data") as parts:
        assert set(await _add(parts, root)) == {"a.md"}
        source = await parts.source("a.md")
        assert (source.status, str(source.effective_until)) == (SourceStatus.CURRENT, "2026-12-31")
        assert (source.collection, source.importance, source.supersedes) == ("important", 2.0, "z")
        assert (source.owner, source.title) == ("Equipment", "Lending")
        beside.write_text('{"status": "superseded"}', "utf-8")
        assert await steps(parts.refresher.refresh(tenant=TENANT)) == {"a.md": ("changed", "")}
        assert (await parts.source("a.md")).status is SourceStatus.SUPERSEDED


async def test_a_sidecar_with_unknown_keys_is_an_error_in_words(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md="# A\n\nOne.", b_md="# B\n\nTwo.")
    (root / "a.md.footnote.json").write_text('{"statos": "current"}', "utf-8")
    async with reading(tmp_path / "data") as parts:
        done = await _add(parts, root)
    assert done["b.md"] == ("added", "")
    assert done["a.md"][0] == "failed"
    assert "a.md.footnote.json: statos:" in done["a.md"][1]


async def test_what_a_person_set_stands_until_it_is_given_back(tmp_path: Path) -> None:
    root = _folder(tmp_path / "docs", a_md=FRONT)
    async with reading(tmp_path / "data") as parts:
        await _add(parts, root)
        given = set_by_hand(await parts.source("a.md"), ["status=current", "tags=x, y"])
        await parts.catalogue.put(given)
        _folder(root, a_md=FRONT + "\nAnd more.\n")
        await steps(parts.refresher.refresh(tenant=TENANT))
        source = await parts.source("a.md")
        assert (source.status, source.tags) == (SourceStatus.CURRENT, ("x", "y"))
        await parts.catalogue.put(set_by_hand(source, ["status=", "tags="]))
        await parts.origins.read_anew(tenant=TENANT, source_id="a.md")
        await steps(parts.refresher.refresh(tenant=TENANT))
        source = await parts.source("a.md")
        assert (source.status, source.tags) == (SourceStatus.PROPOSED, ("hr", "devices"))


def test_only_known_fields_can_be_set_and_to_what_they_may_be() -> None:
    source = Source(id="a", tenant=TENANT, title="A", kind=Kind.DOCUMENT, ref="a.md")
    for words in ("nothing", "readers=everyone", "status=maybe", "importance=0"):
        with pytest.raises(WrongUsage):
            set_by_hand(source, [words])


async def test_sources_that_supersede_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    texts = {
        name: f"---\nsupersedes: {before}.md\n---\n# {name}\n\nText."
        for name, before in (("a", "c"), ("b", "a"), ("c", "b"))
    }
    root = _folder(tmp_path / "docs", **{f"{name}_md": text for name, text in texts.items()})
    async with reading(tmp_path / "data") as parts:
        done = await _add(parts, root)
        assert [done[name][0] for name in ("a.md", "b.md", "c.md")] == ["added", "added", "failed"]
        assert "c.md → b.md → a.md → c.md" in done["c.md"][1]
        row = document(tmp_path / "d.txt").model_copy(update={"supersedes": "d.txt"})
        with pytest.raises(WrongUsage, match=r"d\.txt → d\.txt"):
            await steps(parts.importer.add_rows([row]))


async def test_what_supersedes_no_source_is_told_of_until_there_is_one(tmp_path: Path) -> None:
    texts = {
        "a_md": "---\nsupersedes: z.md\n---\n# A\n\nText.",
        "b_md": "---\nsupersedes: y.md\n---\n# B\n\nText.",
        "c_md": "# C\n\nText.",
        "z_md": "# Z\n\nOlder.",
    }
    root = _folder(tmp_path / "docs", **texts)
    (root / f"c.md{SIDECAR}").write_text('{"supersedes": "x.md"}', "utf-8")
    async with reading(tmp_path / "data") as parts:
        done = await _add(parts, root)
        assert {outcome for outcome, _ in done.values()} == {"added"}
        row = document(_folder(tmp_path / "rows", d_md="Rows.") / "d.md")
        rows = parts.importer.add_rows([row.model_copy(update={"supersedes": "w.md"})])
        assert [outcome for outcome, _ in (await steps(rows)).values()] == ["added"]

        async def wrong() -> dict[str, str]:
            every = await parts.catalogue.list(tenant=TENANT)
            return replaces_none(every, await parts.catalogue.removed(tenant=TENANT))

        told = await wrong()
        assert told.keys() == {"b.md", "c.md", "d.md"}
        assert told["b.md"] == "it supersedes 'y.md', and there is no such source"
        _folder(root, deep__x_md="# X\n\nOlder.", y_md="# Y\n\nOlder.")
        await steps(parts.refresher.refresh(tenant=TENANT))
        told = await wrong()
        assert told.keys() == {"c.md", "d.md"}
        assert told["c.md"].endswith("; is it 'deep/x.md'?")
        (root / "y.md").unlink()  # it has done its service
        await steps(parts.refresher.refresh(tenant=TENANT))
        assert (await wrong()).keys() == {"c.md", "d.md"}
        source = await parts.source("c.md")
        with pytest.raises(WrongUsage, match="no such source"):
            refuse_unknown_before(source, set_by_hand(source, ["supersedes=b"]), ["c.md"])
        with pytest.raises(WrongUsage, match=r"c\.md → c\.md"):
            refuse_circles([set_by_hand(source, ["supersedes=c.md"])], {})
        refuse_unknown_before(source, set_by_hand(source, ["owner=x"]), ["c.md"])
