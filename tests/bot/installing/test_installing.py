"""An installation from our button to the kept token, and every way in which it must not be one."""

import asyncio
import logging
from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from bot.installs.installing import COOKIE, INSTALL, REDIRECT
from tests.bot.installing.desk import ATLAS, BRIGHTSEA, Browser, Desk, opened


async def _homes(desk: Desk) -> list[str]:
    return [one.installation.home for one in await desk.installations.all()]


async def test_each_workspace_that_allows_us_is_kept_as_a_tenant_of_its_own(desk: Desk) -> None:
    for team, name in ((ATLAS, "Atlas Works"), (BRIGHTSEA, "Brightsea")):
        status, text = await Browser(desk).install(team)
        assert status == 200
        assert f"Footnote is installed in {name}" in text
        kept = await desk.installations.get(team_id=team)
        assert kept is not None
        assert (kept.tenant, kept.installation.team_name) == (team, name)
        assert kept.installation.url.startswith(desk.playground.url)
        assert kept.bot_token.get_secret_value().startswith(f"xoxb-{team}-")
    assert await desk.tenants.list() == (BRIGHTSEA, ATLAS)


async def test_a_workspace_that_was_bound_joins_that_tenant(desk: Desk) -> None:
    await desk.tenants.create("acme")
    await desk.tenants.bind(tenant="acme", team=ATLAS)
    await Browser(desk).install()
    kept = await desk.installations.get(team_id=ATLAS)
    assert kept is not None
    assert kept.tenant == "acme"


async def test_where_strangers_are_not_let_in_only_bound_workspaces_install(
    tmp_path: Path, empty_record: Path
) -> None:
    async with opened(tmp_path, empty_record, strangers=False) as desk:
        await desk.tenants.create("acme")
        await desk.tenants.bind(tenant="acme", team=ATLAS)
        status, text = await Browser(desk).install(BRIGHTSEA)
        assert status == 403
        assert BRIGHTSEA in text
        assert (await Browser(desk).install(ATLAS))[0] == 200
        assert await _homes(desk) == [ATLAS]
        assert await desk.tenants.list() == ("acme",)
        assert (await desk.calls(BRIGHTSEA)).count("auth.revoke") == 1


async def test_installing_again_replaces_the_token_and_ends_a_pause(desk: Desk) -> None:
    browser = Browser(desk)
    await browser.install()
    first = await desk.installations.get(team_id=ATLAS)
    assert first is not None
    await desk.installations.pause(home=ATLAS, reason="app_uninstalled", revision=first.revision)
    await browser.install()
    again = await desk.installations.get(team_id=ATLAS)
    assert again is not None
    assert (again.paused, again.tenant) == ("", first.tenant)
    assert again.bot_token != first.bot_token
    assert await _homes(desk) == [ATLAS]


async def test_what_the_person_declines_is_not_installed(desk: Desk) -> None:
    browser = Browser(desk)
    back = await browser.decide(await browser.begin(), "cancel")
    answer, text = await browser.go(back)
    assert answer.status == 200
    assert "not installed" in text
    assert await _homes(desk) == []
    answer, text = await browser.go(back)
    assert answer.status == 400


async def test_a_state_finishes_nothing_twice(desk: Desk) -> None:
    browser = Browser(desk)
    asked = await browser.begin()
    await browser.go(await browser.decide(asked, "allow"))
    another_code = await browser.decide(asked, "allow", BRIGHTSEA)
    answer, _text = await browser.go(another_code)
    assert answer.status == 400
    assert await _homes(desk) == [ATLAS]


async def test_an_address_sent_to_another_browser_finishes_nothing_there(desk: Desk) -> None:
    """Else a stranger's workspace would end up where the victim believes their own is."""
    attacker, victim = Browser(desk), Browser(desk)
    back = await attacker.decide(await attacker.begin(), "allow")
    for begun in (False, True):
        if begun:
            await victim.begin()
        answer, _text = await victim.go(back)
        assert answer.status == 400
    answer, _text = await attacker.go(back)
    assert answer.status == 400
    assert await _homes(desk) == []


@pytest.mark.parametrize(
    "changed",
    [
        "?code=C",
        "?state=S",
        "?state=S&code=C",
        "?state=S&state=S&code=C",
        "?error=access_denied",
        "?state=%00&code=%00",
    ],
)
async def test_what_slack_did_not_send_back_finishes_nothing(desk: Desk, changed: str) -> None:
    browser = Browser(desk)
    await browser.begin()
    answer, _text = await browser.go(REDIRECT + changed)
    assert answer.status == 400
    assert await _homes(desk) == []


@pytest.mark.parametrize("code", ["C" * 20, "a b", "é", "C" * 501, ""])
async def test_a_code_that_is_not_slacks_is_refused(desk: Desk, code: str) -> None:
    browser = Browser(desk)
    asked = await browser.begin()
    answer, _text = await browser.go(f"{REDIRECT}?state={asked['state']}&code={code}")
    assert answer.status == 400
    assert await _homes(desk) == []


