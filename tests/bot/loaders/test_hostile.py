"""Hostile documents in a folder beside a good one: each fails alone, in words, within limits."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.hostile_docs import Peak
from tests.bench.hostile_made import (
    bomb,
    deep,
    docx,
    laughing,
    packed,
    page,
    paragraph,
    word,
    zipped,
)
from tests.bot.reading import TENANT, reading, steps

_FINE = word(paragraph("Bikes stand in the yard."))
_FILE = word(paragraph("&x;")).replace(
    "<w:document", '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document'
)
_REFUSED = {
    "entities.docx": (docx(laughing()), "entities"),
    "outside.docx": (docx(_FILE), "entities"),
    "deep.docx": (docx(word(deep(3_000) + "<!-- " + "x y z " * 3_000 + " -->")), ""),
    "bomb.docx": (docx(_FINE, {"word/media/a.bin": b"\0" * 250_000_000}), "unpacked"),
    "paragraphs.docx": (docx(word(paragraph("A rule.") * 300_000)), "100-fold"),
    "cut-off.docx": (docx(_FINE)[:500], "damaged"),
    "program.docx": (b"MZ" + b"\0" * 1_000, "not what its name says"),
    "names.docx": (docx(_FINE, {"../../evil.xml": "<x/>"}), "outside"),
    "other.docx": (zipped({"a.txt": "x"}), "archive"),
    "cut-off.pdf": (page(b"BT ET")[:120], ""),
    "bomb.pdf": (page(bomb(400_000_000), filters=b"/Filter/FlateDecode"), ""),
    "work.pdf": (
        page(packed(b"0 0 m 1 1 l S\n" * 200_000), filters=b"/Filter/FlateDecode"),
        "",
    ),
    "tags.html": (b"<!doctype html>" + b"<div>" * 200_000, ""),
    "quotes.csv": (b'"' + b"a\n" * 5_000_000, ""),
}
"""What each file holds, and a word of why it is refused; none where it may be read as empty."""


@pytest.fixture
def own_temporary(tmp_path: Path) -> Iterator[Path]:
    """The folder that files of passage lie in, ours alone."""
    before, folder = tempfile.tempdir, tmp_path / "passage"
    folder.mkdir()
    tempfile.tempdir = str(folder)
    yield folder
    tempfile.tempdir = before


async def test_each_fails_alone_and_the_good_one_is_read(
    tmp_path: Path, own_temporary: Path
) -> None:
    folder, peak = tmp_path / "in", Peak()
    folder.mkdir()
    for name, (data, _) in _REFUSED.items():
        (folder / name).write_bytes(data)
    (folder / "good.docx").write_bytes(docx(_FINE))
    async with reading(tmp_path / "data") as parts:
        held, begun = peak.bytes, time.monotonic()
        looking = asyncio.create_task(peak.look())
        done = await steps(parts.importer.add_folder(folder, tenant=TENANT, readers=["everyone"]))
        looking.cancel()
        assert time.monotonic() - begun < 20 * len(_REFUSED)
        assert peak.bytes - held < 50 * 1024 * 1024
        for name, (_, word_of_it) in _REFUSED.items():
            outcome, reason = done[name]
            assert outcome == "failed" or not word_of_it, name
            assert word_of_it in reason, name
        assert done["good.docx"][0] == "added"
        (hit,) = (await parts.find("yard", "good.docx")).hits
        assert hit.chunk.text == "Bikes stand in the yard."
        assert list(own_temporary.iterdir()) == []
        for name in _REFUSED:
            if done[name][0] == "failed":
                assert await parts.chunks.versions(tenant=TENANT, source_id=name) == ()
