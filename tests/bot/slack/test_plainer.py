"""What Slack does not take in one form is shown in a plainer one, and no citation is lost."""

import pytest

from tests.bot.slack.conftest import Bot, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_windows import every_button, press, window
from tests.playground.conftest import Driver

ASKED = "<@footnote> What does a loan need?"


@pytest.mark.parametrize("refused", [1, 2])
@pytest.mark.parametrize("code", ["invalid_blocks", "msg_too_large"])
async def test_a_refused_form_gives_way_to_a_plainer_one(
    bot: Bot, driver: Driver, code: str, refused: int
) -> None:
    refusal = {"method": "chat.update", "kind": "error", "error": code}
    await driver.post("faults", **refusal, times=refused)
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    (message,) = await replies(driver, "general", "alice", said["ts"])
    kinds = {block["type"] for block in message["blocks"]}
    assert "container" not in kinds
    assert bot.parts.tenant == "demo"
    if refused == 1:
        assert QUOTE in shown(message)
        return
    assert QUOTE not in shown(message)
    assert "One more quote" in shown(message)
    assert "rate_good" in {button["action_id"] for button in every_button(message["blocks"])}
    await press(driver, message, "show_all", "bob")
    assert "The device number is needed." in shown(await window(driver, "bob", holding=QUOTE))
