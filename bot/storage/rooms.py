"""Channels and user groups with their members, as last read from Slack or given by hand."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import Column, Connection, Table, delete, insert, or_, select

from bot.audience import CHANNEL, EVERYONE, GROUP
from bot.storage.database import Database
from bot.storage.people import principal_named
from bot.storage.rows import upsert
from bot.storage.tables import group_members, groups, room_members, rooms
from rag.values import Value


class StoredRoom(Value):
    """A channel. ``outsiders``: people from another organisation are in it."""

    id: str
    name: str
    members: tuple[str, ...] = ()
    outsiders: bool = False


class StoredGroup(Value):
    """A user group."""

    id: str
    name: str
    members: tuple[str, ...] = ()


class SqlRooms:
    """The channels and user groups a tenant's record knows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put_room(
        self,
        *,
        tenant: str,
        channel: str,
        name: str,
        members: Sequence[str],
        outsiders: bool = False,
    ) -> None:
        """Add or replace a channel and its whole list of members (principals)."""
        key = {"tenant": tenant, "channel": channel}
        row = {**key, "name": name, "outsiders": outsiders}
        await self._database.write(
            partial(_put, table=rooms, row=row, of=room_members, key=key, members=members)
        )

    async def put_group(
        self, *, tenant: str, group: str, name: str, members: Sequence[str]
    ) -> None:
        """Add or replace a user group and its whole list of members (principals)."""
        key = {"tenant": tenant, "group_id": group}
        row = {**key, "name": name}
        await self._database.write(
            partial(_put, table=groups, row=row, of=group_members, key=key, members=members)
        )

    async def rooms(self, *, tenant: str) -> tuple[StoredRoom, ...]:
        """Every channel of the tenant in the order of their ids."""
        return await self._database.read(partial(_rooms, tenant=tenant))

    async def groups(self, *, tenant: str) -> tuple[StoredGroup, ...]:
        """Every user group of the tenant in the order of their ids."""
        return await self._database.read(partial(_groups, tenant=tenant))

    async def channel(self, *, tenant: str, text: str) -> str:
        """The id of the channel written as ``#name``, ``name`` or its id.

        An unknown one is returned without its ``#``.
        """
        return await self._database.read(partial(_channel, tenant=tenant, text=text))

    async def reader(self, *, tenant: str, text: str) -> str:
        """The reader's name for what a person wrote.

        ``#channel`` and ``@group`` by name or id, ``everyone``, a short name or a
        principal; names already in the reader's form stay.
        """
        return await self._database.read(partial(_reader, tenant=tenant, text=text))


def _put(
    connection: Connection,
    *,
    table: Table,
    row: dict[str, Any],
    of: Table,
    key: dict[str, str],
    members: Sequence[str],
) -> None:
    upsert(connection, table, row)
    connection.execute(delete(of).where(*(of.c[name] == value for name, value in key.items())))
    listed = [{**key, "principal": principal} for principal in dict.fromkeys(members)]
    if listed:
        connection.execute(insert(of), listed)


def _members(connection: Connection, column: Column[Any], *, tenant: str) -> dict[str, list[str]]:
    """Principals by the channel or group in ``column``."""
    table = column.table
    found: dict[str, list[str]] = {}
    for owner, principal in connection.execute(
        select(column, table.c.principal)
        .where(table.c.tenant == tenant)
        .order_by(column, table.c.principal)
    ):
        found.setdefault(owner, []).append(principal)
    return found


def _rooms(connection: Connection, *, tenant: str) -> tuple[StoredRoom, ...]:
    members = _members(connection, room_members.c.channel, tenant=tenant)
    statement = select(rooms).where(rooms.c.tenant == tenant).order_by(rooms.c.channel)
    return tuple(
        StoredRoom(
            id=row.channel,
            name=row.name,
            members=tuple(members.get(row.channel, ())),
            outsiders=row.outsiders,
        )
        for row in connection.execute(statement)
    )


def _groups(connection: Connection, *, tenant: str) -> tuple[StoredGroup, ...]:
    members = _members(connection, group_members.c.group_id, tenant=tenant)
    statement = select(groups).where(groups.c.tenant == tenant).order_by(groups.c.group_id)
    return tuple(
        StoredGroup(id=row.group_id, name=row.name, members=tuple(members.get(row.group_id, ())))
        for row in connection.execute(statement)
    )


def _channel(connection: Connection, *, tenant: str, text: str) -> str:
    return _id_of(connection, rooms.c.channel, tenant=tenant, text=text.removeprefix("#"))


def _reader(connection: Connection, *, tenant: str, text: str) -> str:
    if text == EVERYONE or text.startswith((CHANNEL, GROUP)):
        return text
    if text.startswith("#"):
        return CHANNEL + _channel(connection, tenant=tenant, text=text)
    if text.startswith("@"):
        name = text.removeprefix("@")
        return GROUP + _id_of(connection, groups.c.group_id, tenant=tenant, text=name)
    return principal_named(connection, tenant=tenant, text=text)


def _id_of(connection: Connection, key: Column[Any], *, tenant: str, text: str) -> str:
    """The id of the row whose id or name is ``text``, the id winning; else ``text``."""
    table = key.table
    found = connection.execute(
        select(key).where(table.c.tenant == tenant, or_(key == text, table.c.name == text))
    ).scalars()
    ids = sorted(found)
    return text if text in ids or not ids else str(ids[0])
