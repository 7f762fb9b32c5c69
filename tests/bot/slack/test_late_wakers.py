"""Who stood still and wakes when the task is another's pays nobody and takes nothing back."""

from collections.abc import AsyncIterator

import pytest

from bot.delivery import Progress
from bot.playground import Running
from rag.errors import LeaseLost
from tests.bot.slack.conftest import Bot, Company, parts_of
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
