"""Slack refuses the token: the tenant is paused, nothing fails, and it goes on by itself."""

import logging

import pytest

from bot.errors import SlackRefused, SlackUnavailable
from bot.playground import Running
from bot.slack.token_watch import TokenWatch
from rag.values import Request
from tests.bot.slack.conftest import Bot, Company, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, until

ASKED = "<@footnote> What does a loan need?"


async def refuse(driver: Driver, code: str, *methods: str) -> None:
    for method in methods:
        await driver.post("faults", method=method, kind="error", error=code, times=9_999)


async def paused(bot: Bot, code: str) -> None:
    watch = bot.parts.client.watch
    assert watch is not None

    async def check() -> bool:
        return watch.reason == code

    await until(check)


async def test_it_goes_on_though_no_question_waits(bot: Bot, driver: Driver) -> None:
    await refuse(driver, "account_inactive", "users.info", "auth.test")
    await driver.post("command", user="alice", channel="general", command="sources", text="")
    await paused(bot, "account_inactive")
    asked = (await driver.get("calls", method="users.info"))["calls"]
    for _try in range(3):
        await driver.post("command", user="alice", channel="general", command="sources", text="")
    await settled(driver, seconds=0.3)
    assert len((await driver.get("calls", method="users.info"))["calls"]) == len(asked)
    await driver.post("faults/clear")
    await paused(bot, "")


@pytest.mark.parametrize("code", ["token_revoked", "account_inactive"])
async def test_a_dead_token_keeps_the_questions(
    bot: Bot, company: Company, driver: Driver, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    await refuse(driver, code, "*")
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    other = await driver.post("say", user="bob", channel="general", text=ASKED)
    await paused(bot, code)
    await settled(driver, seconds=0.5)
    loud = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [code in record.getMessage() for record in loud] == [True]
    assert await company.record.tasks.list(tenant="demo") == ()
    calls = (await driver.get("calls"))["calls"]
    assert len(calls) < 20
    await driver.post("faults/clear")
    for asker, thread in (("alice", said["ts"]), ("bob", other["ts"])):
        answers = await replies(driver, "general", asker, thread)
        assert QUOTE in shown(answers[0])
        assert len(await ours(driver, "general", asker, thread)) == 1


async def test_a_scope_that_is_missing_keeps_the_question_too(bot: Bot, driver: Driver) -> None:
    await refuse(driver, "missing_scope", "chat.postMessage")
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await paused(bot, "missing_scope")
    await driver.post("faults/clear")
    answers = await replies(driver, "general", "alice", said["ts"])
    assert QUOTE in shown(answers[0])


def slow(_request: Request) -> float:
    return 1.5


async def test_a_token_that_dies_over_the_answer_is_waited_for(
    company: Company, running: Running, driver: Driver
) -> None:
    async with socket_bot(company, running, pause=slow) as bot:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await until(lambda: ours(driver, "general", "alice", said["ts"]))
        await refuse(driver, "token_revoked", "chat.update", "auth.test")
        await paused(bot, "token_revoked")
        await driver.post("faults/clear")
        answers = await replies(driver, "general", "alice", said["ts"])
        assert len(answers) == 1
        assert QUOTE in shown(answers[0])


async def test_it_asks_again_with_growing_pauses() -> None:
    slept: list[float] = []
    answers = [SlackRefused("auth.test", "token_revoked")] * 7 + [SlackUnavailable("silent")]

    async def probe() -> None:
        if answers:
            raise answers.pop()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    watch = TokenWatch(probe, sleep=sleep)
    await watch.restored()
    assert slept == []
    watch.refused("token_revoked")
    assert watch.reason == "token_revoked"
    await watch.restored()
    assert watch.reason == ""
    assert slept == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


async def test_a_token_refused_again_right_away_is_asked_about_less_and_less() -> None:
    slept: list[float] = []

    async def probe() -> None: ...

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    watch = TokenWatch(probe, sleep=sleep)
    for _ in range(4):
        watch.refused("missing_scope")
        await watch.restored()
    assert slept == [1.0, 2.0, 4.0, 8.0]
