"""Values stay values: none is a statement, a path out of its folder or an operator."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import sqlalchemy as sa

from bot.database_urls import sqlite_url
from bot.engines.search_tantivy import TantivyIndex
from rag.ports import Scope
from rag.testing import chunks_of
from rag.testing.stores import digest
from tests.bot.reading import Reading, reading
from tests.handlers.hostile import HOSTILE
from tests.security import paths, values

pytestmark = pytest.mark.asyncio(loop_scope="module")

VALUES = (
    "' OR 'a'='a",
    '" OR ""="',
    "x'; DELETE FROM articles; --",
    "'/**/UNION/**/SELECT/**/1--",
    "%",
    "_",
    "\\",
    "\\'",
    ":id",
    "%(id)s",
    "?",
    "$1",
    "null\x00byte",
    "Robert’); DROP TABLE sources",
    "ＯＲ １＝１",
    "randomblob(1000000000)",
)
PATHS = (
    None,
    "",
    "../outside.md",
    "..\\outside.md",
    "up/outside.md",
    "up/up/etc/passwd",
    "link.md",
    "pipe.md",
    "up",
    ".",
    "/etc/passwd",
    "//etc/passwd",
    "/proc/self/environ",
    "/proc/self/fd/0",
    "/dev/zero",
    "~/.ssh/id_rsa",
    "$(id).md",
    "..%2foutside.md",
    "．．/outside.md",
    "good.md\x00.md",
    "good.md/../../outside.md",
    "good\n.md",
    "-rf",
    "--help",
    "file:///etc/passwd",
    "a" * 5_000,
    "../snapshots/ab/abcdef",
)
QUERIES = (
    "",
    '"',
    "'",
    "*",
    "a*",
    "NOT needle",
    "needle NOT needle",
    "AND OR NOT NEAR(",
    "NEAR(a b, 9999999999)",
    "body:needle",
    "{title} : x",
    "+a -b",
    "(((((",
    "a\x00b",
    "^ ~ ` | \\",
    "x" * 5_000,
    '"a" OR ' * 400,
    "rowid rank sqlite_master",
)
NEEDLE = "needle"
TEXT = f"The {NEEDLE} lies here.\n\n部署 is a word, so is データ and 문서 and ไทย and ß and 😀.\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reading]:
    async with reading(tmp_path_factory.mktemp("values")) as made:
        yield made


async def test_a_reference_to_a_row_is_a_bound_value(tmp_path: Path) -> None:
    articles = values.Articles(tmp_path / "articles.db")
    for value in (*VALUES, *(text for text in HOSTILE if "\ud800" not in text)):
        assert await articles.wrong_with(value) == []
    articles.close()


async def test_the_record_keeps_any_value_as_it_is(opened: Reading) -> None:
    engine = sa.create_engine(sqlite_url(opened.index_folder.parent / "footnote.db"))
    for value in VALUES:
        assert await values.wrong_in_the_record(opened.catalogue, engine, value) == []
    await asyncio.to_thread(engine.dispose)


@pytest.mark.parametrize("ref", PATHS)
async def test_a_reference_never_leads_out_of_its_folder(
    opened: Reading, tmp_path: Path, ref: str | None
) -> None:
    root = paths.folder_of_traps(tmp_path)
    assert await paths.wrong_with_path(opened, root, ref) == []
    assert await values.wrong_with_snapshot(opened.snapshots, ref or "") == []


async def test_what_is_opened_is_seen(opened: Reading, tmp_path: Path) -> None:
    """So that the test above would notice."""
    root = paths.folder_of_traps(tmp_path)
    with paths.watched() as seen:
        assert await paths.brought(opened, root, "good.md") == ("", paths.INSIDE)
        (tmp_path / "outside.md").read_text("utf-8")
    assert str(root / "good.md") in seen
    assert str(tmp_path / "outside.md") in seen


async def test_no_query_is_an_operator(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    for name in ("hidden", "shown"):
        chunks = chunks_of(TEXT, source_id=name, snapshot=digest(TEXT), title="Rules")
        await index.add(tenant="demo", chunks=chunks)
    scope = Scope(tenant="demo", pins=(("shown", digest(TEXT)),))
    for query in QUERIES:
        assert await values.wrong_with_query(index, scope, query, needle=NEEDLE) == []
    for word in ("部署", "データ", "문서", "ไทย", "ß"):
        assert await values.found_by(index, scope, word), word
