"""`footnote tenants`: keys for tokens, and which workspaces have installed us."""

import asyncio
from pathlib import Path

from cryptography.fernet import Fernet

from bot.database_urls import sqlite_url
from bot.installed import Installation
from bot.storage.database import Database
from bot.storage.installations import SqlInstallations
from bot.storage.migrate import ensure
from bot.storage.sealing import Seal
from tests.bot.cli.desk import Desk

ONE = Installation(team_id="T1", bot_user_id="U1", team_name="One")


def _install(desk: Desk, key: str) -> None:
    url = sqlite_url(desk.data / "footnote" / "footnote.db")
    (desk.data / "footnote").mkdir(parents=True)
    ensure(url)

    async def put() -> None:
        database = Database(url)
        kept = SqlInstallations(database, Seal([key]))
        await kept.put(ONE, bot_token="xoxb-one", tenant_if_unbound="acme")
        await database.close()

    asyncio.run(put())


def test_keys_are_made_and_exchanged(tmp_path: Path) -> None:
    desk = Desk(data=tmp_path / "data", folder=tmp_path)
    new = desk.run("tenants", "new-key").out.strip()
    old = Fernet.generate_key().decode()
    Fernet(new)
    _install(desk, old)
    lost = desk.run("tenants", "re-encrypt", FOOTNOTE_TOKEN_KEYS=new)
    assert (lost.code, "1 tokens can be opened with none" in lost.err) == (2, True)
    assert desk.run("tenants", "re-encrypt", FOOTNOTE_TOKEN_KEYS=f"{new}, {old}").code == 0
    listed = desk.run("tenants", "list", FOOTNOTE_TOKEN_KEYS=new).out
    assert listed.splitlines()[-1].split() == ["acme", "T1", "installed"]
