"""What `rag` may rely on, whatever searches: the scope, its own statistics, the neighbours."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import pytest

from bot.engines.search_lancedb import LanceIndex
from bot.engines.search_tantivy import TantivyIndex
from rag.ports import Hits, Index, Scope
from rag.testing import MemoryIndex, chunks_of
from rag.testing.stores import digest
from rag.text.tokenise import terms
from rag.values import Chunk
from tests.object_storage import BUCKET, ObjectServer

LOANS = "A loan ends after seven days.\n\nA badge is lent by the desk.\n\nThe desk closes at six."
SECRET = "Badge badge badge: the badge vault.\n\nA loan of the vault.\n\nLoan."
CHINESE = "借用超过七天的，应重新确认归还日期。\n\n合同 D-204 的年费为 186,000 元。"


class Filled(Index, Protocol):
    """An index with its write side."""

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None: ...


@pytest.fixture
def in_memory() -> Filled:
    return MemoryIndex()


@pytest.fixture
def in_tantivy(tmp_path: Path) -> Filled:
    return TantivyIndex(tmp_path)


@pytest.fixture
def in_lancedb(tmp_path: Path) -> Filled:
    return LanceIndex(str(tmp_path))


@pytest.fixture
def in_lancedb_on_s3(objects: ObjectServer) -> Filled:
    return LanceIndex(f"s3://{BUCKET}/{uuid4().hex}", options=objects.lance_options())


@pytest.fixture(params=["in_memory", "in_tantivy", "in_lancedb", "in_lancedb_on_s3"])
def index(request: pytest.FixtureRequest) -> Filled:
    made: Filled = request.getfixturevalue(request.param)
    return made


def pieces(name: str, text: str, *, title: str = "Rules") -> tuple[Chunk, ...]:
    return chunks_of(text, source_id=name, snapshot=digest(text), title=title)


def scope(*pins: tuple[str, str], tenant: str = "demo") -> Scope:
    return Scope(tenant=tenant, pins=tuple((name, digest(text)) for name, text in pins))


async def found(index: Index, query: str, within: Scope, *, limit: int = 10) -> Hits:
    return await index.search(terms=tuple(dict.fromkeys(terms(query))), scope=within, limit=limit)


def ids(hits: Hits) -> list[str]:
    return [hit.chunk.id for hit in hits.hits]


async def test_a_hit_is_the_chunk_that_went_in_with_its_counts(index: Filled) -> None:
    chunks = pieces("loans", LOANS)
    await index.add(tenant="demo", chunks=chunks)
    hits = await found(index, "badge desk", scope(("loans", LOANS)))
    assert hits.hits[0].chunk == chunks[1]
    assert hits.hits[0].term_counts == {"badg": 1, "desk": 1}
    assert hits.hits[0].length == len(terms(chunks[1].text))


async def test_nothing_outside_the_scope_is_found_or_counted(index: Filled) -> None:
    await index.add(tenant="demo", chunks=pieces("loans", LOANS))
    alone = await found(index, "badge loan desk vault", scope(("loans", LOANS)))
    await index.add(tenant="demo", chunks=pieces("secret", SECRET))
    beside = await found(index, "badge loan desk vault", scope(("loans", LOANS)))
    assert beside == alone
    assert "vault" not in beside.frequencies
    assert beside.frequencies == {"badg": 1, "loan": 1, "desk": 2}
    assert beside.chunks == 3
    assert beside.average_length == pytest.approx(6.0)


async def test_a_tenant_never_sees_the_same_pin_of_another(index: Filled) -> None:
    await index.add(tenant="acme", chunks=pieces("loans", LOANS))
    assert ids(await found(index, "badge", scope(("loans", LOANS)))) == []
    assert len(ids(await found(index, "badge", scope(("loans", LOANS), tenant="acme")))) == 1


async def test_an_older_version_is_searched_only_when_pinned(index: Filled) -> None:
    newer = LOANS.replace("seven", "nine")
    await index.add(tenant="demo", chunks=pieces("loans", LOANS))
    await index.add(tenant="demo", chunks=pieces("loans", newer))
    hits = await found(index, "loan ends", scope(("loans", newer)))
    assert {hit.chunk.snapshot for hit in hits.hits} == {digest(newer)}
    assert hits.chunks == 3


async def test_adding_the_same_again_changes_nothing(index: Filled) -> None:
    await index.add(tenant="demo", chunks=pieces("loans", LOANS))
    once = await found(index, "desk", scope(("loans", LOANS)))
    await index.add(tenant="demo", chunks=pieces("loans", LOANS))
    assert await found(index, "desk", scope(("loans", LOANS))) == once


async def test_title_words_are_counted_apart_from_the_text(index: Filled) -> None:
    await index.add(tenant="demo", chunks=pieces("loans", LOANS, title="Lending rules"))
    hits = await found(index, "rules", scope(("loans", LOANS)))
    assert len(hits.hits) == 3
    assert all(not hit.term_counts and hit.title_counts == {"rule": 1} for hit in hits.hits)


async def test_chinese_is_found_by_its_pairs_and_codes_whole(index: Filled) -> None:
    chunks = pieces("zh", CHINESE)
    await index.add(tenant="demo", chunks=chunks)
    assert ids(await found(index, "归还日期", scope(("zh", CHINESE))))[0] == chunks[0].id
    assert ids(await found(index, "D-204", scope(("zh", CHINESE)))) == [chunks[1].id]


async def test_an_empty_scope_finds_nothing(index: Filled) -> None:
    await index.add(tenant="demo", chunks=pieces("loans", LOANS))
    assert await found(index, "badge", scope()) == Hits()


@pytest.mark.parametrize(("reach", "expected"), [(1, [0, 2]), (2, [0, 2]), (0, [])])
async def test_neighbours_come_in_order_and_without_the_chunk_itself(
    index: Filled, reach: int, expected: list[int]
) -> None:
    chunks = pieces("loans", LOANS)
    await index.add(tenant="demo", chunks=chunks)
    await index.add(tenant="demo", chunks=pieces("secret", SECRET))
    beside = await index.around(chunks[1], tenant="demo", reach=reach)
    assert [chunk.ordinal for chunk in beside] == expected
    assert {chunk.source_id for chunk in beside} <= {"loans"}
    assert await index.around(chunks[1], tenant="acme", reach=reach) == ()
