"""Our install pages before a playground of two workspaces, and a browser that keeps a cookie."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from urllib.parse import parse_qsl, urlsplit

import aiohttp
from aiohttp import web
from cryptography.fernet import Fernet

from bot import front_door
from bot.database_urls import sqlite_url
from bot.installs import installing
from bot.installs.installing import COOKIE, INSTALL, REDIRECT, OAuth
from bot.playground import NEIGHBOUR, Running, Settings, start
from bot.storage.database import Database
from bot.storage.installations import SqlInstallations
from bot.storage.oauth_states import SqlOAuthStates
from bot.storage.sealing import Seal
from bot.storage.tenants import SqlTenants

ATLAS, BRIGHTSEA = "T0PLAYGROUND", "T0BRIGHTSEA1"


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Where installations are made, and where they end up. ``url`` is ours."""

    url: str
    playground: Running
    tenants: SqlTenants
    installations: SqlInstallations
    session: aiohttp.ClientSession

    async def calls(self, team: str) -> list[str]:
        """The methods called with a token of that neighbour of the first workspace."""
        url = f"{self.playground.url}/team/{team}/playground/calls"
        async with self.session.get(url) as answer:
            return [row["method"] for row in (await answer.json())["calls"]]

    async def post(self, name: str, /, **body: object) -> None:
        url = f"{self.playground.url}/playground/{name}"
        async with self.session.post(url, json=body) as answer:
            found = await answer.json()
        assert found["ok"], found


class Browser:
    """Keeps our cookie, as over https; follows nothing by itself."""

    def __init__(self, desk: Desk, *, languages: str = "en") -> None:
        self.desk = desk
        self.cookie = ""
        self.languages = languages

    @property
    def _headers(self) -> dict[str, str]:
        own = {"Cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}
        return own | {"Accept-Language": self.languages}

    async def go(self, where: str, method: str = "GET") -> tuple[aiohttp.ClientResponse, str]:
        """The answer and its text; ``where`` is below our address."""
        async with self.desk.session.request(
            method, self.desk.url + where, headers=self._headers, allow_redirects=False
        ) as answer:
            given = answer.cookies.get(COOKIE)
            self.cookie = given.value if given else self.cookie
            return answer, await answer.text()

    async def begin(self) -> dict[str, str]:
        """Press our button: what Slack is asked."""
        answer, _text = await self.go(INSTALL, "POST")
        assert answer.status == 303, answer.status
        return dict(parse_qsl(urlsplit(answer.headers["Location"]).query))

    async def decide(self, asked: dict[str, str], decision: str, team: str = ATLAS) -> str:
        """Press a button of Slack's page: where it sends the browser, below our address."""
        form = asked | {"decision": decision, "team": team}
        url = f"{self.desk.playground.url}/oauth/v2/authorize"
        async with self.desk.session.post(url, data=form, allow_redirects=False) as answer:
            assert answer.status == 302, await answer.text()
            target = answer.headers["Location"]
        assert target.startswith(self.desk.url + REDIRECT + "?"), target
        return target.removeprefix(self.desk.url)

    async def install(self, team: str = ATLAS) -> tuple[int, str]:
        """The whole way: the status and the text of the last page."""
        back = await self.decide(await self.begin(), "allow", team)
        answer, text = await self.go(back)
        return answer.status, text


def _free_port() -> int:
    with socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@asynccontextmanager
async def opened(
    folder: Path, empty_record: Path, *, strangers: bool = True
) -> AsyncIterator[Desk]:
    """A desk whose record is a copy of ``empty_record``."""
    shutil.copy(empty_record, folder / "footnote.db")
    database, port = Database(sqlite_url(folder / "footnote.db")), _free_port()
    url = f"http://127.0.0.1:{port}"
    kept = SqlInstallations(database, Seal([Fernet.generate_key().decode()]))
    playground = await start(
        Settings(
            data=folder / "playground", neighbours=(NEIGHBOUR,), redirect_urls=(url + REDIRECT,)
        )
    )
    oauth = OAuth(
        client_id="playground.client",
        client_secret="playground-client-secret",
        slack_api_url=playground.api_url,
        public_url=url,
        scopes=("chat:write", "users:read"),
        strangers=strangers,
        states=SqlOAuthStates(database),
        book=kept,
    )
    application = web.Application()
    installing.add_routes(application, oauth)
    async with (
        front_door.listening(application, host="127.0.0.1", port=port),
        aiohttp.ClientSession() as session,
    ):
        yield Desk(
            url=url,
            playground=playground,
            tenants=SqlTenants(database),
            installations=kept,
            session=session,
        )
    await playground.close()
    await database.close()
