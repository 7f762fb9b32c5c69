"""What Slack's answers say about a workspace of an Enterprise Grid, or about a whole one."""

from typing import Any

import aiohttp
import pytest
from aiohttp import web
from pydantic import SecretStr

from bot import front_door
from bot.installs import installing
from bot.installs.installing import COOKIE, REDIRECT, OAuth
from bot.slack.installed import Installation, Installed

GRANT: dict[str, Any] = {
    "ok": True,
    "token_type": "bot",
    "access_token": "xoxb-granted",
    "bot_user_id": "W0BOT",
    "authed_user": {"id": "W0ADMIN"},
    "team": {"id": "T0ONE", "name": "One"},
    "enterprise": {"id": "E0GRID", "name": "The Grid"},
    "is_enterprise_install": False,
}
WHOLE = GRANT | {"team": None, "is_enterprise_install": True}
TOLD: dict[str, Any] = {
    "ok": True,
    "team_id": "T0ONE",
    "team": "One",
    "enterprise_id": "E0GRID",
    "user_id": "W0BOT",
    "bot_id": "B0BOT",
    "is_enterprise_install": False,
}
TOLD_WHOLE = TOLD | {"team_id": "E0GRID", "is_enterprise_install": True}


class Kept:
    """`Book` and `States` that take everything, and remember what was put last."""

    def __init__(self) -> None:
        self.put_last: tuple[Installation, str, str] | None = None

    async def put(
        self, installation: Installation, *, bot_token: str, tenant_if_unbound: str = "", who: str
    ) -> Installed:
        self.put_last = installation, tenant_if_unbound, who
        token = SecretStr(bot_token)
        return Installed(tenant="t", installation=installation, bot_token=token, revision=1)

    async def begin(self, *, state: str, browser: str) -> bool:
        return bool(state and browser)

    async def finish(self, *, state: str, browser: str) -> bool:
        return bool(state and browser)


async def _installed(grant: dict[str, Any], told: dict[str, Any]) -> tuple[int, Kept]:
    """The last page's status and what was put, where Slack answers this."""

    async def access(_request: web.Request) -> web.Response:
        return web.json_response(grant)

    async def test(request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "Bearer xoxb-granted"
        return web.json_response(told)

    kept = Kept()
    ours = web.Application()
    ours.router.add_post("/api/oauth.v2.access", access)
    ours.router.add_route("*", "/api/auth.test", test)
    async with front_door.listening(ours, host="127.0.0.1", port=0) as slack:
        oauth = OAuth(
            client_id="1.2",
            client_secret="s",
            slack_api_url=f"http://127.0.0.1:{slack}/api/",
            public_url="https://bot.example",
            scopes=("chat:write",),
            strangers=True,
            states=kept,
            book=kept,
        )
        application = web.Application()
        installing.add_routes(application, oauth)
        async with front_door.listening(application, host="127.0.0.1", port=0) as port:
            return await _came_back(f"http://127.0.0.1:{port}"), kept


async def _came_back(url: str) -> int:
    headers = {"Cookie": f"{COOKIE}={'b' * 43}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(f"{url}{REDIRECT}?state=s&code=c") as answer,
    ):
        return answer.status


async def test_a_workspace_of_a_grid_is_that_workspace_alone() -> None:
    status, kept = await _installed(GRANT, TOLD)
    assert status == 200
    assert kept.put_last is not None
    installation, tenant, who = kept.put_last
    assert (installation.team_id, installation.enterprise_id) == ("T0ONE", "E0GRID")
    assert (installation.bot_user_id, installation.bot_id) == ("W0BOT", "B0BOT")
    assert (tenant, who) == ("T0ONE", "slack:E0GRID:W0ADMIN")


async def test_a_whole_grid_is_kept_under_its_enterprise() -> None:
    status, kept = await _installed(WHOLE, TOLD_WHOLE)
    assert status == 200
    assert kept.put_last is not None
    installation, tenant, _who = kept.put_last
    assert (installation.team_id, installation.enterprise_id) == ("", "E0GRID")
    assert (installation.team_name, tenant) == ("The Grid", "E0GRID")


@pytest.mark.parametrize(
    ("grant", "told"),
    [
        (GRANT, TOLD | {"team_id": "T0TWO"}),
        (GRANT, TOLD | {"user_id": "W0OTHER"}),
        (WHOLE, TOLD_WHOLE | {"enterprise_id": "E0OTHER", "team_id": "E0OTHER"}),
        (GRANT | {"team": None}, TOLD),
        (GRANT | {"team": {"id": "../demo", "name": "One"}}, TOLD | {"team_id": "../demo"}),
        (GRANT | {"token_type": "user"}, TOLD),
        (GRANT | {"access_token": ""}, TOLD),
        (GRANT | {"refresh_token": "xoxe-1", "expires_in": 43200}, TOLD),
    ],
)
async def test_what_does_not_agree_is_not_kept(grant: dict[str, Any], told: dict[str, Any]) -> None:
    status, kept = await _installed(grant, told)
    assert status == 400
    assert kept.put_last is None