async def test_two_tabs_of_one_browser_may_both_install(desk: Desk) -> None:
    browser = Browser(desk)
    first, second = await browser.begin(), await browser.begin()
    for asked, team in ((second, BRIGHTSEA), (first, ATLAS)):
        answer, _text = await browser.go(await browser.decide(asked, "allow", team))
        assert answer.status == 200
    assert await _homes(desk) == [BRIGHTSEA, ATLAS]


async def test_states_are_random_and_asked_for_exactly(desk: Desk) -> None:
    asked = [await Browser(desk).begin() for _ in range(3)]
    assert len({one["state"] for one in asked}) == 3
    assert all(len(one["state"]) == 43 for one in asked)
    assert {one["redirect_uri"] for one in asked} == {desk.url + REDIRECT}
    assert {one["scope"] for one in asked} == {"chat:write,users:read"}


async def test_the_cookie_is_for_our_pages_alone(desk: Desk) -> None:
    answer, _text = await Browser(desk).go(INSTALL, "POST")
    (given,) = SimpleCookie(answer.headers["Set-Cookie"]).values()
    assert given.key == COOKIE
    assert given["secure"]
    assert given["httponly"]
    assert (given["samesite"], given["path"], given["domain"]) == ("Lax", "/", "")
    assert int(given["max-age"]) <= 600
    assert len(given.value) == 43


async def test_a_look_at_the_last_page_does_not_use_it_up(desk: Desk) -> None:
    browser = Browser(desk)
    back = await browser.decide(await browser.begin(), "allow")
    answer, _text = await browser.go(back, "HEAD")
    assert answer.status == 405
    answer, _text = await browser.go(back)
    assert answer.status == 200


@pytest.mark.parametrize(
    ("languages", "shown"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "添加到你的 Slack 工作区"),
        ("en-GB,en;q=0.9,zh;q=0.8", "Add Footnote to your Slack workspace"),
        ("fr", "Add Footnote to your Slack workspace"),
        ("zh;q=x,*;q=,;;", "Add Footnote to your Slack workspace"),
        ("", "Add Footnote to your Slack workspace"),
    ],
)
async def test_pages_speak_the_readers_language_and_run_nothing(
    desk: Desk, languages: str, shown: str
) -> None:
    answer, text = await Browser(desk, languages=languages).go(INSTALL)
    assert shown in text
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "'unsafe-inline'" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_workspaces_name_is_text_and_nothing_else(desk: Desk) -> None:
    workspace = desk.playground.workspace
    team = workspace.description.team.model_copy(update={"name": "<img src=x>{tell} & Co"})
    workspace.description = workspace.description.model_copy(update={"team": team})
    _status, text = await Browser(desk).install()
    assert "&lt;img src=x&gt;{tell} &amp; Co" in text
    assert "<img" not in text


@pytest.mark.parametrize("method", ["oauth.v2.access", "auth.test"])
async def test_where_slack_does_not_answer_the_person_is_told_to_come_again(
    desk: Desk, method: str
) -> None:
    await desk.post("faults", method=method, kind="status", status=500)
    status, text = await Browser(desk).install()
    assert status == 503
    assert "try again" in text
    assert await _homes(desk) == []
    assert (await Browser(desk).install())[0] == 200


async def test_a_refusal_of_slacks_is_said_in_its_word(desk: Desk) -> None:
    await desk.post("faults", method="oauth.v2.access", kind="error", error="<code>expired")
    status, text = await Browser(desk).install()
    assert status == 400
    assert "&lt;code&gt;expired" in text


async def test_a_token_that_belongs_to_another_workspace_is_not_kept(desk: Desk) -> None:
    """`auth.test` with the token must name the workspace that the grant names."""
    workspace = desk.playground.workspace
    granted = workspace.description
    browser = Browser(desk)
    back = await browser.decide(await browser.begin(), "allow")
    app = granted.app.model_copy(update={"bot_user_id": "U0ANOTHER01"})
    await desk.post("faults", method="auth.test", kind="delay", seconds=0.5)
    finishing = asyncio.create_task(browser.go(back))
    await asyncio.sleep(0.25)
    workspace.description = granted.model_copy(update={"app": app})
    answer, text = await finishing
    assert answer.status == 400
    assert "another_workspace" in text
    assert await _homes(desk) == []


async def test_neither_token_nor_secret_nor_code_is_logged(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="bot")
    browser = Browser(desk)
    asked = await browser.begin()
    back = await browser.decide(asked, "allow")
    await browser.go(back)
    await browser.go(back)
    said = caplog.text
    assert ATLAS in said
    for secret in ("xoxb", "client-secret", asked["state"], back.rpartition("=")[2]):
        assert secret not in said
