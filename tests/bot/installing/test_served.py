"""The install pages beside the door that Slack calls, in a process of their own."""

from pathlib import Path
from socket import socket

import aiohttp
from cryptography.fernet import Fernet

from bot.front_door import PATH
from bot.installs.installing import INSTALL
from tests.acceptance.slack_demo import environment, footnote


def _free_port() -> int:
    with socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def test_browsers_and_slack_come_to_one_port(tmp_path: Path) -> None:
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    env = environment(
        tmp_path,
        SLACK_SIGNING_SECRET="playground-secret",
        FOOTNOTE_SLACK_MODE="http",
        FOOTNOTE_OAUTH_CLIENT_ID="1.2",
        FOOTNOTE_OAUTH_CLIENT_SECRET="s",
        FOOTNOTE_PUBLIC_URL=url,
        FOOTNOTE_PORT=str(port),
        FOOTNOTE_TOKEN_KEYS=Fernet.generate_key().decode(),
    )
    async with footnote("serve", env=env), aiohttp.ClientSession() as session:
        async with session.get(url + INSTALL) as answer:
            assert answer.status == 200
        async with session.post(url + INSTALL, allow_redirects=False) as answer:
            assert answer.headers["Location"].startswith("https://slack.com/oauth/v2/authorize?")
        async with session.post(url + PATH, json={"type": "event_callback"}) as answer:
            assert answer.status == 401
