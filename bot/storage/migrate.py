"""Brings a database's tables to the newest schema, by alembic scripts in the package.

Blocking: call it at start-up, or in a thread.

A revision is a number of four digits. Its script only adds, so that the version before it
goes on beside the new one. One that takes something away names the oldest schema whose
version bears that, as in ``0007_0005``; the revisions after it carry that number on.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic.command import upgrade
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from bot.database_urls import parse_url
from bot.storage.engine import open_engine
from bot.storage.errors import SchemaOutdated
from rag.errors import StoreUnavailable

_REVISION = re.compile(r"[0-9]{4}(_[0-9]{4})?")

MIGRATION_LOCK = 0x466F6F74
"""Key of the PostgreSQL advisory lock held while migrating."""

BUSY_SECONDS = 60.0
"""How long to wait for another process that is migrating."""


def migrate(url: str, *, to: str = "head") -> None:
    """Upgrade the database at ``url`` to the newest schema, or to the revision ``to``.

    Any number of processes may do so at once: one works, the others find it done.
    Raises StoreUnavailable, SchemaOutdated for a schema newer than this version.
    """
    with _alone(url) as connection:
        _upgrade(connection, to)


def ensure(url: str) -> None:
    """Migrate an empty database; leave any other as it is.

    Raises StoreUnavailable, SchemaOutdated when the tables do not do for this version:
    they are older, or newer and no longer made for it.
    """
    if does(current(url), needed=newest()):
        return
    with _alone(url) as connection:
        found = _revision(connection)
        if found is None and not inspect(connection).get_table_names():
            _upgrade(connection)
        elif not does(found, needed=newest()):
            raise SchemaOutdated(
                f"the database has schema {found or 'of another program'}, this version needs "
                f"{newest()}: {_mend(found)}"
            )


def does(found: str | None, *, needed: str) -> bool:
    """Whether the version that needs schema ``needed`` can work on schema ``found``."""
    if found is None or not _REVISION.fullmatch(found):
        return False
    has, bears = order(found)
    wants, _ = order(needed)
    return has >= wants >= bears


def _mend(found: str | None) -> str:
    newer = found is not None and _REVISION.fullmatch(found) and order(found) > order(newest())
    return "install the version that made it" if newer else "run `footnote migrate`"


def order(revision: str) -> tuple[int, int]:
    """A revision's own number, and that of the oldest schema whose version bears it."""
    number, _, bears = revision.partition("_")
    return int(number), int(bears or 0)


def current(url: str) -> str | None:
    """The schema the database at ``url`` has; None when it has none."""
    with _connected(url) as connection:
        return _revision(connection)


def revisions() -> list[str]:
    """Every schema this version knows, the first one first."""
    scripts = ScriptDirectory.from_config(_config()).walk_revisions()
    return [script.revision for script in scripts][::-1]


def newest() -> str:
    """The schema this version needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise SchemaOutdated("the migration scripts are missing from this installation")
    return head


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    """A transaction of its own connection, its errors translated."""
    _make_folder(url)
    engine = open_engine(url, connections=1, busy_seconds=BUSY_SECONDS, statement_seconds=0)
    try:
        with engine.begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise StoreUnavailable(f"the record did not answer ({type(error).__name__})") from error
    except CommandError as error:
        raise SchemaOutdated(f"the database has a schema unknown to this version: {error}") from (
            error
        )
    finally:
        engine.dispose()


@contextmanager
def _alone(url: str) -> Iterator[Connection]:
    """As `_connected`, with every other migrating process kept out.

    On SQLite the transaction holds the write lock from its start.
    """
    with _connected(url) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
        yield connection


def _upgrade(connection: Connection, to: str = "head") -> None:
    config = _config()
    config.attributes["connection"] = connection
    upgrade(config, to)


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option(
        "script_location", str(Path(__file__).parent / "migrations").replace("%", "%%")
    )
    return config


def _make_folder(url: str) -> None:
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return
    try:
        Path(str(parsed.database)).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable("the database's folder cannot be made") from error
