"""Search for more than one machine: as the embedded one finds it, with nothing lost or left."""

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import lancedb
import pytest

from bot.engines import lance_rows as rows
from bot.engines.search_lancedb import LanceIndex
from bot.engines.search_tantivy import TantivyIndex
from rag.errors import IndexUnavailable
from rag.ports import Scope
from rag.ranking.bm25 import ranked
from rag.text.tokenise import terms
from rag.values import Chunk
from tests.bot.engines.test_search import _WORDS, _corpus, _scope, chunk
from tests.object_storage import BUCKET, ObjectServer

CANARY = "kingfisher"

ADD = """
import asyncio, json, sys
from bot.engines.search_lancedb import LanceIndex
from tests.bot.engines.test_search import chunk

async def fill():
    index = LanceIndex(sys.argv[1], options=json.loads(sys.argv[3]))
    for number in range(8):
        both = [chunk("same", f"laptop {number}", number), chunk(sys.argv[2], "laptop", number)]
        await index.add(tenant="demo", chunks=both)

asyncio.run(fill())
"""


@pytest.mark.parametrize("seed", range(4))
async def test_it_finds_what_the_embedded_search_finds(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)  # noqa: S311 - a repeatable corpus, no secret
    everything = _corpus(rng)
    sources = sorted({one.source_id for one in everything})
    allowed = set(rng.sample(sources, k=rng.randint(1, len(sources))))
    permitted = [one for one in everything if one.source_id in allowed]
    alone, lance = TantivyIndex(tmp_path / "tantivy"), LanceIndex(str(tmp_path / "lance"))
    await alone.add(tenant="demo", chunks=permitted)
    for source in sources:
        part = [one for one in everything if one.source_id == source]
        await lance.add(tenant="demo", chunks=[*part, chunk("gone", "laptop 借用")])
    await lance.remove(tenant="demo", source_id="gone")
    for _ in range(6):
        asked = terms(" ".join(rng.choices([*_WORDS, "unheard"], k=rng.randint(1, 5))))
        scope, limit = _scope(*permitted), rng.choice([1, 2, 12])
        found = await lance.search(terms=asked, scope=scope, limit=limit)
        wanted = await alone.search(terms=asked, scope=scope, limit=limit)
        assert found == wanted
        assert ranked(found) == ranked(wanted)


class NewerChunk(Chunk):
    """A chunk as a later version of the program may keep it."""

    novelty: str = "of which this version knows nothing"


@pytest.mark.parametrize("engine", [TantivyIndex, LanceIndex])
async def test_a_chunk_that_a_newer_version_kept_is_found(
    engine: Callable[[Any], TantivyIndex | LanceIndex], tmp_path: Path
) -> None:
    known = [chunk("a", "laptop budget", 0, "v2"), chunk("a", "laptop rules", 1, "v2")]
    index = engine(tmp_path if engine is TantivyIndex else str(tmp_path))
    await index.add(tenant="demo", chunks=[NewerChunk(**dict(one)) for one in known])
    found = await index.search(terms=["budget"], scope=_scope(*known), limit=5)
    assert [hit.chunk for hit in found.hits] == known[:1]
    assert await index.around(known[0], tenant="demo", reach=1) == (known[1],)


