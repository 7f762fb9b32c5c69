"""External rows are read as they are now, never written, never remembered through an outage."""

import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.database_urls import sqlite_url
from bot.sources.external import ExternalRows
from bot.tables.read_only import Databases, read_only_engine
from rag.errors import IdentityMismatch, SourceUnreadable
from rag.values import Kind, Source

_TABLE = "CREATE TABLE articles (id, tenant TEXT, title TEXT, body TEXT)"


def _source(ref: str = "atlas", *, tenant: str = "demo", title: str = "Atlas") -> Source:
    return Source(id="ext", tenant=tenant, title=title, kind=Kind.EXTERNAL, ref=ref)


def _write(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def _insert(path: Path, *values: object) -> None:
    _write(path, "INSERT INTO articles VALUES (?, ?, ?, ?)", *values)


def _take_away(path: Path) -> None:
    path.rename(path.with_name("away"))


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    """A database with one article of two tenants."""
    path = tmp_path / "art icles%20#1.db"
    _write(path, _TABLE)
    _insert(path, "atlas", "demo", "Atlas", "标准版支持 50 名成员。")
    _insert(path, "atlas", "acme", "Atlas", "acme's own")
    return path


@pytest.fixture
def databases(articles: Path) -> Iterator[Databases]:
    """Where it is read."""
    opened = Databases(lambda _tenant: sqlite_url(articles))
    yield opened
    opened.close()


@pytest.fixture
def rows(databases: Databases) -> ExternalRows:
    """What reads it."""
    return ExternalRows(databases)


async def test_a_row_is_read_for_its_own_tenant(rows: ExternalRows) -> None:
    assert await rows.read(_source()) == "标准版支持 50 名成员。"
    assert await rows.read(_source(tenant="acme")) == "acme's own"


async def test_a_changed_row_is_read_as_it_is_now(rows: ExternalRows, articles: Path) -> None:
    await rows.read(_source())
    _write(articles, "UPDATE articles SET body = ? WHERE tenant = 'demo'", "60 名成员。")
    assert await rows.read(_source()) == "60 名成员。"


async def test_another_title_is_another_row(rows: ExternalRows, articles: Path) -> None:
    _write(articles, "UPDATE articles SET title = 'Borealis'")
    with pytest.raises(IdentityMismatch) as caught:
        await rows.read(_source())
    assert (caught.value.source_id, caught.value.title) == ("ext", "Atlas")


@pytest.mark.parametrize(
    "ref", ["none", "", "' OR '1'='1", "atlas' --", "atlas\x00", "%", "; DROP TABLE articles"]
)
async def test_a_reference_is_a_value_and_never_a_statement(rows: ExternalRows, ref: str) -> None:
    with pytest.raises(SourceUnreadable):
        await rows.read(_source(ref))
    assert await rows.read(_source()) == "标准版支持 50 名成员。"


@pytest.mark.parametrize("body", [None, b"bytes", 7])
async def test_a_row_without_text_is_unreadable(
    rows: ExternalRows, articles: Path, body: object
) -> None:
    _write(articles, "DROP TABLE articles")
    _write(articles, "CREATE TABLE articles (id, tenant, title, body)")
    _insert(articles, "atlas", "demo", "Atlas", body)
    with pytest.raises(SourceUnreadable):
        await rows.read(_source())


async def test_a_database_that_goes_away_is_unreadable_and_never_stale(
    rows: ExternalRows, databases: Databases, articles: Path
) -> None:
    await rows.read(_source())
    databases.close()
    _take_away(articles)
    with pytest.raises(SourceUnreadable):
        await rows.read(_source())
    assert _names(articles.parent) == ["away"]


async def test_a_dropped_table_is_unreadable(rows: ExternalRows, articles: Path) -> None:
    await rows.read(_source())
    _write(articles, "DROP TABLE articles")
    with pytest.raises(SourceUnreadable):
        await rows.read(_source())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "not a url",
        "nosuchbackend://host/db",
        "oracle://host/db",
        "postgresql://nobody@127.0.0.1:1/none",
    ],
)
async def test_a_url_that_leads_nowhere_is_unreadable(url: str) -> None:
    databases = Databases(lambda _tenant: url)
    with pytest.raises(SourceUnreadable):
        await ExternalRows(databases).read(_source())
    databases.close()


async def test_a_silent_server_is_given_up_soon() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        databases = Databases(lambda _tenant: f"postgres://nobody@127.0.0.1:{port}/none")
        started = time.monotonic()
        with pytest.raises(SourceUnreadable):
            await ExternalRows(databases).read(_source())
        assert time.monotonic() - started < 8
        databases.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE articles SET body = 'written'",
        "INSERT INTO articles VALUES ('x', 'demo', 'x', 'x')",
        "DELETE FROM articles",
        "DROP TABLE articles",
        "CREATE TABLE more (id TEXT)",
    ],
)
def test_nothing_is_written_through_the_connection(articles: Path, statement: str) -> None:
    before = articles.read_bytes()
    engine = read_only_engine(sqlite_url(articles))
    with pytest.raises(SQLAlchemyError), engine.begin() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()
    assert articles.read_bytes() == before
