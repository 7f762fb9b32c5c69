"""Slots of the workers on any number of machines: session advisory locks of PostgreSQL.

The server gives a lock back when its session ends: at once when the holder dies, after
`IDLE_MILLISECONDS` without a beat when it is frozen or cut off. A slot that is found
free is taken from its holder only after `GRACE_SECONDS`, so that a holder whose session
broke has time to come back. Every taking is counted in the table ``slots``: a holder that
comes back and finds its own number there goes on, any other has lost its lease.
"""

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.database_urls import parse_url, with_session
from bot.errors import ProcessFailed
from bot.slots.leased import MOST
from rag.errors import StoreUnavailable

log = logging.getLogger(__name__)

CONNECTIONS = 3
"""One holds the lease, the others look for abandoned slots and are closed again."""

BEAT_SECONDS = 0.5
GRACE_SECONDS = 2.0
IDLE_MILLISECONDS = 10_000

_KIND = 0x466F6F74  # tells our advisory locks from other programs'
_PREFIX = "shared.slot-"
_HURRY = {"connect_timeout": "2", "tcp_user_timeout": "4000"}
_SESSION = {
    "statement_timeout": 2_000,
    # The server's side of the line: a machine that vanished gives its slot back as soon.
    "tcp_keepalives_idle": 4,
    "tcp_keepalives_interval": 2,
    "tcp_keepalives_count": 3,
}
_LOCK = sa.text(f"SELECT pg_try_advisory_lock({_KIND}, :number)")
_TAKE = sa.text(
    "INSERT INTO slots (number, taken) VALUES (:number, 1)"
    " ON CONFLICT (number) DO UPDATE SET taken = slots.taken + 1 RETURNING taken"
)
_TAKEN = sa.text("SELECT taken FROM slots WHERE number = :number")
_FREE = sa.text(
    f"SELECT number FROM unnest(CAST(:numbers AS int[])) AS number "  # noqa: S608 - a constant
    f"WHERE pg_try_advisory_xact_lock({_KIND}, number)"
)
_ALIVE = sa.text(
    f"SELECT objid AS number FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database "  # noqa: S608 - a constant
    f"WHERE datname = current_database() AND locktype = 'advisory' "
    f"AND classid = {_KIND} AND objsubid = 2 AND granted"
)


