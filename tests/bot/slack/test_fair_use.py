"""Who asks too much is told so alone, once, with the time to ask again; nobody else notices."""

from collections.abc import AsyncIterator

import pytest

from bot.fair_use import FairUse
from bot.playground import Running
from tests.bot.slack.conftest import Bot, Company, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_mentions import ours, settled
from tests.bot.slack.test_private import whispered
from tests.playground.conftest import Driver, until

ASKED = "<@footnote> What does a loan need?"
TURNED = "I have not taken this one"


@pytest.fixture
async def strict(company: Company, running: Running) -> AsyncIterator[Bot]:
    """A bot that takes one question a minute of each person."""
    async with socket_bot(company, running, fair=FairUse(person_minute=1)) as made:
        yield made


async def _asked_twice(driver: Driver) -> str:
    """Alice's first question is answered; the thread of her second one."""
    first = await driver.post("say", user="alice", channel="general", text=ASKED)
    await replies(driver, "general", "alice", first["ts"])
    second = await driver.post("say", user="alice", channel="general", text=ASKED)
    return str(second["ts"])


async def test_one_too_many_is_told_to_its_asker_alone(strict: Bot, driver: Driver) -> None:
    thread = await _asked_twice(driver)
    (told,) = await whispered(driver, "general", "alice")
    assert TURNED in shown(told)
    assert "seconds" in shown(told)
    third = await driver.post("say", user="alice", channel="general", text=ASKED)
    await settled(driver)
    assert len(await whispered(driver, "general", "alice")) == 1
    for ts in (thread, third["ts"]):
        assert await ours(driver, "general", "bob", ts) == []
    theirs = await driver.post("say", user="bob", channel="general", text=ASKED)
    (answer,) = await replies(driver, "general", "bob", theirs["ts"])
    assert QUOTE in shown(answer)
    assert len(strict.pipeline.runs) == 2


async def test_in_a_direct_message_the_notice_is_an_ordinary_reply(
    strict: Bot, driver: Driver
) -> None:
    first = await driver.post("say", user="alice", channel="dm", text="What does a loan need?")
    await replies(driver, "dm", "alice", first["ts"])
    second = await driver.post("say", user="alice", channel="dm", text="什么时候归还设备？")
    (told,) = await replies(driver, "dm", "alice", second["ts"])
    assert "没有受理" in shown(told)
    assert len(strict.pipeline.runs) == 1


async def test_a_command_is_answered_where_it_was_typed(strict: Bot, driver: Driver) -> None:
    for _ in range(2):
        await driver.post(
            "command", user="alice", channel="general", command="ask", text="What does a loan need?"
        )
    await replies(driver, "dm", "alice", "")

    async def turned() -> bool:
        told = [shown(one) for one in await whispered(driver, "general", "alice")]
        return any(TURNED in one for one in told)

    await until(turned, seconds=10.0)
    assert len(await ours(driver, "dm", "alice")) == 1
    assert len(strict.pipeline.runs) == 1


async def test_an_answer_to_our_question_back_is_always_taken(strict: Bot, driver: Driver) -> None:
    said = await driver.post(
        "say", user="alice", channel="general", text="<@footnote> What does that one need?"
    )
    await replies(driver, "general", "alice", said["ts"])
    await driver.post(
        "say", user="alice", channel="general", text="The camera", thread_ts=said["ts"]
    )
    answers = await replies(driver, "general", "alice", said["ts"], count=2)
    assert QUOTE in shown(answers[-1])
    assert len(strict.pipeline.runs) == 2


async def test_changed_words_are_a_question_too(strict: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    (before,) = await replies(driver, "general", "alice", said["ts"])

    async def ended() -> bool:
        return not await strict.parts.record.tasks.unfinished(tenant=strict.parts.tenant)

    await until(ended)
    changed = "<@footnote> What does a bicycle need?"
    await driver.post("edit", user="alice", channel="general", ts=said["ts"], text=changed)
    (told,) = await whispered(driver, "general", "alice")
    assert TURNED in shown(told)
    (after,) = await ours(driver, "general", "alice", said["ts"])
    assert shown(after) == shown(before)
    assert len(strict.pipeline.runs) == 1
