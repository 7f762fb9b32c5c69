"""A migrated database is the one the code describes, whoever migrates it."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, text

from bot.database_urls import sqlite_url
from bot.storage.engine import open_engine
from bot.storage.errors import SchemaOutdated
from bot.storage.migrate import current, ensure, migrate, newest
from bot.storage.tables import metadata
from rag.errors import StoreUnavailable

ENSURE = "import sys; from bot.storage.migrate import ensure; ensure(sys.argv[1])"


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    opened = open_engine(url, connections=1, busy_seconds=10)
    yield opened
    opened.dispose()


def _shape(connection: Connection) -> dict[str, object]:
    """Everything reflection finds of every table but alembic's own."""
    seen = inspect(connection)
    names = [name for name in seen.get_table_names() if name != "alembic_version"]
    return {
        name: (
            [{**column, "type": str(column["type"])} for column in seen.get_columns(name)],
            seen.get_pk_constraint(name),
            sorted(seen.get_foreign_keys(name), key=str),
            sorted(seen.get_unique_constraints(name), key=str),
            sorted(seen.get_indexes(name), key=str),
            sorted(seen.get_check_constraints(name), key=str),
        )
        for name in names
    }


def test_the_migrated_schema_is_the_fresh_one(url: str, engine: Engine) -> None:
    migrate(url)
    with engine.begin() as connection:
        migrated = _shape(connection)
        connection.execute(text("DROP TABLE alembic_version"))
        metadata.drop_all(connection)
    with engine.begin() as connection:
        metadata.create_all(connection)
        fresh = _shape(connection)
    assert len(migrated) == len(metadata.tables)
    assert migrated == fresh


def test_ensure_migrates_an_empty_database_once(url: str) -> None:
    assert current(url) is None
    ensure(url)
    assert current(url) == newest()
    ensure(url)
    migrate(url)
    assert current(url) == newest()


def test_many_processes_may_ensure_at_once(url: str) -> None:
    command = [sys.executable, "-c", ENSURE, url]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(4)]
    failures = [process.communicate()[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, failures
    assert current(url) == newest()


def test_an_old_schema_is_left_alone_and_said(url: str, engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE something (n INTEGER)"))
    with pytest.raises(SchemaOutdated, match="footnote migrate"):
        ensure(url)
    assert current(url) is None


def _become(engine: Engine, revision: str) -> None:
    with engine.begin() as connection:
        named = {"revision": revision}
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), named)


def test_a_newer_schema_that_only_adds_does(url: str, engine: Engine) -> None:
    migrate(url)
    _become(engine, "9999")
    ensure(url)
    _become(engine, f"9999_{newest()[:4]}")
    ensure(url)
    # Nobody but the newer version may change it, though.
    with pytest.raises(SchemaOutdated):
        migrate(url)


@pytest.mark.parametrize("revision", ["9999_9998", "of-another-program", "12345"])
def test_a_schema_not_made_for_this_version_is_refused(
    url: str, engine: Engine, revision: str
) -> None:
    migrate(url)
    _become(engine, revision)
    with pytest.raises(SchemaOutdated):
        ensure(url)
    with pytest.raises(SchemaOutdated):
        migrate(url)


def test_who_is_too_old_is_told_to_be_replaced(url: str, engine: Engine) -> None:
    migrate(url)
    _become(engine, "9999_9998")
    with pytest.raises(SchemaOutdated, match="install the version that made it"):
        ensure(url)


def test_the_folder_is_made(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "new" / "deep" / "a % b.db")
    ensure(url)
    assert current(url) == newest()


def test_a_folder_that_cannot_be_made_is_an_outage(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable):
        ensure(sqlite_url(tmp_path / "file" / "footnote.db"))


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "footnote.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE handles (in_the_way INTEGER)")
    with pytest.raises(StoreUnavailable):
        migrate(sqlite_url(path))
    engine = create_engine(sqlite_url(path))
    assert inspect(engine).get_table_names() == ["handles"]
    engine.dispose()
