"""Who is in a room and in a group, as Slack says it now: a `bot.audience.Directory`.

Whatever cannot be looked up gives the closed answer.
"""

import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from bot.audience import CHANNEL, GROUP, Change, ChangeKind, Member, Room, Standing
from bot.errors import SlackRefused, SlackUnavailable
from bot.slack.client import Installation, Slack, pages, read
from bot.slack.grid import teams_of
from bot.slack.identity import Profile, Profiles, principal_id, profile_of, user_of

log = logging.getLogger(__name__)

_PAGE = 1_000  # Slack's most; a large workspace's list is limited to some 20 pages a minute
_ASKED_ONE_BY_ONE = 30  # members of a small room are looked up singly
_CHECKED_MEMBERS = 200  # a longer membership list is not read person by person
_COUNTED_MEMBERS = 10_000  # beyond this nobody can say who reads along
_ALL_PEOPLE = 20_000

_NOT_THERE = "no_such_subteam"
_CLOCKS_DIFFER = 60.0  # between two of our processes, in seconds

Sets = Mapping[str, frozenset[str] | None]
"""The users behind each reader name; None where nobody could say."""

T = TypeVar("T")


class Kept:
    """Answers kept for ``seconds`` from when they were asked for; failures are not kept."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._answers: dict[tuple[str, str], tuple[float, Any]] = {}
        self._forgotten: dict[tuple[str, str], float] = {}

    async def get(self, what: str, name: str, ask: Callable[[], Awaitable[T]]) -> T:
        """What ``ask`` answered lately, or asks now. Passes on whatever it raises."""
        kept = self._answers.get((what, name))
        if kept and self._clock() - kept[0] < self._seconds:
            answer: T = kept[1]
            return answer
        began = self._clock()  # we may stand still over the answer
        answer = await ask()
        if began >= self._forgotten.get((what, name), -math.inf):
            self._answers[what, name] = (began, answer)
        return answer

    def forget(self, what: str, name: str) -> None:
        """Ask anew from here on; what was asked before and is answered later is not kept."""
        self._answers.pop((what, name), None)
        self._forgotten[what, name] = self._clock()


class Changes(Protocol):
    """What changed lately in who reads, whichever process heard of it."""

    async def recent(self, *, tenant: str, seconds: float) -> tuple[Change, ...]: ...


class Freshness:
    """Lets kept answers go once the record says that Slack would answer otherwise."""

    def __init__(
        self,
        changes: Changes,
        *,
        tenant: str,
        profiles: Profiles,
        kept: Kept,
    ) -> None:
        self._changes = changes
        self._tenant = tenant
        self._profiles = profiles
        self._kept = kept
        self._seconds = 2 * profiles.keep_seconds + _CLOCKS_DIFFER
        self._heeded: frozenset[str] = frozenset()

    async def heed(self) -> frozenset[str]:
        """Call it before a look; the users that changed lately. Raises `StoreUnavailable`."""
        recent = await self._changes.recent(tenant=self._tenant, seconds=self._seconds)
        for change in recent:
            if change.id not in self._heeded:
                self._forget(change)
        self._heeded = frozenset(change.id for change in recent)
        return frozenset(c.about for c in recent if c.kind is ChangeKind.PERSON)

    def _forget(self, change: Change) -> None:
        if change.kind is ChangeKind.PERSON:
            self._profiles.forget(change.about)
        elif change.kind is ChangeKind.GROUP:
            self._kept.forget("group", change.about)
        else:
            self._kept.forget("members", change.about)
            self._kept.forget("shared", change.about)


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
        freshness: Freshness,
    ) -> None:
        self._client = client
        self._installation = installation
        self._tenant = tenant
        self._profiles = profiles
        self._kept = kept
        self._freshness = freshness

    async def member(self, *, tenant: str, principal: str, readers: frozenset[str]) -> Member:
        """The member, with ``belongs`` decided for ``readers``."""
        named = user_of(principal)
        if tenant != self._tenant or named is None or named[0] not in self._installation.homes:
            return Member(principal=principal)
        await self._freshness.heed()
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
        changed = await self._freshness.heed()
        try:
            shared = await self._kept.get("shared", channel, lambda: self._shared(channel))
            ids = await self._kept.get("members", channel, lambda: self._members(channel))
            people = await self._people(ids, changed)
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
            known=None not in sets.values(),
        )

    def _as_member(self, profile: Profile, sets: Sets) -> Member:
        return Member(
            principal=principal_id(profile.home, profile.user_id),
            standing=profile.standing,
            belongs=frozenset(
                name for name, users in sets.items() if users and profile.user_id in users
            ),
            known=None not in sets.values(),
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

    async def _people(
        self, ids: frozenset[str] | None, changed: frozenset[str]
    ) -> tuple[Profile, ...] | None:
        """Each member's profile, our own workspace's bots left out; None when unknown.

        Whoever ``changed`` lately is looked up singly: the list of all is not read anew for one.
        """
        if ids is None:
            return None
        known: dict[str, Profile] = {}
        if len(ids) > _ASKED_ONE_BY_ONE:
            everybody = await self._kept.get("people", "", self._everybody)
            known = {ident: everybody[ident] for ident in everybody.keys() - changed}
        profiles = [known.get(ident) or await self._profiles.get(ident) for ident in sorted(ids)]
        return tuple(profile for profile in profiles if not self._own_bot(profile))

    def _own_bot(self, profile: Profile) -> bool:
        return profile.is_bot and profile.home in self._installation.homes

    async def _everybody(self) -> dict[str, Profile]:
        """All people; of whom the workspaces of a Grid say different things is looked up singly."""
        found: dict[str, set[Profile]] = {}
        for team in await self._teams():
            rows = await pages(
                self._client,
                "users.list",
                key="members",
                limit=_PAGE,
                most=_ALL_PEOPLE,
                team_id=team,
            )
            for row in rows or []:
                profile = profile_of(row, self._installation)
                found.setdefault(profile.user_id, set()).add(profile)
        return {ident: next(iter(said)) for ident, said in found.items() if len(said) == 1}

    async def _teams(self) -> tuple[str, ...]:
        return await self._kept.get("teams", "", lambda: teams_of(self._client, self._installation))

    async def _sets(self, readers: Iterable[str]) -> Sets:
        return {name: await self._set(name) for name in sorted(readers)}

    async def _set(self, name: str) -> frozenset[str] | None:
        """The user ids behind ``channel:…`` or ``group:…``; None when unknown."""
        try:
            if name.startswith(CHANNEL):
                channel = name.removeprefix(CHANNEL)
                return await self._kept.get("members", channel, lambda: self._members(channel))
            group = name.removeprefix(GROUP)
            return await self._kept.get("group", group, lambda: self._group(group))
        except SlackUnavailable:
            log.warning("%s could not be looked up and counts as empty", name)
            return None

    async def _group(self, group: str) -> frozenset[str]:
        unknown = SlackUnavailable(f"group {group} is in no workspace")
        for team in await self._teams():
            try:
                answer = await read(
                    self._client, "usergroups.users.list", usergroup=group, team_id=team
                )
            except SlackRefused as refused:
                if refused.code != _NOT_THERE:
                    raise
                unknown = refused
            else:
                return frozenset(answer.get("users") or [])
        raise unknown


def slack_directory(
    client: Slack,
    installation: Installation,
    *,
    tenant: str,
    profiles: Profiles,
    changes: Changes,
) -> SlackDirectory:
    """The directory that keeps answers as long as ``profiles`` does, unless they changed."""
    kept = Kept(profiles.keep_seconds)
    return SlackDirectory(
        client,
        installation,
        tenant=tenant,
        profiles=profiles,
        kept=kept,
        freshness=Freshness(changes, tenant=tenant, profiles=profiles, kept=kept),
    )
