"""People come and go, documents get other readers: what was fine to show yesterday is not today."""

import random
from collections.abc import Awaitable, Callable

from bot.audience import CHANNEL, EVERYONE, GROUP
from tests.security.life import Life
from tests.security.rights import Rights
from tests.security.town import (
    GROUPS,
    GUESTS,
    MEMBERS,
    OTHER_TEAM,
    ROOMS,
    TENANT,
    group_id,
    principal,
    room_id,
)


class Changes:
    """``chance`` picks each; the rights' own sources are kept in step."""

    def __init__(self, life: Life, rights: Rights, chance: random.Random) -> None:
        self._life = life
        self._rights = rights
        self._chance = chance

    async def one(self) -> str:
        """Change something; what it was."""
        ways: tuple[Callable[[], Awaitable[None]], ...] = (
            self._membership,
            self._membership,
            self._group,
            self._standing,
            self._readers,
            self._readers,
            self._sharing,
        )
        way = self._chance.choice(ways)
        await way()
        return way.__name__.removeprefix("_")

    async def _membership(self) -> None:
        """Somebody joins a room, or leaves it when they are in."""
        person, room = self._chance.choice(MEMBERS + GUESTS), self._chance.choice(list(ROOMS))
        said = await self._life.post("members", channel=room_id(room), user=person, action="join")
        if not said["ok"]:
            await self._life.post("members", channel=room_id(room), user=person, action="leave")

    async def _group(self) -> None:
        name = self._chance.choice(list(GROUPS))
        people = self._chance.sample(MEMBERS + GUESTS, self._chance.randrange(0, 4))
        await self._life.post(
            "usergroups", handle=name, name=name, id=group_id(name), members=people
        )

    async def _standing(self) -> None:
        """A member becomes a guest, or is a full member again."""
        person = self._chance.choice(MEMBERS[1:])
        await self._life.post("users", name=person, is_restricted=self._chance.random() < 0.5)

    async def _sharing(self) -> None:
        """A room is shared with another company, or is not any more."""
        room = self._chance.choice(("ops", "lab"))
        abroad = [OTHER_TEAM] if self._chance.random() < 0.5 else []
        await self._life.post("channels", id=room_id(room), name=room, shared_with=abroad)

    async def _readers(self) -> None:
        sources = {s.id: s for s in self._rights.sources.values() if s.tenant == TENANT}
        source = self._chance.choice(sorted(sources.values(), key=lambda one: one.id))
        readers = self._chance.choice(
            (
                (EVERYONE,),
                (CHANNEL + room_id(self._chance.choice(list(ROOMS))),),
                (GROUP + group_id("leads"),),
                tuple(principal(name) for name in self._chance.sample(MEMBERS + GUESTS, 2)),
            )
        )
        await self._life.world.catalogue.set_readers(
            tenant=TENANT, source_id=source.id, readers=readers
        )
        changed = source.model_copy(update={"readers": readers})
        for canary, known in self._rights.sources.items():
            if (known.tenant, known.id) == (TENANT, source.id):
                self._rights.sources[canary] = changed
