"""Connections that the server ended while nobody used them."""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest
import sqlalchemy as sa

from bot.storage.database import Database
from rag.errors import StoreUnavailable
from tests.postgres import libpq

_THROW_OUT = b"""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""


def _one(connection: sa.Connection) -> int:
    return int(connection.execute(sa.text("SELECT 1")).scalar_one())


@pytest.fixture
async def used(postgres_url: str) -> AsyncIterator[Database]:
    database = Database(postgres_url, threads=1)
    assert await database.amend(_one) == 1
    with psycopg.connect(libpq(postgres_url), autocommit=True) as connection:
        connection.execute(_THROW_OUT)
    yield database
    await database.close()


async def test_what_only_reads_is_read_again(used: Database) -> None:
    assert await used.read(_one) == 1


async def test_what_may_have_been_done_is_not_done_again(used: Database) -> None:
    with pytest.raises(StoreUnavailable):
        await used.amend(_one)
    assert await used.amend(_one) == 1


async def test_a_connection_that_rested_is_asked_first(used: Database) -> None:
    await asyncio.sleep(1.1)
    assert await used.amend(_one) == 1
