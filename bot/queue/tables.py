"""The tables in which the jobs stand, made or upgraded before anybody uses them."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from dbos import DBOS
from sqlalchemy.exc import SQLAlchemyError

from bot.database_urls import parse_url
from bot.queue.engine import inserting_engine
from bot.wal import alone
from rag.errors import StoreUnavailable


def prepare(url: str) -> None:
    """Create or upgrade DBOS's tables. Raises `StoreUnavailable`. Blocks."""
    try:
        with _alone(url):
            _connect_once(url)
            DBOS.migrate(url)
    except (SQLAlchemyError, OSError) as error:
        raise StoreUnavailable("the job queue's tables cannot be made") from error


def _alone(url: str) -> AbstractContextManager[None]:
    """On PostgreSQL, DBOS keeps its upgrades apart itself."""
    database = parse_url(url).database
    if not url.startswith("sqlite") or not database:
        return nullcontext()
    return alone(Path(database).with_suffix(".lock"))


def _connect_once(url: str) -> None:
    """Change a new SQLite file to WAL, which cannot be done while somebody writes to it."""
    engine = inserting_engine(url)
    engine.connect().close()
    engine.dispose()
