"""The company's own database: a SQLite file with the table `articles`, apart from Footnote's."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

_TABLE = (
    "CREATE TABLE IF NOT EXISTS articles ("
    "id TEXT PRIMARY KEY, tenant TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL)"
)
_ROW = "INSERT INTO articles (id, tenant, title, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"


def write_articles(path: Path, rows: Sequence[tuple[str, str, str, str]]) -> None:
    """Add rows (id, tenant, title, body) that are not there yet; edited rows stay as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(_TABLE)
        connection.executemany(_ROW, rows)
