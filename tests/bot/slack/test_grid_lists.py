"""A whole Grid's token names a workspace in each call that lists people or groups."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from bot import front_door
from bot.audience import Standing
from bot.slack.client import Installation, Slack, open_client
from bot.slack.directory import Kept
from bot.slack.grid import user_groups
from bot.slack.identity import Profiles
from bot.slack.people import look_up
from tests.bot.slack.test_directory import directory_of

WHOLE = Installation(team_id="", enterprise_id="E1", bot_user_id="W0BOT")
GROUP = "group:S1"
TEAMS = ("T1", "T2")
MEMBERS = [f"W{number}" for number in range(40)]
TWICE, BY_ITSELF = "W0", {"W0"}


def person(ident: str, **flags: Any) -> dict[str, Any]:
    return {"id": ident, "team_id": "T1", "enterprise_user": {"enterprise_id": "E1"}, **flags}


class Grid:
    """What Slack answers to a Grid's token. ``singly`` are those asked for one by one."""

    def __init__(self) -> None:
        self.singly: set[str] = set()

    async def answer(self, request: web.Request) -> web.Response:
        method, given = request.match_info["method"], request.query
        told = {
            "auth.teams.list": self.teams,
            "conversations.info": lambda _: {"channel": {}},
            "conversations.members": lambda _: {"members": MEMBERS},
            "conversations.list": self.rooms,
            "users.list": self.people,
            "users.info": self.one,
            "usergroups.list": self.groups,
            "usergroups.users.list": self.group,
        }[method](given)
        return web.json_response({"ok": "error" not in told, **told})

    def teams(self, _given: Any) -> dict[str, Any]:
        return {"teams": [{"id": team} for team in TEAMS]}

    def people(self, given: Any) -> dict[str, Any]:
        if given.get("team_id") not in TEAMS:
            return {"error": "missing_argument"}
        if given["team_id"] == "T1":
            return {"members": [person(TWICE, deleted=True), *map(person, MEMBERS[1:20])]}
        return {"members": [person(TWICE), *map(person, MEMBERS[20:])]}

    def rooms(self, given: Any) -> dict[str, Any]:
        if given.get("team_id") not in TEAMS:
            return {"error": "missing_argument"}
        return {"channels": [{"id": "C1", "name": "both", "is_member": True}]}

    def one(self, given: Any) -> dict[str, Any]:
        self.singly.add(given["user"])
        return {"user": person(given["user"])}

    def groups(self, given: Any) -> dict[str, Any]:
        if given.get("team_id") not in TEAMS:
            return {"error": "missing_argument"}
        return {"usergroups": [{"id": f"S{given['team_id']}"}] if given["team_id"] == "T2" else []}

    def group(self, given: Any) -> dict[str, Any]:
        if given.get("team_id") not in TEAMS:
            return {"error": "missing_argument"}
        return {"users": MEMBERS} if given["team_id"] == "T2" else {"error": "no_such_subteam"}


@pytest.fixture
async def grid() -> AsyncIterator[tuple[Grid, Slack]]:
    answers, application = Grid(), web.Application()
    application.router.add_route("*", "/api/{method}", answers.answer)
    async with (
        front_door.listening(application, host="127.0.0.1", port=0) as port,
        open_client(token="xoxb", base_url=f"http://127.0.0.1:{port}/api/") as client,
    ):
        yield answers, client


async def test_a_room_of_a_whole_grid_is_known(grid: tuple[Grid, Slack]) -> None:
    answers, client = grid
    profiles = Profiles(client, WHOLE, keep_seconds=0)
    directory = directory_of(client, WHOLE, profiles=profiles, kept=Kept(seconds=0))
    room = await directory.room(tenant="demo", channel="C1", readers=frozenset({GROUP}))
    assert (room.known, room.outsiders, room.guests) == (True, False, False)
    assert room.members is not None
    assert {member.standing for member in room.members} == {Standing.FULL}
    assert {member.belongs for member in room.members} == {frozenset({GROUP})}
    assert answers.singly == BY_ITSELF  # of whom the two workspaces say different things


async def test_every_workspaces_groups_are_offered(grid: tuple[Grid, Slack]) -> None:
    groups = await user_groups(grid[1], WHOLE)
    assert [group["id"] for group in groups] == ["ST2"]


async def test_everybody_of_a_whole_grid_is_found_once(grid: tuple[Grid, Slack]) -> None:
    found = await look_up(grid[1], WHOLE, tenant="demo")
    assert sorted(one.principal for one in found.people) == sorted(f"slack:E1:{m}" for m in MEMBERS)
    assert [(room.id, len(room.members)) for room in found.rooms] == [("C1", 40)]
    assert [(group.id, len(group.members)) for group in found.groups] == [("ST2", 40)]
