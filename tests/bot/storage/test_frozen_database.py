"""A PostgreSQL that took a question and never answers."""

import time

import sqlalchemy as sa

from bot.database_urls import parse_url
from bot.storage.database import Database
from tests.bot.slack.wire import wired


def one(connection: sa.Connection) -> int:
    return int(connection.execute(sa.text("SELECT 1")).scalar_one())


async def test_nobody_waits_for_it_for_ever(postgres_url: str) -> None:
    direct = parse_url(postgres_url)
    async with wired(direct.port or 5432) as wire:
        through = direct.set(port=wire.port).render_as_string(hide_password=False)
        database = Database(through, busy_seconds=0.5, statement_seconds=0.5)
        assert await database.read(one) == 1
        wire.swallow()
        began = time.monotonic()
        assert await database.read(one) == 1  # on a connection of its own, once that one is cut
        assert time.monotonic() - began < 20.0  # the bound itself is a second; machines vary
        await database.close()
