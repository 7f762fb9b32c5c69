"""Files that are no plain text: read in a child, cut as they are built, found again in place."""

from pathlib import Path

import pytest

from bot.loaders.chunking import CUTTINGS
from bot.loaders.loaded import Caution
from bot.loaders.registry import FORMATS, Format
from bot.sources.importing import words_of
from handlers.blocks.texts import say
from rag.errors import SourceUnreadable
from rag.values import Chunk, Limits
from tests.bot.reading import TENANT, Reading, document, reading, steps

_HERE = "tests.bot.loaders.parsers"
_PAGED = "%PDF-\n# Lending\nA bike is lent for seven days.\n\f# Fees\nThe fee is three euros.\n"


async def _chunks(parts: Reading, source_id: str) -> tuple[Chunk, ...]:
    """As another process finds them in the record."""
    source = await parts.source(source_id)
    return await parts.chunks.load(
        tenant=TENANT, source_id=source_id, snapshot=str(source.snapshot)
    )


async def test_where_a_text_stands_survives_in_the_record(tmp_path: Path) -> None:
    file = tmp_path / "rules.pdf"
    file.write_text(_PAGED, "utf-8")
    async with reading(tmp_path / "data", loaders={"pdf": f"{_HERE}:pages"}) as parts:
        await parts.catalogue.put(document(file))
        await parts.intake.pin(document(file))
        stored = await _chunks(parts, "rules.pdf")
        (hit,) = (await parts.find("euros", "rules.pdf")).hits
        assert hit.chunk in stored
        at = hit.chunk.text.index("three euros") + hit.chunk.start
        (place,) = (one for one in hit.chunk.locators if one.start <= at < one.end)
        assert place.page == 2
        assert [one.text[a - one.start : b - one.start] for one in stored for a, b in one.headings]
        file.unlink()  # what stands where is known without the file
        again = await parts.intake.pin(await parts.source("rules.pdf"))
        assert again.snapshot == hit.chunk.snapshot
        assert await _chunks(parts, "rules.pdf") == stored


async def test_a_text_that_moves_to_another_page_is_found_there(tmp_path: Path) -> None:
    file = tmp_path / "rules.pdf"
    file.write_text(_PAGED, "utf-8")
    async with reading(tmp_path / "data", loaders={"pdf": f"{_HERE}:pages"}) as parts:
        await parts.catalogue.put(document(file))
        first = await parts.intake.pin(document(file))
        before = await _chunks(parts, "rules.pdf")
        file.write_text(_PAGED.replace("%PDF-\n", "%PDF-\n\f"), "utf-8")
        again = await parts.intake.pin(await parts.source("rules.pdf"))
        assert again.snapshot == first.snapshot
        (hit,) = (await parts.find("euros", "rules.pdf")).hits
        after = await _chunks(parts, "rules.pdf")
        assert hit.chunk in after
        assert [one.text for one in after] == [one.text for one in before]
        assert [{place.page for place in one.locators} for one in before] == [{1, 2}]
        assert [{place.page for place in one.locators} for one in after] == [{2, 3}]
        (kept,) = await parts.chunks.versions(tenant=TENANT, source_id="rules.pdf")
        assert kept.chunks == len(after)


async def test_another_process_does_not_parse_what_has_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "rules.pdf"
    file.write_text(_PAGED, "utf-8")
    async with reading(tmp_path / "data", loaders={"pdf": f"{_HERE}:pages"}) as parts:
        await parts.catalogue.put(document(file))
        first = await parts.intake.pin(document(file))
    async with reading(tmp_path / "data", loaders={}) as parts:  # it could not parse it
        again = await parts.intake.pin(await parts.source("rules.pdf"))
        assert again.snapshot == first.snapshot
        file.write_text(_PAGED + "\n", "utf-8")
        with pytest.raises(SourceUnreadable):
            await parts.intake.pin(await parts.source("rules.pdf"))


async def test_a_table_is_cut_between_rows_and_each_part_knows_its_header(tmp_path: Path) -> None:
    file = tmp_path / "prices.pdf"
    rows = [f"item {number:03}\t{number * 7} EUR a month" for number in range(120)]
    file.write_text("%PDF-\n" + "\n".join(["name\tprice", *rows]) + "\n", "utf-8")
    loaders = {"pdf": f"{_HERE}:table"}
    async with reading(tmp_path / "data", loaders=loaders) as parts:
        await parts.catalogue.put(document(file))
        await parts.intake.pin(document(file))
        first, *rest = await _chunks(parts, "prices.pdf")
        assert rest
        assert first.table_header == ""
        assert {chunk.table_header for chunk in rest} == {"name\tprice"}
        assert {chunk.content_type for chunk in rest} == {"table"}
        assert all(chunk.text.startswith("item ") for chunk in rest)
        assert rest[0].locators[0].cells == f"A{int(rest[0].text[5:8]) + 2}:B" + str(
            int(rest[0].text[5:8]) + 2
        )


async def test_a_folder_takes_every_format_by_its_content(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "wrongly-named.txt").write_text(_PAGED, "utf-8")
    (folder / "notes.md").write_text("# Notes\n\nAll is well.\n", "utf-8")
    async with reading(tmp_path / "data", loaders={"pdf": f"{_HERE}:pages"}) as parts:
        done = await steps(parts.importer.add_folder(folder, tenant=TENANT, readers=["everyone"]))
        assert {outcome for outcome, _ in done.values()} == {"added"}
        assert (await parts.source("wrongly-named.txt")).title == "Paged"
        assert (await _chunks(parts, "wrongly-named.txt"))[0].page == 1


async def test_what_an_owner_should_know_is_told_once_a_version(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "drawn.pdf").write_text("%PDF-\n# Plan\nSee the picture.\n", "utf-8")
    async with reading(tmp_path / "data", loaders={"pdf": f"{_HERE}:pages"}) as parts:
        for told in ("its pictures were not read", ""):
            done = await steps(
                parts.importer.add_folder(folder, tenant=TENANT, readers=["everyone"])
            )
            assert done["drawn.pdf"][1] == told


@pytest.mark.parametrize("caution", Caution)
def test_every_caution_has_its_words(caution: Caution) -> None:
    assert words_of(caution)
    assert say(f"caution_{caution}", language="zh")


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_format_and_its_ways_of_cutting_have_their_words(form: Format) -> None:
    assert say(f"format_{form.name}", language="zh")
    assert all(say(f"cut_by_{way.value}", language="zh") for way in CUTTINGS[form.name])


async def test_a_parser_that_is_killed_leaves_nothing_and_harms_nobody(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.pdf", tmp_path / "good.md"
    bad.write_bytes(b"%PDF-\ndies")
    good.write_text("# Bikes\n\nBikes stand in the yard.\n", "utf-8")
    async with reading(
        tmp_path / "data", loaders={"pdf": f"{_HERE}:misbehaving"}, limits=Limits(parse_seconds=60)
    ) as parts:
        for file in (bad, good):
            await parts.catalogue.put(document(file))
        with pytest.raises(SourceUnreadable, match=r"bad\.pdf: .*breaks"):
            await parts.intake.pin(document(bad))
        await parts.intake.pin(document(good))
        assert len((await parts.find("yard", "good.md")).hits) == 1
        assert (await parts.source("bad.pdf")).snapshot is None
        assert await parts.chunks.versions(tenant=TENANT, source_id="bad.pdf") == ()
