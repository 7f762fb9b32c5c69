"""What was sent where for a task, and what the opaque values in its buttons stand for."""

import secrets
from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from typing import Any

from pydantic import AwareDatetime, Field
from sqlalchemy import ColumnElement, Connection, Row, select, update

from bot.storage.database import Database
from bot.storage.rows import insert_new, instant, stamp, utc_now
from bot.storage.tables import deliveries, handles
from bot.storage.task_rows import require_lease, require_task
from rag.errors import UnknownTask
from rag.ports import Clock, Lease, NewId
from rag.values import Value

WHOLE = -1
"""The ``claim`` or ``citation`` of what concerns the whole answer."""


class DeliveryState(StrEnum):
    """INTENT: about to be sent, perhaps sent. PLACED: sent. UPDATED: shows its final content."""

    INTENT = "intent"
    PLACED = "placed"
    UPDATED = "updated"


class Delivery(Value):
    """One message of a task. ``kind`` is its part in the task; ``ts`` names it in the channel."""

    tenant: str
    task: str
    kind: str
    channel: str
    thread: str = ""
    ts: str | None = None
    state: DeliveryState
    at: AwareDatetime


class Target(Value):
    """What a button is about: an offered option, a citation of a claim, a claim, or the answer."""

    claim: int = Field(default=WHOLE, ge=WHOLE)
    citation: int = Field(default=WHOLE, ge=WHOLE)
    option: str = ""


class Handle(Value):
    """An opaque value and what it stands for."""

    id: str
    tenant: str
    task: str
    claim: int = WHOLE
    citation: int = WHOLE
    option: str = ""


def random_id() -> str:
    """12 characters nobody can guess (72 random bits)."""
    return secrets.token_urlsafe(9)


class SqlDeliveries:
    """The outbox: an intent is stored before a message is sent, its place after."""

    def __init__(
        self, database: Database, *, clock: Clock = utc_now, new_id: NewId = random_id
    ) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    async def intend(
        self, *, tenant: str, task: str, kind: str, channel: str, thread: str = ""
    ) -> Delivery:
        """Store that a message is about to be sent; one stored before for that kind stands.

        Raises UnknownTask.
        """
        row = {
            "tenant": tenant,
            "task": task,
            "kind": kind,
            "channel": channel,
            "thread": thread,
            "state": DeliveryState.INTENT.value,
            "at": stamp(self._clock()),
        }
        return await self._database.amend(partial(_intend, row=row))

    async def placed(self, *, tenant: str, task: str, kind: str, ts: str) -> str:
        """Record where a message went, unless one stands for it already: the one that does.

        Raises UnknownTask when it was never intended.
        """
        named = {"tenant": tenant, "task": task, "kind": kind}
        at = stamp(self._clock())
        return await self._database.amend(partial(_placed, named=named, ts=ts, at=at))

    async def updated(
        self, *, tenant: str, task: str, kind: str, lease: Lease | None = None
    ) -> None:
        """Record that a message shows its final content.

        Raises UnknownTask; LeaseLost where a lease is given and is held no more.
        """
        values = {"state": DeliveryState.UPDATED.value}
        await self._change(tenant, task, kind, values, lease=lease)

    async def reopened(self, *, tenant: str, task: str, kind: str, lease: Lease) -> None:
        """Record that a message is to show another final content than it does.

        Raises UnknownTask, LeaseLost.
        """
        await self._change(tenant, task, kind, {"state": DeliveryState.PLACED.value}, lease=lease)

    async def get(self, *, tenant: str, task: str, kind: str) -> Delivery | None:
        """The message of that kind of a task, None when it was never intended."""
        conditions = [deliveries.c.task == task, deliveries.c.kind == kind]
        return _first(await self._select(tenant, conditions))

    async def of(self, *, tenant: str, task: str) -> tuple[Delivery, ...]:
        """Every message of a task in the order of their kinds."""
        return await self._select(tenant, [deliveries.c.task == task])

    async def by_message(self, *, tenant: str, channel: str, ts: str) -> tuple[Delivery, ...]:
        """The deliveries a message of a channel is: several once it went to another task."""
        return await self._select(tenant, [deliveries.c.channel == channel, deliveries.c.ts == ts])

    async def unfinished(self, *, tenant: str) -> tuple[Delivery, ...]:
        """The messages that do not show their final content yet, the oldest first."""
        going = [DeliveryState.INTENT.value, DeliveryState.PLACED.value]
        unfinished = deliveries.c.state.in_(going)  # so that the index serves
        found = await self._select(tenant, [unfinished])
        return tuple(sorted(found, key=lambda delivery: delivery.at))

    async def handles(
        self, *, tenant: str, task: str, targets: Sequence[Target]
    ) -> tuple[str, ...]:
        """An opaque value a target, in their order; the same target has the same value again.

        Raises UnknownTask.
        """
        fresh = [
            {"id": self._new_id(), "tenant": tenant, "task": task, **target.model_dump()}
            for target in targets
        ]
        return await self._database.amend(partial(_handles, rows=fresh))

    async def handle(self, *, tenant: str, handle_id: str) -> Handle | None:
        """What an opaque value stands for; None for a forged one or another tenant's."""
        return await self._database.read(partial(_handle, tenant=tenant, handle_id=handle_id))

    async def _change(
        self,
        tenant: str,
        task: str,
        kind: str,
        values: dict[str, str],
        *,
        lease: Lease | None = None,
    ) -> None:
        statement = (
            update(deliveries)
            .where(deliveries.c.tenant == tenant)
            .where(deliveries.c.task == task, deliveries.c.kind == kind)
            .values(at=stamp(self._clock()), **values)
        )

        def work(connection: Connection) -> int:
            if lease is not None:
                require_lease(connection, tenant=tenant, lease=lease)
            return connection.execute(statement).rowcount

        if not await self._database.amend(work):
            raise UnknownTask(f"task {task!r} has no message of kind {kind!r}")

    async def _select(
        self, tenant: str, conditions: list[ColumnElement[bool]]
    ) -> tuple[Delivery, ...]:
        return await self._database.read(partial(_select, tenant=tenant, conditions=conditions))


