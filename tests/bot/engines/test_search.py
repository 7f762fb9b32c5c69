"""Search sees its scope alone: nothing outside it changes a hit, a count or an order."""

import asyncio
import random
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from bot.engines.search_tantivy import TantivyIndex
from rag.errors import IndexUnavailable
from rag.ports import Hits, Scope
from rag.ranking.bm25 import ranked
from rag.text.tokenise import terms
from rag.values import Chunk

_WORDS = ["lending", "laptop", "budget", "approve", "D-204", "借用", "归还", "日期", "不得", "the"]
_ROUNDS, _QUESTIONS = 25, 10

ADD = """
import asyncio, sys
from pathlib import Path
from bot.engines.search_tantivy import TantivyIndex
from tests.bot.engines.test_search import chunk

async def fill():
    index = TantivyIndex(Path(sys.argv[1]))
    for number in range(15):
        await index.add(tenant="demo", chunks=[chunk(sys.argv[2], f"laptop {number}", number)])

asyncio.run(fill())
"""


def chunk(source: str, text: str, ordinal: int = 0, version: str = "v1") -> Chunk:
    """A chunk of its own version, so that each stands under a pin of its own number."""
    snapshot = f"{version}-{ordinal}" if version == "v1" else version
    return Chunk(
        id=sha256(f"{source}{snapshot}{ordinal}".encode()).hexdigest()[:20],
        source_id=source,
        snapshot=snapshot,
        title=source,
        ordinal=ordinal,
        start=0,
        end=len(text),
        lines=(1, 1),
        text=text,
    )


def _scope(*chunks: Chunk, tenant: str = "demo") -> Scope:
    pins = {(one.source_id, one.snapshot) for one in chunks}
    return Scope(tenant=tenant, pins=tuple(sorted(pins)))


def _texts(hits: Hits) -> set[str]:
    return {hit.chunk.text for hit in hits.hits}


def _corpus(rng: random.Random) -> list[Chunk]:
    return [
        chunk(
            f"{rng.choice(_WORDS)}{source}",
            " ".join(rng.choices(_WORDS, k=rng.randint(1, 9))),
            ordinal,
            version="v2",
        )
        for source in range(8)
        for ordinal in range(rng.randint(1, 6))
    ]


async def _filled(folder: Path, chunks: list[Chunk], rng: random.Random) -> TantivyIndex:
    """An index filled in a random order, in three commits, with something deleted again."""
    index = TantivyIndex(folder)
    sources = sorted({one.source_id for one in chunks})
    rng.shuffle(sources)
    for part in (sources[::3], sources[1::3], sources[2::3]):
        of_part = [one for one in chunks if one.source_id in part]
        await index.add(tenant="demo", chunks=[chunk("gone", "laptop budget 借用"), *of_part])
    await index.remove(tenant="demo", source_id="gone")
    return index


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _fill_by_two_processes(folder: Path) -> list[int]:
    writers = [
        subprocess.Popen([sys.executable, "-c", ADD, str(folder), name]) for name in ("one", "two")
    ]
    return [writer.wait(60) for writer in writers]


def _mark_as(folder: Path, version: str) -> None:
    (marker,) = folder.rglob("footnote-version")
    marker.write_text(version)


@pytest.mark.parametrize("seed", range(_ROUNDS))
async def test_hits_counts_and_order_equal_those_of_an_index_of_the_scope_alone(
    seed: int, tmp_path: Path
) -> None:
    rng = random.Random(seed)  # noqa: S311 - a repeatable corpus, no secret
    everything = _corpus(rng)
    sources = sorted({one.source_id for one in everything})
    allowed = set(rng.sample(sources, k=rng.randint(1, len(sources))))
    permitted = [one for one in everything if one.source_id in allowed]
    whole = await _filled(tmp_path / "whole", everything, rng)
    alone = await _filled(tmp_path / "alone", permitted, rng)
    scope = _scope(*permitted)
    for _ in range(_QUESTIONS):
        asked = terms(" ".join(rng.choices([*_WORDS, "unheard"], k=rng.randint(1, 5))))
        limit = rng.choice([1, 1, 2, 12])
        found = await whole.search(terms=asked, scope=scope, limit=limit)
        wanted = await alone.search(terms=asked, scope=scope, limit=limit)
        assert found == wanted
        assert ranked(found) == ranked(wanted)
        assert {hit.chunk.source_id for hit in found.hits} <= allowed


