"""Who is in a room and in a group, as Slack says it now: a `bot.audience.Directory`.

Whatever cannot be looked up gives the closed answer.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from bot.audience import CHANNEL, GROUP, Member, Room, Standing
from bot.errors import SlackUnavailable
from bot.identity import Profile, Profiles, principal_id, profile_of, user_of
from bot.slack_client import Installation, Slack, pages, read

log = logging.getLogger(__name__)

_PAGE = 1_000  # Slack's most; a large workspace's list is limited to some 20 pages a minute
_ASKED_ONE_BY_ONE = 30  # members of a small room are looked up singly
_CHECKED_MEMBERS = 200  # a longer membership list is not read person by person
_COUNTED_MEMBERS = 10_000  # beyond this nobody can say who reads along
_ALL_PEOPLE = 20_000

T = TypeVar("T")


class Kept:
    """Answers kept for ``seconds`` from when they were asked for; failures are not kept."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._answers: dict[tuple[str, str], tuple[float, Any]] = {}

    async def get(self, what: str, name: str, ask: Callable[[], Awaitable[T]]) -> T:
        """What ``ask`` answered lately, or asks now. Passes on whatever it raises."""
        kept = self._answers.get((what, name))
        if kept and self._clock() - kept[0] < self._seconds:
            answer: T = kept[1]
            return answer
        began = self._clock()  # we may stand still over the answer
        answer = await ask()
        self._answers[what, name] = (began, answer)
        return answer

    def forget(self) -> None:
        """Ask anew from here on."""
        self._answers.clear()


class SlackDirectory:
    """Proves people and rooms of one workspace's tenant."""

    def __init__(
        self,
        client: Slack,
        installation: Installation,
        *,
        tenant: str,
        profiles: Profiles,
        kept: Kept,
    ) -> None:
        self._client = client
        self._installation = installation
        self._tenant = tenant
        self._profiles = profiles
        self._kept = kept

    async def member(self, *, tenant: str, principal: str, readers: frozenset[str]) -> Member:
        """The member, with ``belongs`` decided for ``readers``."""
        named = user_of(principal)
        if tenant != self._tenant or named is None or named[0] not in self._installation.homes:
            return Member(principal=principal)
        try:
            profile = await self._profiles.get(named[1])
        except SlackUnavailable:
            log.warning("a person could not be looked up and counts as an outsider")
            return Member(principal=principal)
        sets = await self._sets(readers)
        return self._as_member(profile, sets)

    async def room(self, *, tenant: str, channel: str, readers: frozenset[str]) -> Room:
        """The room with each member's ``belongs``; unknown where Slack cannot be asked."""
        if tenant != self._tenant:
            return Room(channel=channel)
        try:
            shared = await self._kept.get("shared", channel, lambda: self._shared(channel))
            ids = await self._kept.get("members", channel, lambda: self._members(channel))
            people = await self._people(ids)
        except SlackUnavailable:
            log.warning("room %s could not be looked up and counts as unknown", channel)
            return Room(channel=channel)
        if people is None:
            return Room(channel=channel)
        sets = await self._sets(readers)
        standings = {profile.standing for profile in people}
        short = len(people) <= _CHECKED_MEMBERS
        return Room(
            channel=channel,
            members=tuple(self._as_member(p, sets) for p in people) if short else None,
            outsiders=shared or Standing.OUTSIDER in standings,
            guests=Standing.GUEST in standings,
        )

    def _as_member(self, profile: Profile, sets: dict[str, frozenset[str]]) -> Member:
        return Member(
            principal=principal_id(profile.home, profile.user_id),
            standing=profile.standing,
            belongs=frozenset(name for name, users in sets.items() if profile.user_id in users),
        )

    async def _shared(self, channel: str) -> bool:
        answer = await read(self._client, "conversations.info", channel=channel)
        info = answer.get("channel") or {}
        flags = ("is_ext_shared", "is_org_shared", "is_pending_ext_shared", "is_shared")
        return any(info.get(flag) for flag in flags)

    async def _members(self, channel: str) -> frozenset[str] | None:
        rows = await pages(
            self._client,
            "conversations.members",
            key="members",
            limit=_PAGE,
            most=_COUNTED_MEMBERS,
            channel=channel,
        )
        return None if rows is None else frozenset(rows)

    async def _people(self, ids: frozenset[str] | None) -> tuple[Profile, ...] | None:
        """Each member's profile, our own workspace's bots left out; None when unknown."""
        if ids is None:
            return None
        known: dict[str, Profile] = {}
        if len(ids) > _ASKED_ONE_BY_ONE:
            known = await self._kept.get("people", "", self._everybody)
        profiles = [known.get(ident) or await self._profiles.get(ident) for ident in sorted(ids)]
        return tuple(profile for profile in profiles if not self._own_bot(profile))

    def _own_bot(self, profile: Profile) -> bool:
        return profile.is_bot and profile.home in self._installation.homes

    async def _everybody(self) -> dict[str, Profile]:
        rows = await pages(self._client, "users.list", key="members", limit=_PAGE, most=_ALL_PEOPLE)
        profiles = [profile_of(row, self._installation) for row in rows or []]
        return {profile.user_id: profile for profile in profiles}

    async def _sets(self, readers: Iterable[str]) -> dict[str, frozenset[str]]:
        return {name: await self._set(name) for name in sorted(readers)}

    async def _set(self, name: str) -> frozenset[str]:
        """The user ids behind ``channel:…`` or ``group:…``; nobody when unknown."""
        try:
            if name.startswith(CHANNEL):
                channel = name.removeprefix(CHANNEL)
                ids = await self._kept.get("members", channel, lambda: self._members(channel))
                return ids or frozenset()
            group = name.removeprefix(GROUP)
            return await self._kept.get("group", group, lambda: self._group(group))
        except SlackUnavailable:
            log.warning("%s could not be looked up and counts as empty", name)
            return frozenset()

    async def _group(self, group: str) -> frozenset[str]:
        answer = await read(self._client, "usergroups.users.list", usergroup=group)
        return frozenset(answer.get("users") or [])
