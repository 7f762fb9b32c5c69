"""Who may read a source, and whether a room may see it, as pure functions.

A reader of a source is written as one of

* ``everyone``: full members of the tenant, never guests or outsiders
* ``channel:<id>``: the members of that channel
* ``group:<id>``: the members of that user group
* a principal id, ``slack:<home team or enterprise>:<user id>`` or a plain name
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Protocol

from pydantic import AwareDatetime

from rag.values import Source, Value

EVERYONE = "everyone"
CHANNEL = "channel:"
GROUP = "group:"


class Standing(StrEnum):
    """What a person is to the tenant, as positively proved."""

    FULL = "full"
    GUEST = "guest"
    OUTSIDER = "outsider"


class Member(Value):
    """A principal with proved standing and the channels and groups it belongs to.

    ``belongs`` holds reader names (``channel:C1``, ``group:S1``) already proved. ``known``
    is false where something could not be looked up, and so counts as no.
    """

    principal: str
    standing: Standing = Standing.OUTSIDER
    belongs: frozenset[str] = frozenset()
    known: bool = False


class Room(Value):
    """A channel's audience. ``members`` is None when the list is unknown or too long to check.

    ``known`` is false where something could not be looked up, and so counts as no.
    """

    channel: str
    members: tuple[Member, ...] | None = None
    outsiders: bool = True
    guests: bool = True
    known: bool = False


class ChangeKind(StrEnum):
    """What changed so that somebody may read less, or somebody new reads along."""

    ROOM = "room"
    GROUP = "group"
    PERSON = "person"
    SOURCE = "source"
    SWEEP = "sweep"


class Change(Value):
    """A change of who reads. ``about`` is a channel's, group's, user's or source's id.

    A sweep is about nothing in particular: it stands here so that one process does it.
    ``home`` is the installation that it concerns, empty where that is each of the tenant's.
    """

    id: str
    kind: ChangeKind
    about: str
    at: AwareDatetime
    home: str = ""


class Directory(Protocol):
    """Proves who people are and who is in a room.

    A look-up that fails gives the closed answer: an outsider, an unknown room.
    """

    async def member(self, *, tenant: str, principal: str, readers: frozenset[str]) -> Member:
        """The member, with ``belongs`` decided for the channel and group names in ``readers``."""
        ...

    async def room(self, *, tenant: str, channel: str, readers: frozenset[str]) -> Room:
        """The room, each member's ``belongs`` decided for the names in ``readers``."""
        ...


def may_read(source: Source, member: Member) -> bool:
    """Whether ``member`` is among the readers of ``source``."""
    if member.standing is Standing.OUTSIDER:
        return False
    if member.principal in source.readers:
        return True
    if member.standing is Standing.FULL and EVERYONE in source.readers:
        return True
    return bool(member.belongs.intersection(source.readers))


def room_may_see(source: Source, room: Room) -> bool:
    """Whether everyone in ``room`` may read ``source``; unknown counts as no."""
    if room.outsiders:
        return False
    if CHANNEL + room.channel in source.readers:
        return True
    if EVERYONE in source.readers and not room.guests:
        return True
    return room.members is not None and all(may_read(source, member) for member in room.members)


def may_speak_in(room: Room, member: Member) -> bool:
    """Whether a question of this member may be answered in ``room``: not once they left it."""
    return room.members is None or any(one.principal == member.principal for one in room.members)


def collective_readers(sources: Iterable[Source]) -> frozenset[str]:
    """The channel and group names a directory must decide about to judge ``sources``."""
    names = {name for source in sources for name in source.readers}
    return frozenset(name for name in names if name.startswith((CHANNEL, GROUP)))
