"""What takes the place of the answer to old words, and when that comes too late."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from bot.delivery import ANSWER, SlackPublisher
from bot.playground import Running
from bot.posts.looking import Spot
from bot.questions.instead import show_instead
from handlers.blocks import notes
from handlers.blocks.progress import progress
from rag.errors import LeaseLost
from rag.values import Place, Published, Request
from tests.bot.slack.conftest import TENANT, Bot, Company, finished, parts_of
from tests.playground.conftest import GENERAL, Driver

WORKING = progress("authorize", language="en")
SPOT = Spot(tenant=TENANT, task="t2", kind=ANSWER, channel=GENERAL)
REQUEST = Request(
    task="t2",
    tenant=TENANT,
    principal="slack:T0PLAYGROUND:U0ALICE0001",
    question="A bond?",
    place=Place(channel=GENERAL),
    asked_at=datetime.now(UTC),
)


@pytest.fixture
async def bot(company: Company, running: Running) -> AsyncIterator[Bot]:
    async with parts_of(company, running) as made:
        await made.parts.record.tasks.enqueue(REQUEST)
        yield made


async def _answered(bot: Bot) -> str:
    """The message that shows the old words' answer."""
    old = SPOT.model_copy(update={"task": "t1"})
    note = notes.refused(language="en")
    return await bot.parts.poster.say_once(old, note, since=datetime.now(UTC))


async def _is_finished(driver: Driver) -> bool:
    (message,) = await driver.messages("general", "alice")
    return finished(message)


async def test_the_old_answer_gives_way(bot: Bot, driver: Driver) -> None:
    await show_instead(bot.parts, SPOT, await _answered(bot), WORKING)
    assert not await _is_finished(driver)


async def test_not_once_others_answer_the_new_words(bot: Bot, driver: Driver) -> None:
    ts = await _answered(bot)
    await bot.parts.record.checkpoints.open(REQUEST)
    await show_instead(bot.parts, SPOT, ts, WORKING)
    assert await _is_finished(driver)


async def test_not_once_it_was_taken_back(bot: Bot, driver: Driver) -> None:
    ts = await _answered(bot)
    await bot.parts.record.tasks.cancel(tenant=TENANT, task="t2")
    await show_instead(bot.parts, SPOT, ts, WORKING)
    assert await _is_finished(driver)


async def test_a_neutral_note_stands_whatever_was_taken_back(bot: Bot, driver: Driver) -> None:
    ts = await _answered(bot)
    await bot.parts.record.tasks.cancel(tenant=TENANT, task="t2")
    neutral = notes.room_neutral(privately_sent=True, language="en")
    await show_instead(bot.parts, SPOT, ts, neutral)
    (message,) = await driver.messages("general", "alice")
    assert message["text"] == neutral.text


async def test_who_answered_the_old_words_takes_nothing_back_once_the_new_ones_stand_there(
    bot: Bot, driver: Driver
) -> None:
    """Its rights failed while it stood still; the message is another's when it wakes."""
    record, poster = bot.parts.record, bot.parts.poster
    lease = await record.checkpoints.open(REQUEST)
    ts = await poster.ensure(SPOT, WORKING)
    await record.tasks.cancel(tenant=TENANT, task="t2")
    again = SPOT.model_copy(update={"task": "t2.0123456789ab"})
    await record.tasks.enqueue(REQUEST.model_copy(update={"task": again.task}))
    await poster.take_over(again, ts, notes.refused(language="en"))
    publisher = SlackPublisher(
        poster,
        lease,
        tasks=record.tasks,
        deliveries=record.deliveries,
        checkpoints=record.checkpoints,
        sources=record.sources,
        shown=record.shown,
    )
    with pytest.raises(LeaseLost):
        await publisher.withdraw(REQUEST, Published(where=f"{GENERAL}:{ts}"))
    (message,) = await driver.messages("general", "alice")
    assert message["text"] == notes.refused(language="en").text
