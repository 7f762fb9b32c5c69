"""What models cost a tenant, as a person at a terminal reads it."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli.app import app
from bot.settings import load_settings
from bot.wiring import open_world
from rag.ports import Behalf, Prompt, Role


def test_days_are_shown_by_model_with_the_bound(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path))
    monkeypatch.setenv("FOOTNOTE_READER_DAILY_TOKENS", "5000")
    monkeypatch.setenv("FOOTNOTE_READER_PRICES", "openai:small=2/10")
    monkeypatch.setenv("COLUMNS", "200")
    asyncio.run(_spend())
    ended = CliRunner().invoke(app, ["spent", "--tenant", "demo"])
    assert ended.exit_code == 0, ended.output
    assert "openai:small" in ended.output
    assert "1,200" in ended.output
    assert "0.0034" in ended.output
    assert "a day may cost 5,000 tokens" in ended.output


async def _spend() -> None:
    behalf = Behalf(tenant="demo", task="t1", rights="r1")
    prompt = Prompt(behalf=behalf, role=Role.PLAN, version="1", instructions="", material="")
    async with open_world(load_settings()) as world:
        await world.tenants.create("demo")
        trying = world.spending.trying(prompt, model="openai:small", attempt=1, tokens=9)
        async with trying as tally:
            tally.tokens_in, tally.tokens_out = 1200, 100
