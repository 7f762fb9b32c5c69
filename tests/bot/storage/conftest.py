"""A fresh, migrated database a test: SQLite always, PostgreSQL where a server is given."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from bot.storage.database import Database
from bot.storage.engine import parse_url, sqlite_url
from bot.storage.migrate import ensure
from bot.storage.tenants import SqlTenants
from tests.bot.storage.predicates import watched

SERVER = "FOOTNOTE_TEST_DATABASE_URL"
WITHOUT_SERVER = f"no PostgreSQL: give its URL in {SERVER}"
TENANTS = ("acme", "demo")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database."""
    if request.param == "sqlite":
        yield sqlite_url(tmp_path / "footnote.db")
        return
    server = os.environ.get(SERVER)
    if not server:
        pytest.skip(WITHOUT_SERVER)
    with _schema(server) as of_schema:
        yield of_schema


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    """A migrated database with two tenants; no statement may touch one without naming it."""
    ensure(url)
    opened = Database(url)
    with watched() as offences:
        for tenant in TENANTS:
            await SqlTenants(opened).create(tenant)
        yield opened
    await opened.close()
    assert offences == []


@contextmanager
def _schema(server: str) -> Iterator[str]:
    """A schema of its own on the server, dropped afterwards."""
    name = f"test_{uuid4().hex}"
    engine = create_engine(parse_url(server))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    of_schema = parse_url(server).update_query_dict({"options": f"-csearch_path={name}"})
    yield of_schema.render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
    engine.dispose()
