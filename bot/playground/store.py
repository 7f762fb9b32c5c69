"""The playground's disk: one SQLite table of JSON rows."""

from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import (
    Column,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    select,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from .errors import PlaygroundError

Row = tuple[str, str, int, str | None]

_METADATA = MetaData()
_ROWS = Table(
    "rows",
    _METADATA,
    Column("kind", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("body", Text, nullable=False),
)


def _configure(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    # Exclusive: two playgrounds on one folder would overwrite each other.
    for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def open_store(folder: Path) -> Engine:
    """Opens (or makes) the database in ``folder``.

    Raises PlaygroundError when another playground holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        f"sqlite:///{folder / 'playground.sqlite3'}",
        poolclass=StaticPool,
        connect_args={"check_same_thread": False, "timeout": 1.0},
    )
    event.listen(engine, "connect", _configure)
    try:
        _METADATA.create_all(engine)
        write(engine, [])
    except OperationalError as error:
        engine.dispose()
        raise PlaygroundError(
            f"another playground is using {folder}, or it cannot be written"
        ) from error
    return engine


def read(engine: Engine) -> list[Row]:
    """All rows ``(kind, key, position, body)`` in the order they were made."""
    query = select(_ROWS).order_by(_ROWS.c.position)
    with engine.connect() as connection:
        return [(row.kind, row.key, row.position, row.body) for row in connection.execute(query)]


def write(engine: Engine, rows: Iterable[Row]) -> None:
    """Writes a batch in one transaction; a row without a body is removed."""
    with engine.begin() as connection:
        for kind, key, position, body in rows:
            if body is None:
                where = (_ROWS.c.kind == kind) & (_ROWS.c.key == key)
                connection.execute(delete(_ROWS).where(where))
                continue
            values = {"kind": kind, "key": key, "position": position, "body": body}
            statement = insert(_ROWS).values(values)
            connection.execute(
                statement.on_conflict_do_update(index_elements=["kind", "key"], set_={"body": body})
            )
