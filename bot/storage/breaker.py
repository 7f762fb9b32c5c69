"""Providers that fail, one row each; a provider that works has none."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection, Row, delete, select, update

from bot.models.breaking import Outage
from bot.storage.database import Database
from bot.storage.rows import insert_new, instant, stamp, utc_now
from bot.storage.tables import provider_failures
from rag.errors import ReaderExhausted

_ROWS = provider_failures.c


class SqlBreaker:
    """`bot.models.breaking.Breaker`: open after ``after`` failures in a row, for ``seconds``.

    When those are over the first call to come is let through and moves the end on; the
    others wait until it is known what became of it, or for ``seconds`` more should it die.
    """

    def __init__(
        self,
        database: Database,
        *,
        after: int,
        seconds: float,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._database = database
        self._after = after
        self._seconds = timedelta(seconds=seconds)
        self._clock = clock

    async def enter(self, provider: str) -> None:
        """`Breaker`."""
        row = await self._database.read(partial(_row, provider=provider))
        if row is None or row.opened_at is None:
            return
        again, now = instant(row.opened_at) + self._seconds, self._clock()
        first = now >= again and await self._database.amend(
            partial(_move, provider=provider, old=row.opened_at, new=stamp(now))
        )
        if not first:
            raise ReaderExhausted(f"{provider} fails again and again and is left alone for a while")

    async def failed(self, provider: str) -> None:
        """`Breaker`."""
        opened = stamp(self._clock())
        await self._database.amend(
            partial(_failed, provider=provider, after=self._after, opened=opened)
        )

    async def worked(self, provider: str) -> None:
        """`Breaker`; writes only where there is something to forget."""
        if await self._database.read(partial(_row, provider=provider)) is not None:
            gone = delete(provider_failures).where(_ROWS.provider == provider)
            await self._database.amend(lambda connection: connection.execute(gone).rowcount)

    async def outages(self) -> tuple[Outage, ...]:
        """Every provider whose last replies all failed, by name."""
        statement = select(provider_failures).order_by(_ROWS.provider)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(self._outage(row) for row in rows)

    def _outage(self, row: Row[tuple[str, int, str | None]]) -> Outage:
        again = instant(row.opened_at) + self._seconds if row.opened_at else None
        return Outage(provider=row.provider, failures=row.failures, again_at=again)


def _row(connection: Connection, *, provider: str) -> Row[tuple[str, int, str | None]] | None:
    statement = select(provider_failures).where(_ROWS.provider == provider)
    return connection.execute(statement).first()


def _move(connection: Connection, *, provider: str, old: str, new: str) -> bool:
    """Take the one trial; False where another took it meanwhile."""
    unmoved = _ROWS.provider == provider, _ROWS.opened_at == old
    moved = update(provider_failures).where(*unmoved).values(opened_at=new)
    return connection.execute(moved).rowcount > 0


def _failed(connection: Connection, *, provider: str, after: int, opened: str) -> None:
    insert_new(connection, provider_failures, {"provider": provider, "failures": 0})
    named = _ROWS.provider == provider
    counted = update(provider_failures).where(named).values(failures=_ROWS.failures + 1)
    connection.execute(counted)
    full = update(provider_failures).where(named, _ROWS.failures >= after)
    connection.execute(full.values(opened_at=opened))
