"""Addresses as people and platforms write them."""

import psycopg
import pytest
import sqlalchemy as sa

from bot.database_urls import parse_url, with_session
from bot.queue.engine import inserting_engine, working_engine
from bot.storage.engine import open_engine
from rag.errors import StoreUnavailable


@pytest.mark.parametrize(
    ("given", "driver"),
    [
        ("postgres://u:p@h:5432/d", "postgresql+psycopg"),
        ("postgresql://u:p@h/d", "postgresql+psycopg"),
        ("postgresql+psycopg://u:p@h/d", "postgresql+psycopg"),
        ("sqlite:////data/footnote.db", "sqlite+pysqlite"),
    ],
)
def test_urls_get_the_driver_we_use(given: str, driver: str) -> None:
    assert parse_url(given).drivername == driver


@pytest.mark.parametrize("given", ["", "not a url", "mysql://h/d", "redis://h", "postgres:/h"])
def test_other_urls_are_refused(given: str) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        parse_url(given)
    assert given not in str(caught.value) or not given


def test_what_heroku_writes_is_kept() -> None:
    url = parse_url("postgres://u:p%40s%2Fs@ec2-1.example.com:5432/d4k?sslmode=require")
    assert (url.password, url.host, url.port) == ("p@s/s", "ec2-1.example.com", 5432)
    assert url.query["sslmode"] == "require"
    assert parse_url(url.render_as_string(hide_password=False)) == url


def test_every_connection_is_bounded_unless_the_address_says_otherwise() -> None:
    assert parse_url("postgres://u@h/d").query["connect_timeout"] == "5"
    assert parse_url("postgres://u@h/d?connect_timeout=9").query["connect_timeout"] == "9"


def test_the_addresss_own_options_win() -> None:
    url = parse_url("postgres://u@h/d?options=-c%20lock_timeout%3D7")
    assert with_session(url, "test", {"lock_timeout": 5}).query["options"] == (
        "-c lock_timeout=5 -c lock_timeout=7"
    )


def test_the_server_is_told_the_limits(postgres_url: str) -> None:
    record = open_engine(postgres_url, connections=1, busy_seconds=3, statement_seconds=4)
    assert _limits(record) == ("3s", "4s", "1min", "footnote record")
    assert _limits(inserting_engine(postgres_url)) == ("2s", "2s", "1min", "footnote queue")
    working = working_engine(postgres_url, connections=1)
    assert _limits(working) == ("0", "0", "1min", "footnote worker")


def _limits(engine: sa.Engine) -> tuple[str, ...]:
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    with engine.connect() as connection:
        assert isinstance(connection.connection.driver_connection, psycopg.Connection)
        found = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in names]
        purpose = connection.exec_driver_sql("SHOW application_name").scalar_one()
    engine.dispose()
    return (*found, purpose)
