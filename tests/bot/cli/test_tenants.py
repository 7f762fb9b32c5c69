"""`footnote tenants`: keys for tokens, and which workspaces have installed us."""

import asyncio
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from typer.testing import CliRunner, Result

from bot.cli.app import app
from bot.database_urls import sqlite_url
from bot.errors import SettingsInvalid, WrongUsage
from bot.slack.installed import Installation
from bot.storage.database import Database
from bot.storage.installations import SqlInstallations
from bot.storage.migrate import ensure
from bot.storage.sealing import Seal

ONE = Installation(team_id="T1", bot_user_id="U1", team_name="One")


async def _installed(url: str, key: str) -> None:
    database = Database(url)
    kept = SqlInstallations(database, Seal([key]))
    await kept.put(ONE, bot_token="xoxb-one", tenant_if_unbound="acme")
    await database.close()


def test_keys_are_made_and_exchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def run(command: str, keys: str = "") -> Result:
        more = {"FOOTNOTE_DATA": str(tmp_path), "FOOTNOTE_TOKEN_KEYS": keys, "COLUMNS": "200"}
        return CliRunner().invoke(app, ["tenants", command], env=more)

    new, old = run("new-key").output.strip(), Fernet.generate_key().decode()
    (tmp_path / "footnote").mkdir()
    url = sqlite_url(tmp_path / "footnote" / "footnote.db")
    ensure(url)
    asyncio.run(_installed(url, old))
    lost = run("re-encrypt", new).exception
    assert isinstance(lost, WrongUsage)
    assert "1 tokens can be opened with none" in str(lost)
    assert run("list", new).output.splitlines()[-1].split() == ["acme", "T1", "token_unreadable"]
    assert run("re-encrypt", f"{new}, {old}").exit_code == 0
    assert run("list", new).output.splitlines()[-1].split() == ["acme", "T1", "installed"]
    wrong = run("list", "canary").exception
    assert isinstance(wrong, SettingsInvalid)
    assert "canary" not in str(wrong)