class SessionSlots:
    """`Slots` in the PostgreSQL at ``url``.

    ``idle_milliseconds`` is how long a worker may be silent before it counts as gone.
    """

    def __init__(self, url: str, *, idle_milliseconds: int = IDLE_MILLISECONDS) -> None:
        session = _SESSION | {
            "idle_session_timeout": idle_milliseconds,
            "idle_in_transaction_session_timeout": idle_milliseconds,
        }
        bounded = with_session(parse_url(url), "slot", session).update_query_dict(_HURRY)
        self._engine = sa.create_engine(
            bounded, pool_size=CONNECTIONS, max_overflow=0, pool_timeout=2, pool_pre_ping=True
        )
        self._free_since: dict[int, float] = {}

    @contextmanager
    def leased(self) -> Iterator["SessionLease"]:
        """The first free slot, ours for the length of the block."""
        lease = SessionLease(self._engine)
        try:
            yield lease
        finally:
            lease.end()
            self._engine.dispose()

    @contextmanager
    def abandoned(self, names: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """Those of ``names`` that nobody has held for `GRACE_SECONDS`."""
        numbers = [number for name in names if (number := _number(name))]
        with ExitStack() as stack:
            ripe = self._ripe(stack, numbers) if numbers else []
            yield tuple(f"{_PREFIX}{number}" for number in ripe)

    def alive(self) -> tuple[str, ...]:
        """The slots that somebody holds."""
        try:
            with self._engine.connect() as connection:
                return tuple(f"{_PREFIX}{row.number}" for row in connection.execute(_ALIVE))
        except SQLAlchemyError as error:
            raise StoreUnavailable("the workers' slots cannot be read") from error

    def _ripe(self, stack: ExitStack, numbers: list[int]) -> list[int]:
        """Which of them may be taken over, their locks held as long as ``stack`` is open."""
        try:
            connection = stack.enter_context(self._engine.connect())
            free = {row.number for row in connection.execute(_FREE, {"numbers": numbers})}
            ripe = self._seen(free)
            if ripe:
                self._count(ripe)
            else:
                stack.close()  # the holder may be on the way back
        except SQLAlchemyError as error:
            raise StoreUnavailable("the workers' slots cannot be read") from error
        return ripe

    def _seen(self, free: set[int]) -> list[int]:
        """Those that have been free long enough."""
        now = time.monotonic()
        self._free_since = {number: self._free_since.get(number, now) for number in free}
        return sorted(n for n, since in self._free_since.items() if now - since >= GRACE_SECONDS)

    def _count(self, numbers: list[int]) -> None:
        """Committed before anything is taken over, so that the holder hears of it in any case."""
        with self._engine.begin() as connection:
            for number in numbers:
                connection.execute(_TAKE, {"number": number})


class SessionLease:
    """A `Lease` that a thread of its own keeps alive, whatever the event loop is doing."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._lost = threading.Event()
        self._ended = threading.Event()
        try:
            self._connection = _connected(engine)
            self._number = _first_free(self._connection)
            self._taken = self._connection.execute(_TAKE, {"number": self._number}).scalar_one()
        except SQLAlchemyError as error:
            raise StoreUnavailable("no worker slot can be leased") from error
        self._keeping = threading.Thread(target=self._keep, name="lease", daemon=True)
        self._keeping.start()

    @property
    def name(self) -> str:
        """The slot's name, the same whoever leases it."""
        return f"{_PREFIX}{self._number}"

    def held(self) -> bool:
        """False once somebody else may hold the slot."""
        return not self._lost.is_set()

    def end(self) -> None:
        """Give the slot back. Blocks for a moment."""
        self._ended.set()
        self._keeping.join()
        _leave(self._connection)

    def _keep(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            if not (self._beat() or self._taken_again()):
                log.error("the lease of worker %s is lost", self.name)
                self._lost.set()
                return

    def _beat(self) -> bool:
        try:
            self._connection.execute(sa.text("SELECT 1"))
        except SQLAlchemyError:
            return False
        return True

    def _taken_again(self) -> bool:
        """Whether the slot is ours again, and nobody can have had it in between.

        While the server cannot be reached, nothing is decided.
        """
        while not self._ended.is_set():
            try:
                _leave(self._connection)
                self._connection = _connected(self._engine)
                return self._still_ours()
            except SQLAlchemyError:
                self._ended.wait(BEAT_SECONDS / 2)
        return True

    def _still_ours(self) -> bool:
        if not self._locked_again():
            return False
        taken = self._connection.execute(_TAKEN, {"number": self._number}).scalar_one()
        return bool(taken == self._taken)

    def _locked_again(self) -> bool:
        """Our broken session, and whoever looks for abandoned slots, lets go of it in a moment."""
        for _ in range(30):
            if self._connection.execute(_LOCK, {"number": self._number}).scalar_one():
                return True
            self._ended.wait(0.05)
        return False


def _connected(engine: sa.Engine) -> sa.Connection:
    return engine.connect().execution_options(isolation_level="AUTOCOMMIT")


def _leave(connection: sa.Connection) -> None:
    """End its session, and with it every lock of the session."""
    if not connection.closed:
        connection.invalidate()
        connection.close()


def _first_free(connection: sa.Connection) -> int:
    for number in range(1, MOST + 1):
        if connection.execute(_LOCK, {"number": number}).scalar_one():
            return number
    connection.close()
    raise ProcessFailed(f"all {MOST} worker slots of this database are taken")


def _number(name: str) -> int | None:
    found = name.removeprefix(_PREFIX)
    return int(found) if found != name and found.isdecimal() else None
