"""A process that reads a counter and writes it back, one greater, again and again.

``python -m tests.bot.storage.increments URL TIMES``
"""

import asyncio
import sys

from sqlalchemy import Connection, text

from bot.storage.database import Database

CREATE = "CREATE TABLE counter (n INTEGER NOT NULL)"
START = "INSERT INTO counter VALUES (0)"


def create(connection: Connection) -> None:
    """A counter at 0."""
    connection.execute(text(CREATE))
    connection.execute(text(START))


def value(connection: Connection) -> int:
    """What the counter shows."""
    return int(connection.execute(text("SELECT n FROM counter")).scalar_one())


def increment(connection: Connection) -> None:
    """Read, then write: two statements, so that a rival could come between them."""
    seen = value(connection)
    connection.execute(text("UPDATE counter SET n = :n"), {"n": seen + 1})


async def repeatedly(database: Database, times: int) -> None:
    """Increment ``times`` times, each in a transaction of its own."""
    for _ in range(times):
        await database.write(increment)


async def _main(url: str, times: int) -> None:
    database = Database(url)
    await repeatedly(database, times)
    await database.close()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2])))
