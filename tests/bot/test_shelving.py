"""A shelved text is recorded and found, without any file of it lying anywhere."""

from pathlib import Path

from bot.loaders.loaded import Loaded
from bot.loaders.loading import Loading
from bot.shelving import shelving
from rag.values import Kind, Source
from tests.bot.reading import TENANT, reading


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
