"""Everybody and every place of a workspace, read once, so that nobody hunts for ids."""

from collections.abc import Sequence
from typing import Any

from bot.audience import Standing
from bot.errors import SlackUnavailable
from bot.slack.client import Installation, Slack, pages
from bot.slack.grid import teams_of
from bot.slack.identity import principal_id, profile_of
from rag.values import Value

_PAGE = 200
_MOST = 20_000


class FoundPerson(Value):
    """One person, with the name people call them by."""

    principal: str
    name: str
    standing: Standing
    active: bool


class FoundPlace(Value):
    """A channel or a user group with its members' principals."""

    id: str
    name: str
    members: tuple[str, ...] = ()
    outsiders: bool = False


class Found(Value):
    """What a workspace holds."""

    people: tuple[FoundPerson, ...]
    rooms: tuple[FoundPlace, ...]
    groups: tuple[FoundPlace, ...]


async def look_up(client: Slack, installation: Installation, *, tenant: str) -> Found:
    """Read people, the channels the bot is in, and user groups. Raises `SlackUnavailable`."""
    teams = await teams_of(client, installation)
    users = await _listed(client, teams, "users.list", key="members")
    people = [person for user in users if (person := _person(user, installation))]
    principals = {user_id: person.principal for user_id, person in people}
    kinds = "public_channel,private_channel"
    channels = await _listed(client, teams, "conversations.list", key="channels", types=kinds)
    rooms = [
        await _room(client, channel, principals)
        for channel in channels
        if channel.get("is_member") and not channel.get("is_archived")
    ]
    groups = [group for team in teams for group in await _groups(client, principals, team_id=team)]
    return Found(
        people=tuple(person for _, person in people), rooms=tuple(rooms), groups=tuple(groups)
    )


async def _listed(
    client: Slack, teams: Sequence[str], method: str, *, key: str, **words: object
) -> list[Any]:
    """The rows of every workspace, each id once."""
    found: dict[str, Any] = {}
    for team in teams:
        rows = await _all(client, method, key=key, team_id=team, **words)
        found |= {str(row.get("id")): row for row in rows}
    return list(found.values())


async def _all(client: Slack, method: str, *, key: str, **words: object) -> list[Any]:
    rows = await pages(client, method, key=key, limit=_PAGE, most=_MOST, **words)
    if rows is None:
        raise SlackUnavailable(f"{method}: more than {_MOST:,} rows")
    return rows


def _person(user: dict[str, Any], installation: Installation) -> tuple[str, FoundPerson] | None:
    profile = profile_of(user, installation)
    if profile.is_bot or not profile.home:
        return None
    person = FoundPerson(
        principal=principal_id(profile.home, profile.user_id),
        name=str(user.get("name", "")),
        standing=profile.standing,
        active=not user.get("deleted", False),
    )
    return profile.user_id, person


async def _room(client: Slack, channel: dict[str, Any], principals: dict[str, str]) -> FoundPlace:
    members = await _all(client, "conversations.members", key="members", channel=channel["id"])
    return FoundPlace(
        id=channel["id"],
        name=str(channel.get("name", "")),
        members=tuple(principals[member] for member in members if member in principals),
        outsiders=bool(channel.get("is_ext_shared") or channel.get("is_org_shared")),
    )


async def _groups(client: Slack, principals: dict[str, str], *, team_id: str) -> list[FoundPlace]:
    found = []
    for group in await _all(client, "usergroups.list", key="usergroups", team_id=team_id):
        named = {"usergroup": group["id"], "team_id": team_id}
        members = await _all(client, "usergroups.users.list", key="users", **named)
        known = tuple(principals[member] for member in members if member in principals)
        found.append(FoundPlace(id=group["id"], name=group.get("handle", ""), members=known))
    return found
