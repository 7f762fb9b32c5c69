"""Several workspaces of one app, and how it is installed and removed."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import NEIGHBOUR, Running, Settings
from tests.playground.conftest import Driver, EchoBot, refusal, until

BACK = "https://bot.example/slack/oauth_redirect"
SECRET = {"client_id": "playground.client", "client_secret": "playground-client-secret"}
BRIGHTSEA, ATLAS = "T0BRIGHTSEA1", "T0PLAYGROUND"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data=tmp_path / "data",
        ack_seconds=0.6,
        retry_scale=0.01,
        neighbours=(NEIGHBOUR,),
        redirect_urls=(BACK,),
    )


def _client(running: Running, token: str) -> AsyncWebClient:
    return AsyncWebClient(token, base_url=running.api_url, retry_handlers=[])


async def _decide(driver: Driver, decision: str, **changes: str) -> tuple[int, dict[str, Any]]:
    """The answer to the consent page's form: its status, and what the app's address is given."""
    form = {
        "client_id": "playground.client",
        "redirect_uri": BACK,
        "scope": "chat:write,users:read",
        "state": "s",
        "team": BRIGHTSEA,
        "decision": decision,
    }
    url = f"{driver.running.url}/oauth/v2/authorize"
    async with driver.session.post(url, data=form | changes, allow_redirects=False) as answer:
        where = answer.headers.get("Location", "")
        assert not where or where.startswith(BACK + "?")
        return answer.status, parse_qs(urlsplit(where).query)


async def _installed(driver: Driver, team: str = BRIGHTSEA) -> str:
    """The bot token of one more installation."""
    _status, given = await _decide(driver, "allow", team=team)
    answer = await _client(driver.running, "").oauth_v2_access(
        code=given["code"][0], redirect_uri=BACK, **SECRET
    )
    assert answer["team"]["id"] == team
    return str(answer["access_token"])


async def test_a_token_says_which_workspace_is_meant(running: Running, driver: Driver) -> None:
    for token, team in (
        ("xoxb-playground", ATLAS),
        (f"xoxb-playground-{BRIGHTSEA}", BRIGHTSEA),
        (await _installed(driver), BRIGHTSEA),
    ):
        assert (await _client(running, token).auth_test())["team_id"] == team
    assert await refusal(_client(running, "xoxb-nobody").auth_test()) == "invalid_auth"


async def test_both_workspaces_events_come_down_one_socket(
    running: Running, driver: Driver, bot: EchoBot
) -> None:
    await driver.post("say", user="alice", channel="general", text="here")
    url = f"{running.url}/team/{BRIGHTSEA}/playground/"
    async with driver.session.post(
        f"{url}say", json={"user": "erin", "channel": "general", "text": "there"}
    ) as answer:
        assert (await answer.json())["ok"]

    async def both() -> bool:
        return len(bot.bodies) == 2

    await until(both)
    teams = {body["event"]["text"]: body["authorizations"][0]["team_id"] for body in bot.bodies}
    assert teams == {"here": ATLAS, "there": BRIGHTSEA}

    async def taken() -> bool:
        async with driver.session.get(f"{url}deliveries") as answer:
            return not (await answer.json())["deliveries"]

    await until(taken)


async def test_what_is_asked_for_must_be_what_is_registered(driver: Driver) -> None:
    for changes in ({"client_id": "another"}, {"redirect_uri": BACK + "/"}, {"scope": ""}):
        status, given = await _decide(driver, "allow", **changes)
        assert (status, given) == (400, {})


async def test_whoever_declines_is_sent_back_with_that_word(driver: Driver) -> None:
    status, given = await _decide(driver, "cancel")
    assert (status, given) == (302, {"state": ["s"], "error": ["access_denied"]})


async def test_a_code_is_good_once_and_for_its_own_app_and_address(
    running: Running, driver: Driver
) -> None:
    _status, given = await _decide(driver, "allow")
    code, slack = given["code"][0], _client(running, "")
    wrong = SECRET | {"client_secret": "guessed"}
    call = slack.oauth_v2_access(code=code, redirect_uri=BACK, **wrong)
    assert await refusal(call) == "invalid_client_id"
    await slack.oauth_v2_access(code=code, redirect_uri=BACK, **SECRET)
    call = slack.oauth_v2_access(code=code, redirect_uri=BACK, **SECRET)
    assert await refusal(call) == "invalid_code"
    _status, given = await _decide(driver, "allow")
    elsewhere = slack.oauth_v2_access(code=given["code"][0], redirect_uri=BACK + "2", **SECRET)
    assert await refusal(elsewhere) == "bad_redirect_uri"
    logged = (await driver.get("calls", method="oauth.v2.access"))["calls"]
    assert "playground-client-secret" not in str(logged)


async def test_a_revoked_token_is_refused_and_no_other(running: Running, driver: Driver) -> None:
    first, second = await _installed(driver), await _installed(driver)
    await _client(running, first).auth_revoke()
    assert await refusal(_client(running, first).auth_test()) == "token_revoked"
    await _client(running, second).auth_test()


async def test_an_uninstalled_workspace_takes_no_token_until_it_installs_again(
    running: Running, driver: Driver
) -> None:
    token = await _installed(driver, ATLAS)
    await driver.post("uninstall")
    for dead in (token, "xoxb-playground"):
        assert await refusal(_client(running, dead).auth_test()) == "account_inactive"
    await _client(running, f"xoxb-playground-{BRIGHTSEA}").auth_test()
    queued = (await driver.get("deliveries"))["deliveries"]
    assert [row["payload"]["event"]["type"] for row in queued] == [
        "tokens_revoked",
        "app_uninstalled",
    ]
    await _client(running, await _installed(driver, ATLAS)).auth_test()


async def test_the_consent_page_names_the_workspaces(running: Running, driver: Driver) -> None:
    query = {"client_id": "playground.client", "redirect_uri": BACK, "scope": "chat:write"}
    url = f"{running.url}/oauth/v2/authorize"
    async with driver.session.get(url, params=query | {"state": '"><b>'}) as answer:
        text = await answer.text()
    assert "Atlas Works" in text
    assert "Brightsea" in text
    assert "<b>" not in text
