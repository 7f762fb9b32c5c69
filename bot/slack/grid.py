"""A token of a whole Enterprise Grid lists people and user groups by workspace alone.

Slack refuses it `users.list`, `usergroups.list` and `usergroups.users.list` without a
``team_id``, and takes no notice of one beside the token of a single workspace.
"""

from typing import Any

from bot.slack.client import Installation, Slack, pages, read

_PAGE = 100
_MOST = 1_000


async def teams_of(client: Slack, installation: Installation) -> tuple[str, ...]:
    """The ``team_id`` of each list there is; an empty one for a workspace's own token.

    Raises `SlackUnavailable`.
    """
    if installation.team_id:
        return ("",)
    rows = await pages(client, "auth.teams.list", key="teams", limit=_PAGE, most=_MOST)
    return tuple(str(row["id"]) for row in rows or [] if row.get("id"))


async def user_groups(client: Slack, installation: Installation) -> list[dict[str, Any]]:
    """The user groups of every workspace. Raises `SlackUnavailable`."""
    found: list[dict[str, Any]] = []
    for team in await teams_of(client, installation):
        answer = await read(client, "usergroups.list", team_id=team)
        found += answer.get("usergroups") or []
    return found
