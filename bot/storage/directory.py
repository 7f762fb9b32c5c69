"""Who people are and who is in a room, from the record alone."""

from functools import partial

from sqlalchemy import Connection, select

from bot.audience import CHANNEL, GROUP, Member, Room, Standing
from bot.storage.database import Database
from bot.storage.people import Person, find_person, person_of
from bot.storage.rooms import StoredRoom
from bot.storage.tables import group_members, people, room_members, rooms


class StoredDirectory:
    """`bot.audience.Directory` for the command line, whose operator is trusted.

    A principal nobody stored is therefore a full member. In a room the closed
    answers hold: a member nobody stored is an outsider, an unknown room has
    unknown members.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def member(self, *, tenant: str, principal: str, readers: frozenset[str]) -> Member:
        """The member, with what it belongs to among ``readers``."""
        return await self._database.read(
            partial(_member, tenant=tenant, principal=principal, readers=readers)
        )

    async def room(self, *, tenant: str, channel: str, readers: frozenset[str]) -> Room:
        """The room with its members, and what each belongs to among ``readers``."""
        return await self._database.read(
            partial(_room, tenant=tenant, channel=channel, readers=readers)
        )


def _member(
    connection: Connection, *, tenant: str, principal: str, readers: frozenset[str]
) -> Member:
    person = find_person(connection, tenant=tenant, principal=principal)
    trusted = person or Person(tenant=tenant, principal=principal)
    belongs = _belonging(connection, tenant=tenant, readers=readers)
    return Member(
        principal=principal,
        standing=_standing(trusted),
        belongs=frozenset(belongs.get(principal, ())),
        known=True,
    )


def _standing(person: Person) -> Standing:
    return person.standing if person.active else Standing.OUTSIDER


def _room(connection: Connection, *, tenant: str, channel: str, readers: frozenset[str]) -> Room:
    room = _stored_room(connection, tenant=tenant, channel=channel)
    if room is None:
        return Room(channel=channel)
    belongs = _belonging(connection, tenant=tenant, readers=readers)
    standings = _standings(connection, tenant=tenant)
    members = tuple(
        Member(
            principal=principal,
            standing=standings.get(principal, Standing.OUTSIDER),
            belongs=frozenset(belongs.get(principal, ())),
            known=True,
        )
        for principal in room.members
    )
    return Room(
        channel=channel,
        members=members,
        outsiders=room.outsiders or any(m.standing is Standing.OUTSIDER for m in members),
        guests=any(m.standing is Standing.GUEST for m in members),
        known=True,
    )


def _stored_room(connection: Connection, *, tenant: str, channel: str) -> StoredRoom | None:
    statement = select(rooms).where(rooms.c.tenant == tenant, rooms.c.channel == channel)
    row = connection.execute(statement).one_or_none()
    if row is None:
        return None
    listed = select(room_members.c.principal).where(
        room_members.c.tenant == tenant, room_members.c.channel == channel
    )
    members = tuple(connection.execute(listed.order_by(room_members.c.principal)).scalars())
    return StoredRoom(id=channel, name=row.name, members=members, outsiders=row.outsiders)


def _standings(connection: Connection, *, tenant: str) -> dict[str, Standing]:
    found = connection.execute(select(people).where(people.c.tenant == tenant))
    return {row.principal: _standing(person_of(row)) for row in found}


def _belonging(
    connection: Connection, *, tenant: str, readers: frozenset[str]
) -> dict[str, set[str]]:
    """The names among ``readers`` each principal belongs to."""
    channels = {name.removeprefix(CHANNEL) for name in readers if name.startswith(CHANNEL)}
    groups = {name.removeprefix(GROUP) for name in readers if name.startswith(GROUP)}
    in_channels = select(room_members.c.channel, room_members.c.principal).where(
        room_members.c.tenant == tenant, room_members.c.channel.in_(channels)
    )
    in_groups = select(group_members.c.group_id, group_members.c.principal).where(
        group_members.c.tenant == tenant, group_members.c.group_id.in_(groups)
    )
    found: dict[str, set[str]] = {}
    for prefix, statement in ((CHANNEL, in_channels), (GROUP, in_groups)):
        for owner, principal in connection.execute(statement):
            found.setdefault(principal, set()).add(prefix + owner)
    return found
