"""Installations begun and not yet finished: each good once, for some minutes, in one browser."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from sqlalchemy import Connection, delete, func, select

from bot.storage.database import Database
from bot.storage.rows import insert_new, stamp, utc_now
from bot.storage.tables import oauth_states
from rag.ports import Clock

LIFE = timedelta(minutes=10)
MOST = 10_000
"""So many at once, that a stranger who begins ever new ones cannot fill the disk."""


class SqlOAuthStates:
    """What is kept are hashes, so that reading the record lets nobody finish another's."""

    def __init__(
        self, database: Database, *, clock: Clock = utc_now, life: timedelta = LIFE
    ) -> None:
        self._database = database
        self._clock = clock
        self._life = life

    async def begin(self, *, state: str, browser: str) -> bool:
        """Let ``browser`` come back with ``state`` once; False while too many are under way."""
        now = self._clock()
        row = {
            "state": _hash(state),
            "browser": _hash(browser),
            "until": stamp(now + self._life),
        }
        return await self._database.amend(partial(_begin, row=row, now=stamp(now)))

    async def finish(self, *, state: str, browser: str) -> bool:
        """Whether ``state`` is still good in ``browser``; it is good no more, either way."""
        statement = (
            delete(oauth_states)
            .where(oauth_states.c.state == _hash(state))
            .returning(oauth_states.c.browser, oauth_states.c.until)
        )
        row = await self._database.amend(lambda connection: connection.execute(statement).first())
        return (
            row is not None
            and row.until > stamp(self._clock())
            and row.browser == _hash(browser)  # hashes of random values: their time tells nothing
        )


def _begin(connection: Connection, *, row: Mapping[str, str], now: str) -> bool:
    connection.execute(delete(oauth_states).where(oauth_states.c.until <= now))
    if connection.execute(select(func.count()).select_from(oauth_states)).scalar_one() >= MOST:
        return False
    return insert_new(connection, oauth_states, row)


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