async def test_a_tie_is_not_cut_by_where_chunks_lie(tmp_path: Path) -> None:
    chunks = [chunk(f"s{number}", "laptop", version="v2") for number in range(40)]
    one, other = TantivyIndex(tmp_path / "one"), TantivyIndex(tmp_path / "other")
    await one.add(tenant="demo", chunks=chunks)
    for part in reversed(chunks):
        await other.add(tenant="demo", chunks=[part])
    found = await one.search(terms=["laptop"], scope=_scope(*chunks), limit=1)
    assert found == await other.search(terms=["laptop"], scope=_scope(*chunks), limit=1)
    assert [hit.chunk.id for hit in found.hits] == sorted(one.id for one in chunks)[:8]


async def test_statistics_are_those_a_hand_would_count(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    inside = [chunk("a", "laptop budget budget"), chunk("b", "借用")]
    await index.add(tenant="demo", chunks=[*inside, chunk("c", "budget laptop budget laptop")])
    found = await index.search(
        terms=["budget", "budget", "借用", "none"], scope=_scope(*inside), limit=12
    )
    assert found.frequencies == {"budget": 1, "借用": 1}
    assert (found.chunks, found.average_length) == (2, 3.0)
    assert [hit.term_counts for hit in sorted(found.hits, key=lambda hit: hit.chunk.source_id)] == [
        {"budget": 2},
        {"借用": 1},
    ]


@pytest.mark.parametrize(
    "query",
    [
        'pin:"x" OR *:*',
        "+body:laptop -title:[a TO z]",
        "(((((",
        '"unclosed',
        "laptop\x00\ud800\u202e",
        "a" * 70_000,
        "\\ ~ ^5 /regex.*/ {!x}",
        "你" * 3_000,
        "",
    ],
)
async def test_a_hostile_query_is_words_and_nothing_else(query: str, tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    mine, theirs = chunk("mine", "laptop"), chunk("theirs", "laptop secret")
    await index.add(tenant="demo", chunks=[mine, theirs])
    for asked in (terms(query), [query.encode("utf-8", "ignore").decode()]):
        found = await index.search(terms=asked, scope=_scope(mine), limit=12)
        assert _texts(found) <= {"laptop"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("approving budgets", "Every budget is approved by finance."),
        ("借用期限", "设备借用期限为七天。"),
        ("Ｄ－２０４", "见 D-204 号合同。"),
    ],
)
async def test_both_languages_find_their_sentence(
    question: str, answer: str, tmp_path: Path
) -> None:
    index = TantivyIndex(tmp_path)
    chunks = [
        chunk("a", "Every budget is approved by finance."),
        chunk("b", "设备借用期限为七天。"),
        chunk("c", "见 D-204 号合同。"),
    ]
    await index.add(tenant="demo", chunks=chunks)
    found = await index.search(terms=terms(question), scope=_scope(*chunks), limit=12)
    assert _texts(found) == {answer}


async def test_adding_twice_changes_nothing(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    chunks = [chunk("a", "laptop one", 0, "v2"), chunk("a", "laptop two", 1, "v2")]
    await index.add(tenant="demo", chunks=chunks)
    once = await index.search(terms=["laptop"], scope=_scope(*chunks), limit=12)
    await index.add(tenant="demo", chunks=chunks)
    assert await index.search(terms=["laptop"], scope=_scope(*chunks), limit=12) == once
    assert once.chunks == 2


async def test_a_version_or_a_whole_source_is_removed(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    old, new = chunk("a", "laptop old", 0, "v2"), chunk("a", "laptop new", 0, "v3")
    other = chunk("b", "laptop other", 0, "v2")
    await index.add(tenant="demo", chunks=[old, new, other])
    await index.remove(tenant="demo", source_id="a", snapshot="v2")
    found = await index.search(terms=["laptop"], scope=_scope(old, new, other), limit=12)
    assert _texts(found) == {"laptop new", "laptop other"}
    await index.remove(tenant="demo", source_id="a")
    assert not await index.holds(tenant="demo", source_id="a", snapshot="v3")
    assert await index.holds(tenant="demo", source_id="b", snapshot="v2")


async def test_an_empty_scope_or_no_words_find_nothing(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    mine = chunk("a", "laptop")
    await index.add(tenant="demo", chunks=[mine])
    everything = Scope(tenant="demo", pins=())
    assert await index.search(terms=["laptop"], scope=everything, limit=12) == Hits()
    assert await index.search(terms=[], scope=_scope(mine), limit=12) == Hits()
    assert await index.search(terms=["laptop"], scope=_scope(mine), limit=0) == Hits()
    unknown = Scope(tenant="demo", pins=(("a", "never"),))
    assert await index.search(terms=["laptop"], scope=unknown, limit=12) == Hits()


async def test_around_stays_within_the_snapshot(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    mine = [chunk("a", f"part {number}", number, "v2") for number in range(6)]
    others = [chunk("a", "older", 2, "v0"), chunk("b", "other", 2, "v2")]
    await index.add(tenant="demo", chunks=[*mine, *others])
    near = await index.around(mine[2], tenant="demo", reach=2)
    assert [one.ordinal for one in near] == [0, 1, 3, 4]
    assert await index.around(mine[0], tenant="demo", reach=1) == (mine[1],)
    assert await index.around(mine[0], tenant="acme", reach=1) == ()


@pytest.mark.parametrize("tenant", ["..", ".", "a/b", "租户" * 100, "../../outside", "A", "a"])
async def test_a_tenant_name_is_never_a_path(tenant: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("not the index's")
    index = TantivyIndex(tmp_path / "index")
    mine = chunk("a", "laptop")
    await index.add(tenant=tenant, chunks=[mine])
    found = await index.search(terms=["laptop"], scope=_scope(mine, tenant=tenant), limit=12)
    assert _texts(found) == {"laptop"}
    assert _names(tmp_path) == ["index", "kept.txt"]
    assert not await index.holds(tenant="demo", source_id="a", snapshot=mine.snapshot)


async def test_two_processes_add_at_once_and_a_third_reads_both(tmp_path: Path) -> None:
    reader = TantivyIndex(tmp_path)
    assert not await reader.holds(tenant="demo", source_id="one", snapshot="v1-0")
    assert await asyncio.to_thread(_fill_by_two_processes, tmp_path) == [0, 0]
    every = [chunk(name, f"laptop {n}", n) for name in ("one", "two") for n in range(15)]
    found = await reader.search(terms=["laptop"], scope=_scope(*every), limit=30)
    assert (found.chunks, len(found.hits)) == (30, 30)


async def test_an_index_of_another_format_is_thrown_away(tmp_path: Path) -> None:
    mine = chunk("a", "laptop")
    await TantivyIndex(tmp_path).add(tenant="demo", chunks=[mine])
    _mark_as(tmp_path, "tantivy-0")
    again = TantivyIndex(tmp_path)
    assert not await again.holds(tenant="demo", source_id="a", snapshot=mine.snapshot)
    await again.add(tenant="demo", chunks=[mine])
    assert await TantivyIndex(tmp_path).holds(tenant="demo", source_id="a", snapshot=mine.snapshot)


async def test_what_a_killed_commit_left_is_no_obstacle(tmp_path: Path) -> None:
    """Everything written but the file that makes it count, as a kill between the two leaves it."""
    both = [chunk("a", "laptop", 0), chunk("b", "laptop budget", 0)]
    await TantivyIndex(tmp_path).add(tenant="demo", chunks=both)
    (meta,) = tmp_path.rglob("meta.json")
    before = meta.read_bytes()
    await TantivyIndex(tmp_path).remove(tenant="demo", source_id="a")
    meta.write_bytes(before)
    again = TantivyIndex(tmp_path)
    await again.remove(tenant="demo", source_id="a")
    found = await again.search(terms=["laptop"], scope=_scope(*both), limit=5)
    assert _texts(found) == {"laptop budget"}


async def test_a_folder_deleted_under_an_open_index_is_empty_and_usable(tmp_path: Path) -> None:
    mine = chunk("a", "laptop")
    index, other = TantivyIndex(tmp_path / "index"), TantivyIndex(tmp_path / "index")
    await index.add(tenant="demo", chunks=[mine])
    assert await other.holds(tenant="demo", source_id="a", snapshot=mine.snapshot)
    shutil.rmtree(tmp_path / "index")
    assert not await index.holds(tenant="demo", source_id="a", snapshot=mine.snapshot)
    await index.add(tenant="demo", chunks=[mine])
    found = await other.search(terms=["laptop"], scope=_scope(mine), limit=12)
    assert _texts(found) == {"laptop"}


async def test_an_unusable_folder_is_an_outage_and_not_an_empty_result(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("a file where the folder belongs")
    index = TantivyIndex(tmp_path / "index")
    with pytest.raises(IndexUnavailable):
        await index.search(terms=["laptop"], scope=_scope(chunk("a", "x")), limit=12)
