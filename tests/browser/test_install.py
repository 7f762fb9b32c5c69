"""Installing us in a real browser, with the real bot and two workspaces of the playground."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import pytest
import pytest_asyncio
from cryptography.fernet import Fernet
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from bot.playground import NEIGHBOUR, Running, Settings, start
from tests.acceptance.slack_demo import Workspace, environment, footnote

CHROMIUM = shutil.which("chromium")
REQUIRED = os.environ.get("FOOTNOTE_TEST_BROWSER_REQUIRED") == "1"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(
        CHROMIUM is None and not REQUIRED, reason="NO BROWSER: install Debian's chromium package"
    ),
]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Our address, the two workspaces, and where the record lies."""

    url: str
    atlas: Workspace
    brightsea: Workspace
    record: Path

    def installed(self) -> dict[str, tuple[str, str]]:
        """Each workspace's tenant and why it is paused."""
        with sqlite3.connect(f"file:{self.record}?mode=ro", uri=True) as record:
            rows = record.execute(
                "SELECT team_name, tenant, paused FROM installations JOIN workspaces ON team = home"
            ).fetchall()
        return {name: (tenant, paused) for name, tenant, paused in rows}


def _bots(folder: Path, playground: Running, port: int) -> dict[str, str]:
    return environment(
        folder,
        SLACK_APP_TOKEN="xapp-playground",
        # Names the Slack SDK reads by itself: none of them may count.
        SLACK_CLIENT_ID="another.client",
        SLACK_CLIENT_SECRET="another-secret",
        SLACK_REDIRECT_URI="https://another.example/redirect",
        SLACK_SCOPES="admin",
        SLACK_INSTALL_PATH="/another/install",
        HOME=str(folder),
        FOOTNOTE_OAUTH_CLIENT_ID="playground.client",
        FOOTNOTE_OAUTH_CLIENT_SECRET="playground-client-secret",
        FOOTNOTE_OAUTH_TENANTS="open",
        FOOTNOTE_PUBLIC_URL=f"http://127.0.0.1:{port}",
        FOOTNOTE_PORT=str(port),
        FOOTNOTE_POST_GAP_SECONDS="0",
        FOOTNOTE_SLACK_API_URL=playground.api_url,
        FOOTNOTE_TOKEN_KEYS=Fernet.generate_key().decode(),
    )


@asynccontextmanager
async def _playground(folder: Path, back: str) -> AsyncIterator[Running]:
    made = await start(Settings(data=folder, neighbours=(NEIGHBOUR,), redirect_urls=(back,)))
    yield made
    await made.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    folder = tmp_path_factory.mktemp("installed")
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    url = f"http://127.0.0.1:{port}"
    async with (
        _playground(folder / "playground", f"{url}/slack/oauth_redirect") as playground,
        footnote("serve", "--work", env=_bots(folder, playground, port)),
        aiohttp.ClientSession() as session,
    ):
        yield Place(
            url=url,
            atlas=Workspace(playground.url, session),
            brightsea=Workspace(f"{playground.url}/team/T0BRIGHTSEA1", session),
            record=folder / "footnote" / "footnote.db",
        )
    assert not (folder / ".bolt-app-installation").exists()
    assert not (folder / ".bolt-app-oauth-state").exists()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        await launched.close()


@pytest_asyncio.fixture(loop_scope="module")
async def window(browser: Browser) -> AsyncIterator[BrowserContext]:
    made = await browser.new_context(locale="en-GB")
    yield made
    await made.close()


async def _asked(place: Place, window: BrowserContext) -> Page:
    """Slack's page that asks the person, reached from ours."""
    page = await window.new_page()
    await page.goto(f"{place.url}/slack/install")
    await page.get_by_role("button", name="Continue to Slack").click()
    await page.wait_for_url("**/oauth/v2/authorize**")
    return page


async def _allowed(place: Place, window: BrowserContext, team: str) -> Page:
    page = await _asked(place, window)
    await page.get_by_label(team).check()
    await page.get_by_role("button", name="Allow").click()
    await expect(page.get_by_role("heading")).to_have_text(f"Footnote is installed in {team}")
    return page


async def _answers(workspace: Workspace, person: str) -> bool:
    thread = await workspace.say(person, "general", "<@footnote> help")
    return bool(await workspace.answers(person, "general", thread=thread))


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not true():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.05)


async def test_two_workspaces_install_us_and_each_is_answered(
    place: Place, window: BrowserContext
) -> None:
    await _allowed(place, window, "Atlas Works")
    assert await _answers(place.atlas, "alice")
    await _allowed(place, window, "Brightsea")
    assert await _answers(place.brightsea, "erin")
    assert place.installed() == {
        "Atlas Works": ("T0PLAYGROUND", ""),
        "Brightsea": ("T0BRIGHTSEA1", ""),
    }


async def test_whoever_cancels_is_told_that_nothing_happened(
    place: Place, window: BrowserContext
) -> None:
    before = place.installed()
    page = await _asked(place, window)
    await page.get_by_role("button", name="Cancel").click()
    await expect(page.get_by_role("heading")).to_have_text("Footnote was not installed")
    await page.get_by_role("link", name="Start again").click()
    await expect(page.get_by_role("button")).to_have_text("Continue to Slack")
    assert place.installed() == before


async def test_an_address_is_good_once(place: Place, window: BrowserContext) -> None:
    page = await _allowed(place, window, "Brightsea")
    await page.reload()
    await expect(page.get_by_role("heading")).to_contain_text("cannot be used any more")


async def test_an_address_is_good_in_its_own_browser_alone(
    place: Place, window: BrowserContext, browser: Browser
) -> None:
    page = await _asked(place, window)
    asked = dict(parse_qsl(urlsplit(page.url).query))
    form: dict[str, str | float | bool] = {**asked, "team": "T0PLAYGROUND", "decision": "allow"}
    sent = await window.request.post(page.url, form=form, max_redirects=0)
    address = sent.headers["location"]
    assert address.startswith(f"{place.url}/slack/oauth_redirect?")
    other = await browser.new_context(locale="zh-CN")
    victim = await other.new_page()
    await victim.goto(f"{place.url}/slack/install")
    await victim.goto(address)
    await expect(victim.get_by_role("heading")).to_have_text("此页面已失效")
    await other.close()


async def test_what_was_uninstalled_waits_until_it_is_installed_again(
    place: Place, window: BrowserContext
) -> None:
    await place.atlas.post("uninstall", {})
    await _until(lambda: place.installed()["Atlas Works"] != ("T0PLAYGROUND", ""))
    thread = await place.atlas.say("alice", "general", "<@footnote> help")
    assert await _answers(place.brightsea, "erin")
    seen = await place.atlas.seen("alice", "general", thread=thread)
    assert not [message for message in seen if message.get("bot_id")]
    await _allowed(place, window, "Atlas Works")
    assert await place.atlas.answers("alice", "general", thread=thread)
    assert place.installed()["Atlas Works"] == ("T0PLAYGROUND", "")
