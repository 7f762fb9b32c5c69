"""The names that the Slack SDK reads from the environment by itself change nothing."""

from pathlib import Path

import pytest

from bot.playground import Running
from tests.bot.slack.conftest import Company, replies, socket_bot
from tests.playground.conftest import Driver

NAMES = {
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "secret",
    "SLACK_SCOPES": "admin",
    "SLACK_USER_SCOPES": "admin",
    "SLACK_REDIRECT_URI": "https://another.example/",
    "SLACK_INSTALL_PATH": "/another",
    "SLACK_REDIRECT_URI_PATH": "/another",
    "SLACK_VERIFICATION_TOKEN": "another",
    "SLACK_BOT_TOKEN": "xoxb-another",
    "SLACK_SIGNING_SECRET": "another",
    "SLACK_APP_TOKEN": "xapp-another",
}


async def test_one_bot_token_stays_the_token_that_is_used(
    company: Company,
    running: Running,
    driver: Driver,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in NAMES.items():
        monkeypatch.setenv(name, value)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    async with socket_bot(company, running):
        said = await driver.post("say", user="alice", channel="general", text="<@footnote> help")
        assert await replies(driver, "general", "alice", said["ts"])
    assert list(home.iterdir()) == []
