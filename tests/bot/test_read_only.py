"""Other people's databases are never written, and none keeps us waiting or lets out a password."""

import traceback
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.database_urls import parse_url, sqlite_url
from bot.tables.read_only import Databases, read_only_engine, translated
from rag.errors import SourceUnreadable
from rag.values import Kind, Source

SOURCE = Source(id="prices", tenant="demo", title="Prices", kind=Kind.EXTERNAL, ref="p")
_COUNTING = "SELECT count(*) FROM prices a, prices b, prices c, prices d, prices e"
_WRITING = {
    "sqlite": (
        "UPDATE prices SET name = 'written'",
        "DROP TABLE prices",
        "CREATE TEMP TABLE more (id TEXT)",
        "ATTACH DATABASE '{beside}' AS more",
        "PRAGMA query_only = OFF",
        "PRAGMA user_version = 7",
        "SELECT load_extension('x')",
    ),
    "postgresql": (
        "UPDATE prices SET name = 'written'",
        "DROP TABLE prices",
        "CREATE TABLE more (id TEXT)",
        "SELECT written()",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "SELECT 1; SET TRANSACTION READ WRITE",
        "COPY prices TO PROGRAM 'true'",
    ),
}
_FUNCTION = """CREATE FUNCTION written() RETURNS int LANGUAGE sql AS
    'DELETE FROM prices; SELECT 1'"""


@pytest.fixture
def url(record_url: str) -> str:
    """A database of a hundred rows, once of each kind."""
    engine = sa.create_engine(parse_url(record_url))
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE prices (name TEXT)"))
        rows = [{"name": f"lamp {number}"} for number in range(100)]
        connection.execute(sa.text("INSERT INTO prices VALUES (:name)"), rows)
        if engine.name == "postgresql":
            connection.execute(sa.text(_FUNCTION))
    engine.dispose()
    return record_url


def _read(url: str, statement: str, *, seconds: float = 5.0) -> list[tuple[object, ...]]:
    databases = Databases(lambda _tenant: url, seconds=seconds)
    try:
        with translated(SOURCE), databases.engine(SOURCE).connect() as connection:
            return [tuple(row) for row in connection.execute(sa.text(statement))]
    finally:
        databases.close()


def _written(engine: sa.Engine, statement: str) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
        connection.execute(sa.text("DELETE FROM prices"))


def test_the_database_itself_refuses_whatever_writes(url: str, tmp_path: Path) -> None:
    engine = read_only_engine(url)
    for statement in _WRITING[engine.name]:
        wanted = statement.format(beside=tmp_path / "beside.db")
        with pytest.raises(SQLAlchemyError):
            _written(engine, wanted)
    engine.dispose()
    names = {name for (name,) in _read(url, "SELECT name FROM prices")}
    assert names == {f"lamp {number}" for number in range(100)}
    assert not (tmp_path / "beside.db").exists()


def test_what_writes_is_told_as_such(url: str) -> None:
    with pytest.raises(SourceUnreadable, match="not one that only reads"):
        _read(url, "DELETE FROM prices")


def test_a_statement_that_takes_too_long_is_ended_and_the_next_one_answered(url: str) -> None:
    with pytest.raises(SourceUnreadable, match="takes too long"):
        _read(url, _COUNTING, seconds=0.3)
    assert _read(url, "SELECT count(*) FROM prices", seconds=0.3) == [(100,)]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://owner:s3cr3t-word@127.0.0.1:1/none",
        "postgresql://owner:s3cr3t-word@no.such.host.invalid/none",
        "postgresql//owner:s3cr3t-word@host/none",
        "nosuchkind://owner:s3cr3t-word@host/none",
        "mysql://owner:s3cr3t-word@127.0.0.1:1/none",
        "postgresql://owner:a@b:s3cr3t-word@127.0.0.1/none",
    ],
)
def test_no_error_tells_the_address_or_its_password(url: str) -> None:
    with pytest.raises(SourceUnreadable) as caught:
        _read(url, "SELECT 1")
    told = "".join(traceback.format_exception(caught.value))
    assert "s3cr3t-word" not in told
    assert "127.0.0.1" not in str(caught.value)


def test_neither_rows_nor_parameters_stand_in_an_error(tmp_path: Path) -> None:
    engine = read_only_engine(sqlite_url(tmp_path / "none.db"))
    with pytest.raises(SQLAlchemyError) as caught, engine.connect() as connection:
        connection.execute(sa.text("SELECT :word FROM absent"), {"word": "s3cr3t-word"})
    assert "s3cr3t-word" not in str(caught.value)