@pytest.mark.parametrize("place", ["folder", "s3"])
async def test_two_processes_adding_at_once_lose_nothing_and_count_nothing_twice(
    place: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url, options = str(tmp_path), dict[str, str]()
    if place == "s3":
        server: ObjectServer = request.getfixturevalue("objects")
        url, options = f"s3://{BUCKET}/{uuid4().hex}", server.lance_options()
    assert await asyncio.to_thread(_fill_by_two_processes, url, options) == [0, 0]
    names = [("same", number) for number in range(8)]
    names += [(name, number) for name in ("one", "two") for number in range(8)]
    scope = Scope(tenant="demo", pins=tuple((name, f"v1-{number}") for name, number in names))
    index = LanceIndex(url, options=options)
    found = await index.search(terms=["laptop"], scope=scope, limit=12)
    assert (found.chunks, found.frequencies) == (24, {"laptop": 24})
    assert len({hit.chunk.id for hit in found.hits}) == len(found.hits) == 24


def _fill_by_two_processes(url: str, options: dict[str, str]) -> list[int]:
    words = [[sys.executable, "-c", ADD, url, name, json.dumps(options)] for name in ("one", "two")]
    writers = [subprocess.Popen(line) for line in words]
    return [writer.wait(90) for writer in writers]


async def test_a_chunk_that_two_rivals_stored_twice_counts_once(tmp_path: Path) -> None:
    index = LanceIndex(str(tmp_path))
    twice, once = chunk("a", "laptop budget"), chunk("b", "laptop")
    await index.add(tenant="demo", chunks=[twice, once])
    before = await index.search(terms=["laptop", "budget"], scope=_scope(twice, once), limit=12)
    (folder,) = tmp_path.iterdir()
    table = await (await lancedb.connect_async(tmp_path)).open_table(folder.stem)
    await table.add(rows.table_of([twice]))
    assert await table.count_rows() == 3
    fresh = LanceIndex(str(tmp_path))
    assert before == await fresh.search(
        terms=["laptop", "budget"], scope=_scope(twice, once), limit=12
    )
    assert await fresh.around(twice, tenant="demo", reach=3) == ()


async def test_a_removed_text_leaves_the_files_at_once(tmp_path: Path) -> None:
    index = LanceIndex(str(tmp_path))
    kept = chunk("kept", "laptop budget")
    for number in range(4):
        await index.add(tenant="demo", chunks=[chunk("gone", f"{CANARY} laptop", number)])
        await index.add(tenant="demo", chunks=[kept])
    assert _files_with(CANARY, tmp_path)
    await index.remove(tenant="demo", source_id="gone")
    assert _files_with(CANARY, tmp_path) == []
    found = await index.search(terms=["laptop"], scope=_scope(kept), limit=12)
    assert [hit.chunk for hit in found.hits] == [kept]


def _files_with(word: str, folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if word.encode() in path.read_bytes()]


async def test_one_version_goes_and_the_other_stays(tmp_path: Path) -> None:
    index = LanceIndex(str(tmp_path))
    old, new = chunk("a", "laptop old", version="v1x"), chunk("a", "laptop new", version="v2x")
    await index.add(tenant="demo", chunks=[old, new])
    await index.remove(tenant="demo", source_id="a", snapshot="v1x")
    assert not await index.holds(tenant="demo", source_id="a", snapshot="v1x")
    assert await index.holds(tenant="demo", source_id="a", snapshot="v2x")


async def test_a_search_goes_on_while_another_process_clears_away(tmp_path: Path) -> None:
    reader, writer = LanceIndex(str(tmp_path)), LanceIndex(str(tmp_path))
    kept = chunk("kept", "laptop budget")
    await writer.add(tenant="demo", chunks=[kept])
    ended = asyncio.Event()

    async def write() -> None:
        for number in range(10):
            await writer.add(tenant="demo", chunks=[chunk("gone", "laptop", number)])
            await writer.remove(tenant="demo", source_id="gone")
        ended.set()

    writing = asyncio.create_task(write())
    while not ended.is_set():
        found = await reader.search(terms=["laptop"], scope=_scope(kept), limit=12)
        assert [hit.chunk for hit in found.hits] == [kept]
    await writing


@pytest.mark.parametrize("query", ["'", "' OR true --", "laptop\x00\ud800\u202e", "a" * 70_000])
async def test_no_word_is_a_command(query: str, tmp_path: Path) -> None:
    index = LanceIndex(str(tmp_path))
    mine = chunk("a", "laptop it's a budget")
    await index.add(tenant="demo", chunks=[mine, chunk("b", "laptop secret")])
    asked = [query, *terms(query)]
    found = await index.search(terms=asked, scope=_scope(mine), limit=12)
    assert {hit.chunk.id for hit in found.hits} <= {mine.id}


async def test_a_storage_that_does_not_answer_is_an_outage_and_never_nothing_found() -> None:
    options = {
        "aws_endpoint": "http://127.0.0.1:1",
        "aws_access_key_id": "x",
        "aws_secret_access_key": "x",
        "aws_region": "us-east-1",
        "allow_http": "true",
    }
    index = LanceIndex("s3://none/at-all", options=options, reading_seconds=2, writing_seconds=2)
    one: Chunk = chunk("a", "laptop")
    with pytest.raises(IndexUnavailable):
        await index.search(terms=["laptop"], scope=_scope(one), limit=12)
    with pytest.raises(IndexUnavailable):
        await index.add(tenant="demo", chunks=[one])