def _first(found: tuple[Delivery, ...]) -> Delivery | None:
    return found[0] if found else None


def _intend(connection: Connection, *, row: dict[str, Any]) -> Delivery:
    require_task(connection, tenant=row["tenant"], task=row["task"])
    insert_new(connection, deliveries, row)
    conditions = [deliveries.c.task == row["task"], deliveries.c.kind == row["kind"]]
    return _select(connection, tenant=row["tenant"], conditions=conditions)[0]


def _placed(connection: Connection, *, named: dict[str, str], ts: str, at: str) -> str:
    which = [deliveries.c[name] == value for name, value in named.items()]
    # Whoever slept over it and says the same again must not undo that it shows its end.
    free = deliveries.c.ts.is_(None)
    values = {"ts": ts, "state": DeliveryState.PLACED.value, "at": at}
    connection.execute(update(deliveries).where(*which, free).values(**values))
    stands = connection.execute(select(deliveries.c.ts).where(*which)).scalar_one_or_none()
    if stands is None:
        raise UnknownTask(f"task {named['task']!r} has no message of kind {named['kind']!r}")
    return str(stands)


def _select(
    connection: Connection, *, tenant: str, conditions: list[ColumnElement[bool]]
) -> tuple[Delivery, ...]:
    statement = select(deliveries).where(deliveries.c.tenant == tenant, *conditions)
    rows = connection.execute(statement.order_by(deliveries.c.task, deliveries.c.kind))
    return tuple(_delivery(row) for row in rows)


def _delivery(row: Row[Any]) -> Delivery:
    return Delivery(
        tenant=row.tenant,
        task=row.task,
        kind=row.kind,
        channel=row.channel,
        thread=row.thread,
        ts=row.ts,
        state=DeliveryState(row.state),
        at=instant(row.at),
    )


def _handles(connection: Connection, *, rows: list[dict[str, Any]]) -> tuple[str, ...]:
    if rows:
        require_task(connection, tenant=rows[0]["tenant"], task=rows[0]["task"])
    return tuple(_handle_of(connection, row) for row in rows)


def _handle_of(connection: Connection, row: dict[str, Any]) -> str:
    insert_new(connection, handles, row)
    named = [handles.c[name] == row[name] for name in ("task", "claim", "citation", "option")]
    statement = select(handles.c.id).where(handles.c.tenant == row["tenant"], *named)
    return str(connection.execute(statement).scalar_one())


def _handle(connection: Connection, *, tenant: str, handle_id: str) -> Handle | None:
    statement = select(handles).where(handles.c.tenant == tenant, handles.c.id == handle_id)
    row = connection.execute(statement).one_or_none()
    if row is None:
        return None
    return Handle(
        id=row.id,
        tenant=row.tenant,
        task=row.task,
        claim=row.claim,
        citation=row.citation,
        option=row.option,
    )
