"""A shelved text is recorded and found, without any file of it lying anywhere."""

from pathlib import Path

from bot.loaders.loaded import Loaded
from bot.loaders.loading import Loading
from bot.sources.shelving import recutting, shelving
from rag.values import CHUNKING, Kind, Source
from tests.bot.reading import TENANT, Reading, reading


def _text(text: str) -> Loaded:
    return Loading.plain(text, name="bikes.md")


async def test_a_shelved_text_is_found_and_a_newer_one_replaces_it(tmp_path: Path) -> None:
    async with reading(tmp_path) as parts:
        shelve = shelving(entries=parts.catalogue, takes=parts.intake, search=parts.search)
        source = Source(
            id="uploads/bikes.md",
            tenant=TENANT,
            title="Bikes",
            kind=Kind.DOCUMENT,
            ref="slack:uploads/bikes.md",
            readers=("everyone",),
        )
        await shelve(source, _text("# Bikes\n\nBikes stand in the yard.\n"))
        assert len((await parts.find("yard", source.id)).hits) == 1
        await shelve(source, _text("# Bikes\n\nBikes stand in the cellar.\n"))
        assert (await parts.find("yard", source.id)).hits == ()
        assert len((await parts.find("cellar", source.id)).hits) == 1
        again = await parts.intake.pin(await parts.source(source.id))
        assert await parts.text(source.id) == "# Bikes\n\nBikes stand in the cellar.\n"
        assert again.snapshot == (await parts.source(source.id)).snapshot
        finely = source.model_copy(update={"metadata": {CHUNKING: {"strategy": "separator"}}})
        await shelve(finely, _text("# Bikes\n\nBikes stand in the cellar.\n"))
        (hit,) = (await parts.find("cellar", source.id)).hits
        assert hit.chunk.text.strip() == "Bikes stand in the cellar."


async def test_a_source_is_cut_anew_once_its_entry_says_so(tmp_path: Path) -> None:
    file = tmp_path / "bikes.md"
    file.write_text("# Bikes\n\nIn the yard.\n\nLocked.\n", "utf-8")
    async with reading(tmp_path / "data") as parts:
        recut = recutting(versions=parts.chunks, search=parts.search, pins=parts.intake)
        source = Source(
            id="bikes.md", tenant=TENANT, title="Bikes", kind=Kind.DOCUMENT, ref=str(file)
        )
        await parts.catalogue.put(source)
        await parts.intake.pin(source)
        before = await parts.source(source.id)
        await recut(before)
        assert await _found(parts, "locked") == "# Bikes\n\nIn the yard.\n\nLocked."
        entry = {CHUNKING: {"strategy": "separator"}}
        await parts.catalogue.put(source.model_copy(update={"metadata": entry}))
        for _ in range(2):
            await recut(await parts.source(source.id))
            assert await _found(parts, "locked") == "Locked."
        assert (await parts.source(source.id)).snapshot == before.snapshot


async def _found(parts: Reading, words: str) -> str:
    (hit,) = (await parts.find(words, "bikes.md")).hits
    return hit.chunk.text.strip()
