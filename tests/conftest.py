"""What every test may ask for: a fresh database of either kind, an object storage."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from bot.database_urls import sqlite_url
from bot.queue.engine import system_url
from bot.queue.tables import prepare
from bot.storage.migrate import ensure
from tests.object_storage import ObjectServer, object_server
from tests.postgres import Server, empty, own_server

SERVER = "FOOTNOTE_TEST_DATABASE_URL"
"""Names a PostgreSQL server to use instead of one from the wheel; it may create databases."""


settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")  # the same everywhere; --hypothesis-profile=default seeks anew


def pytest_configure() -> None:
    """Let programs that tests start be ended from the keyboard.

    A shell that runs this in the background ignores the signal, and so would every child.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


SLOW = ("acceptance", "faults", "security", "browser", "bot/cli", "bot/slack")
"""Folders whose files wait for processes; begun first, so that nobody waits for them alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long."""
    here = Path(__file__).parent
    slow = [here / name for name in SLOW]
    items.sort(key=lambda item: not any(item.path.is_relative_to(folder) for folder in slow))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, one for each process that runs tests."""
    given = os.environ.get(SERVER)
    if given:
        yield Server(given)
        return
    with own_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: Server) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    with postgres.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def record_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, once of each kind."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "footnote.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(scope="session")
def kept_postgres_url(postgres: Server) -> Iterator[str]:
    """A PostgreSQL database with the record's and the queue's tables.

    Made once, because making one takes two seconds.
    """
    with postgres.database() as url:
        ensure(url)
        prepare(system_url(url, Path()))
        yield url


@pytest.fixture
def migrated_postgres_url(kept_postgres_url: str) -> str:
    """The URL of a PostgreSQL database with the record's and the queue's tables, all empty.

    Only for tests whose connections end with them: the database is used again.
    """
    empty(kept_postgres_url)
    return kept_postgres_url


@pytest.fixture(params=["sqlite", "postgresql"])
def migrated_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """As `migrated_postgres_url`, once of each kind."""
    if request.param == "sqlite":
        url = sqlite_url(tmp_path / "footnote.db")
        ensure(url)
    else:
        url = request.getfixturevalue("migrated_postgres_url")
    return url


@pytest.fixture(scope="session")
def objects() -> Iterator[ObjectServer]:
    """An S3-compatible server, one for each process that runs tests."""
    with object_server() as server:
        yield server
