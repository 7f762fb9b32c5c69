"""An answer takes its place in the task's message: asked before each try, refused in words."""

from datetime import UTC, datetime

import pytest

from bot.delivery import ANSWER, SlackPublisher
from bot.playground import Running
from bot.posts.looking import Spot
from bot.slack.client import anyway
from handlers.blocks.progress import progress
from rag.errors import LimitExceeded
from rag.values import Answer, Place, Request, Status
from tests.bot.slack.conftest import Bot, Company, parts_of
from tests.bot.slack.scripted import made
from tests.playground.conftest import GENERAL, Driver


async def test_an_answer_that_is_too_long_however_it_is_built_is_no_outage(
    company: Company, running: Running, driver: Driver
) -> None:
    request = _question()
    async with parts_of(company, running) as bot:
        publisher = await _publisher(company, bot, request)
        await driver.post(
            "faults", method="chat.update", kind="error", error="msg_too_long", times=3
        )
        report = made(request, Answer(status=Status.INSUFFICIENT))
        with pytest.raises(LimitExceeded):
            await publisher.publish(request, report, sure=anyway)


async def test_each_try_to_show_an_answer_asks_whether_it_may_be_shown(
    company: Company, running: Running, driver: Driver
) -> None:
    request, asked = _question(), 0

    async def sure() -> None:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise PermissionError

    async with parts_of(company, running) as bot:
        publisher = await _publisher(company, bot, request)
        await driver.post(
            "faults", method="chat.update", kind="error", error="fatal_error", times=1
        )
        report = made(request, Answer(status=Status.INSUFFICIENT))
        with pytest.raises(PermissionError):
            await publisher.publish(request, report, sure=sure)
    assert asked == 2


async def _publisher(company: Company, bot: Bot, request: Request) -> SlackPublisher:
    """A publisher for a task whose message stands."""
    await company.record.tasks.enqueue(request)
    held = await company.record.checkpoints.open(request)
    spot = Spot(tenant="demo", task="t1", kind=ANSWER, channel=GENERAL)
    await bot.parts.poster.ensure(spot, progress("publish", language="en"))
    return SlackPublisher(
        bot.parts.poster,
        held,
        tasks=company.record.tasks,
        deliveries=company.record.deliveries,
        checkpoints=company.record.checkpoints,
        sources=company.record.sources,
        shown=company.record.shown,
    )


def _question() -> Request:
    return Request(
        task="t1",
        tenant="demo",
        principal="slack:T0PLAYGROUND:U0ALICE0001",
        question="What?",
        place=Place(channel=GENERAL),
        asked_at=datetime.now(UTC),
    )
