"""A mention becomes one answer, however often Slack tells us."""

import asyncio

from tests.bot.slack.conftest import Bot, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.playground.conftest import Driver


async def test_a_mention_is_answered_once_in_its_thread(bot: Bot, driver: Driver) -> None:
    said = await driver.post(
        "say", user="alice", channel="general", text="<@footnote> What does a loan need?"
    )
    answers = await replies(driver, "general", "alice", said["ts"])
    await asyncio.sleep(1.0)
    answers = await replies(driver, "general", "alice", said["ts"])
    assert len(answers) == 1
    assert QUOTE in shown(answers[0])
    assert [request.question for request in bot.pipeline.runs] == ["What does a loan need?"]
