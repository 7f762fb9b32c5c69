"""`footnote tasks`, typed beside a running bot."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.playground import Running
from rag.errors import FormatInvalid
from rag.values import Request
from tests.bot.cli.desk import Desk, Ended
from tests.bot.slack.conftest import Bot, Company, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, until

ASKED = "<@footnote> What does a loan need?"


@pytest.fixture
async def company(tmp_path: Path, running: Running) -> AsyncIterator[Company]:
    """A record where `footnote` finds it too."""
    made = Company(tmp_path / "footnote")
    await made.seed(team=running.team_id)
    yield made
    await made.database.close()


class Typed:
    """Commands on the bot's own data folder."""

    def __init__(self, folder: Path) -> None:
        self._desk = Desk(data=folder, folder=folder)

    async def __call__(self, *words: str) -> Ended:
        return await asyncio.to_thread(self._desk.run, "tasks", *words)


@pytest.fixture
def typed(tmp_path: Path) -> Typed:
    return Typed(tmp_path)


@asynccontextmanager
async def failing_once(company: Company, running: Running) -> AsyncIterator[Bot]:
    """A bot whose reader answers the first question of all in a shape nobody knows."""
    asked: list[Request] = []

    def pause(request: Request) -> float:
        asked.append(request)
        if len(asked) == 1:
            raise FormatInvalid("not of the agreed shape")
        return 0.0

    async with socket_bot(company, running, pause=pause) as made:
        yield made


async def test_a_failed_task_is_listed_and_retried_in_place(
    company: Company, running: Running, driver: Driver, typed: Typed
) -> None:
    async with failing_once(company, running):
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        failed = (await replies(driver, "general", "alice", said["ts"]))[0]
        assert QUOTE not in shown(failed)
        listed = await typed("list", "--state", "failed", "--json")
        (row,) = listed.rows
        assert (row["tenant"], row["status"], row["reason"]) == ("demo", "failed", "format_invalid")
        assert "loan" not in listed.out
        assert row["task"] in (await typed("list")).out
        assert (await typed("list", "--older", "1h", "--json")).rows == []
        assert (await typed("retry", row["task"])).code == 0

        async def answered() -> bool:
            return QUOTE in shown((await ours(driver, "general", "alice", said["ts"]))[0])

        await until(answered)
        await settled(driver)
        found = await ours(driver, "general", "alice", said["ts"])
        assert [message["ts"] for message in found] == [failed["ts"]]
        assert (await typed("retry", row["task"])).refuses("done")
        assert (await typed("cancel", row["task"])).refuses("ended")


async def test_a_task_is_cancelled_at_its_next_stage(
    company: Company, running: Running, driver: Driver, typed: Typed
) -> None:
    async with socket_bot(company, running, pause=lambda _request: 60.0) as bot:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)

        async def begun() -> bool:
            return bool(bot.pipeline.runs)

        await until(begun)
        (row,) = (await typed("list", "--state", "running", "--json")).rows
        assert (await typed("cancel", row["task"])).code == 0
        answers = await replies(driver, "general", "alice", said["ts"])
        assert QUOTE not in shown(answers[0])


async def test_wrong_words_are_refused_in_words(company: Company, typed: Typed) -> None:
    assert (await typed("list", "--state", "lost")).refuses("queued, running")
    assert (await typed("list", "--older", "soon")).refuses("30s")
    assert (await typed("list", "--tenant", "nope")).refuses("no tenant 'nope'")
    for command in ("retry", "cancel"):
        assert (await typed(command, "nope")).refuses("no task 'nope'")
