"""Looks into the queue's tables from outside, and gets in their way, on either database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot.database_urls import parse_url, with_session
from tests.bot.slack.locking import locked


def execute(url: str, statement: str) -> list[Any]:
    """Run a statement on the queue's tables; the rows it gives, if it gives any."""
    engine = _engine(url)
    with engine.begin() as connection:
        done = connection.execute(sa.text(statement))
        found = [tuple(row) for row in done] if done.returns_rows else []
    engine.dispose()
    return found


def rows(url: str) -> list[Any]:
    """Id, partition and arguments of every job."""
    query = """SELECT workflow_uuid, queue_partition_key, inputs
        FROM (SELECT workflow_uuid, queue_partition_key FROM workflow_status) AS status
        JOIN workflow_input USING (workflow_uuid)"""
    return execute(url, query)


@contextmanager
def locked_queue(url: str) -> Iterator[None]:
    """Nobody else can write to the queue for the length of the block."""
    if url.startswith("sqlite"):
        with locked(Path(str(parse_url(url).database))):
            yield
        return
    engine = _engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("LOCK TABLE workflow_status IN ACCESS EXCLUSIVE MODE"))
        yield
    engine.dispose()


def _engine(url: str) -> sa.Engine:
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return sa.create_engine(parsed)
    return sa.create_engine(with_session(parsed, "test", {"search_path": "dbos,public"}))
