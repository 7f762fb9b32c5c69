"""Who stood still and wakes when the task is another's pays nobody and takes nothing back."""

from collections.abc import AsyncIterator

import pytest

from bot.delivery import Progress
from bot.playground import Running
from bot.posts.posting import Poster
from bot.questions.answering import conclude, taken_over
from handlers.blocks import notes
from rag.errors import LeaseLost
from tests.bot.slack.conftest import Bot, Company, finished, parts_of
from tests.bot.slack.test_watchdog import staged
from tests.playground.conftest import Driver


@pytest.fixture
async def bot(company: Company, running: Running) -> AsyncIterator[Bot]:
    async with parts_of(company, running) as made:
        yield made


async def test_the_reader_is_not_asked_by_who_stood_still_within_a_stage(
    bot: Bot, driver: Driver
) -> None:
    parts = (await staged(bot, driver)).parts
    stored = await parts.record.tasks.get(tenant=parts.tenant, task="t1")
    lease, now = await parts.record.checkpoints.open(stored.request), 0.0
    observer = Progress(
        parts.poster,
        lease,
        deliveries=parts.record.deliveries,
        tasks=parts.record.tasks,
        checkpoints=parts.record.checkpoints,
        clock=lambda: now,
    )
    await observer.entering(stored.request, "ground", 1)
    await observer.asking(stored.request)
    now = 60.0
    await observer.asking(stored.request)
    now = 120.0
    await parts.record.checkpoints.open(stored.request)
    with pytest.raises(LeaseLost):
        await observer.asking(stored.request)


async def test_who_takes_a_task_up_says_not_that_work_goes_on_where_an_end_stands(
    bot: Bot, driver: Driver
) -> None:
    scene = await staged(bot, driver)
    parts = scene.parts
    stored = await parts.record.tasks.get(tenant=parts.tenant, task="t1")
    dead = await taken_over(parts, stored)
    await conclude(parts, dead, notes.refused(language="en"))  # and it dies before it is recorded
    now = [0.0]
    observer = Progress(
        Poster(parts.client, parts.installation, parts.record.deliveries),  # another process's
        await parts.record.checkpoints.open(stored.request),
        deliveries=parts.record.deliveries,
        tasks=parts.record.tasks,
        checkpoints=parts.record.checkpoints,
        clock=lambda: now[0],
    )
    now[0] = 5.0
    await observer.entering(stored.request, "index", 1)
    (message,) = await driver.messages("general", "alice", scene.ts)
    assert finished(message)
