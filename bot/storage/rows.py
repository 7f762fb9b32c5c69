"""What every adapter needs to write and read rows."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

CROSSES_TENANTS = "footnote_crosses_tenants"
"""Execution option naming why a statement on a tenant table binds no tenant."""


def utc_now() -> datetime:
    """The present instant in UTC."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """An instant as a text of one width that sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def instant(text: str) -> datetime:
    """The instant `stamp` wrote."""
    return datetime.fromisoformat(text)


def instant_or_none(text: str | None) -> datetime | None:
    """As `instant`, None for None."""
    return None if text is None else instant(text)


def sha256(data: str | bytes) -> str:
    """The SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()


def insert_new(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless its key is there already; whether it was new."""
    statement = _insert(connection, table).values(**values).on_conflict_do_nothing()
    # The row count of an insert is not reported by every driver; a returned key is.
    inserted = connection.execute(statement.returning(*table.primary_key))
    return inserted.first() is not None


def upsert(
    connection: Connection, table: Table, values: Mapping[str, Any], *, keep: Sequence[str] = ()
) -> None:
    """Insert a row, or give the row of that key these values, all but those in ``keep``."""
    key = [column.name for column in table.primary_key]
    changed = {name: value for name, value in values.items() if name not in (*key, *keep)}
    statement = _insert(connection, table).values(**values)
    connection.execute(statement.on_conflict_do_update(index_elements=key, set_=changed))


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
