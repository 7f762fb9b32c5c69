"""The end of an installation, said in any order, again, and too late."""

import pytest

from bot.errors import SlackUnavailable
from bot.installs.pausing import pause_if_ended
from tests.bot.installing.desk import ATLAS, Browser, Desk


async def _told(desk: Desk, reason: str = "app_uninstalled", home: str = ATLAS) -> bool:
    return await pause_if_ended(
        desk.installations, home=home, reason=reason, slack_api_url=desk.playground.api_url
    )


async def _paused(desk: Desk) -> str:
    kept = await desk.installations.get(team_id=ATLAS)
    assert kept is not None
    return kept.paused


async def test_an_uninstalled_workspace_is_paused_once(desk: Desk) -> None:
    await Browser(desk).install()
    await desk.post("uninstall")
    assert await _told(desk)
    assert not await _told(desk, "tokens_revoked")
    assert await _paused(desk) == "app_uninstalled"


async def test_what_is_said_of_the_earlier_installation_does_not_end_the_new_one(
    desk: Desk,
) -> None:
    browser = Browser(desk)
    await browser.install()
    await desk.post("uninstall")
    await browser.install()
    for reason in ("tokens_revoked", "app_uninstalled"):
        assert not await _told(desk, reason)
    assert await _paused(desk) == ""


async def test_where_slack_does_not_say_the_event_must_come_again(desk: Desk) -> None:
    await Browser(desk).install()
    await desk.post("faults", method="auth.test", kind="status", status=500)
    with pytest.raises(SlackUnavailable):
        await _told(desk)
    await desk.post("uninstall")
    assert await _told(desk)


async def test_an_installation_nobody_knows_ends_quietly(desk: Desk) -> None:
    assert not await _told(desk, home="T0NOBODY")
