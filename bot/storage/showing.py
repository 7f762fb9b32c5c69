"""Which sources each message shows, so that it can be found when somebody may not read one."""

from collections.abc import Iterable, Sequence
from functools import partial

from sqlalchemy import ColumnElement, Connection, func, literal, or_, select, update

from bot.storage.database import Database
from bot.storage.deliveries import DeliveryState
from bot.storage.rows import stamp, upsert, utc_now
from bot.storage.tables import deliveries, readers, shown, tasks
from bot.storage.task_rows import require_task
from rag.ports import Clock
from rag.values import Value


class Audience(Value):
    """Who sees an answer: everyone in ``room``, or ``principal`` alone where that is None.

    ``home`` is the installation that showed it.
    """

    home: str
    room: str | None = None
    principal: str = ""


class Showing(Value):
    """A task's message that shows ``source``, seen by ``audience``."""

    task: str
    channel: str
    ts: str
    audience: Audience
    source: str


class SqlShowing:
    """What is shown, from just before a message shows it until it shows it no more."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, *, tenant: str, task: str, home: str, sources: Iterable[str]) -> None:
        """The task's message, of that installation, is about to name or quote these.

        Raises UnknownTask.
        """
        named = {"tenant": tenant, "task": task, "home": home}
        rows = [named | {"source": source} for source in sorted(sources)]

        def work(connection: Connection) -> None:
            require_task(connection, tenant=tenant, task=task)
            for row in rows:
                upsert(connection, shown, row | {"hidden_at": None})

        await self._database.amend(work)

    async def end(self, *, tenant: str, task: str) -> bool:
        """The task's message shows none of it any more; whether it did."""
        statement = (
            update(shown)
            .where(shown.c.tenant == tenant, shown.c.task == task, shown.c.hidden_at.is_(None))
            .values(hidden_at=stamp(self._clock()))
        )
        return await self._database.amend(
            lambda connection: connection.execute(statement).rowcount > 0
        )

    async def audiences(self, *, tenant: str, home: str) -> tuple[Audience, ...]:
        """Everybody who sees something that this installation showed, the rooms first."""
        return await self._database.read(partial(_audiences, tenant=tenant, home=home))

    async def seen_by(self, audience: Audience, *, tenant: str) -> tuple[Showing, ...]:
        """What that audience sees."""
        return await self._select(tenant, _seen_by(audience))

    async def in_room(self, *, tenant: str, home: str, room: str) -> tuple[Showing, ...]:
        """What is shown in a room, and elsewhere of sources that the room's members may read."""
        here = await self._select(tenant, _seen_by(Audience(home=home, room=room)))
        elsewhere = await self._read_by(tenant, home, f"channel:{room}")
        return tuple(dict.fromkeys((*here, *elsewhere)))

    async def of_group(self, *, tenant: str, home: str, group: str) -> tuple[Showing, ...]:
        """What is shown of the sources that a user group may read."""
        return await self._read_by(tenant, home, f"group:{group}")

    async def _read_by(self, tenant: str, home: str, reader: str) -> tuple[Showing, ...]:
        return await self._select(tenant, [shown.c.home == home, _read_by(tenant, reader)])

    async def of_source(self, *, tenant: str, source: str) -> tuple[Showing, ...]:
        """Where a source is shown, whichever installation showed it."""
        return await self._select(tenant, [shown.c.source == source])

    async def renumber(self, *, tenant: str, room: str, to: str) -> None:
        """A room has another id for good: what was asked and shown there is found under that.

        Readers that name the old one are left alone, so that nobody gains a right by it.
        """
        await self._database.amend(partial(_renumber, tenant=tenant, room=room, to=to))

    async def _select(
        self, tenant: str, conditions: Sequence[ColumnElement[bool]]
    ) -> tuple[Showing, ...]:
        return await self._database.read(partial(_select, tenant=tenant, conditions=conditions))


def _renumber(connection: Connection, *, tenant: str, room: str, to: str) -> None:
    for table in (tasks, deliveries):
        here = (table.c.tenant == tenant, table.c.channel == room)
        connection.execute(update(table).where(*here).values(channel=to))
    said = tasks.c.conversation
    in_room = or_(said == room, said.startswith(f"{room}:", autoescape=True))
    moved = literal(to).concat(func.substr(said, len(room) + 1))
    connection.execute(
        update(tasks).where(tasks.c.tenant == tenant, in_room).values(conversation=moved)
    )


def _seen_by(audience: Audience) -> list[ColumnElement[bool]]:
    home, room = shown.c.home == audience.home, audience.room
    if room is None:
        return [home, tasks.c.channel.is_(None), tasks.c.principal == audience.principal]
    return [home, tasks.c.channel == room, deliveries.c.channel == room]


def _audience(home: str, room: str | None, principal: str) -> Audience:
    return Audience(home=home, room=room, principal=principal if room is None else "")


def _audiences(connection: Connection, *, tenant: str, home: str) -> tuple[Audience, ...]:
    statement = (
        select(tasks.c.channel.label("room"), tasks.c.principal)
        .join_from(shown, tasks, shown.c.task == tasks.c.id)
        .where(shown.c.tenant == tenant, tasks.c.tenant == tenant, shown.c.hidden_at.is_(None))
        .where(shown.c.home == home)
        .distinct()
    )
    found = {_audience(home, row.room, row.principal) for row in connection.execute(statement)}
    return tuple(sorted(found, key=lambda one: (one.room is None, one.room or "", one.principal)))


def _read_by(tenant: str, reader: str) -> ColumnElement[bool]:
    theirs = select(readers.c.source).where(readers.c.tenant == tenant, readers.c.reader == reader)
    return shown.c.source.in_(theirs)


def _select(
    connection: Connection, *, tenant: str, conditions: Sequence[ColumnElement[bool]]
) -> tuple[Showing, ...]:
    statement = (
        select(
            shown.c.task,
            shown.c.source,
            shown.c.home,
            deliveries.c.channel,
            deliveries.c.ts,
            tasks.c.channel.label("room"),
            tasks.c.principal,
        )
        .join_from(shown, deliveries, shown.c.task == deliveries.c.task)
        .join(tasks, shown.c.task == tasks.c.id)
        .where(
            shown.c.tenant == tenant,
            deliveries.c.tenant == tenant,
            tasks.c.tenant == tenant,
            shown.c.hidden_at.is_(None),
            deliveries.c.kind == "answer",
            deliveries.c.state == DeliveryState.UPDATED.value,
            deliveries.c.ts.is_not(None),
            *conditions,
        )
        .order_by(shown.c.task, shown.c.source)
    )
    return tuple(
        Showing(
            task=row.task,
            channel=row.channel,
            ts=row.ts,
            audience=_audience(row.home, row.room, row.principal),
            source=row.source,
        )
        for row in connection.execute(statement)
    )
