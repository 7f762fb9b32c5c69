"""Two workers that post the same message at once leave one of the two standing."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.posts.posting import Poster
from bot.record import Delivery
from bot.slack.client import whoami
from tests.bot.slack.conftest import Company
from tests.bot.slack.test_unsure import RENDERED, SPOT, Desk, desk, standing
from tests.playground.conftest import GENERAL, Driver

__all__ = ["desk"]

NAMED = {"tenant": SPOT.tenant, "task": SPOT.task, "kind": SPOT.kind}


async def posted_twice(desk: Desk) -> list[str]:
    """By whoever did not see the other's."""
    unseen = datetime.now(UTC) + timedelta(days=1)
    return [await desk.poster.say_once(SPOT, RENDERED, since=unseen) for _ in range(2)]


async def intended(company: Company) -> Delivery:
    await company.record.deliveries.intend(**NAMED, channel=GENERAL, thread="")
    found = await company.record.deliveries.get(**NAMED)
    assert found is not None
    return found


async def test_of_two_that_nobody_recorded_the_first_stays_and_is_recorded(
    desk: Desk, company: Company, driver: Driver
) -> None:
    await intended(company)
    first, _second = await posted_twice(desk)
    assert await desk.poster.ensure(SPOT, RENDERED) == first
    assert [message["ts"] for message in await standing(driver)] == [first]


async def test_of_two_the_recorded_one_stays(desk: Desk, company: Company, driver: Driver) -> None:
    before = await intended(company)
    _first, second = await posted_twice(desk)
    await company.record.deliveries.placed(**NAMED, ts=second)
    assert await desk.poster.where(before) == second
    assert [message["ts"] for message in await standing(driver)] == [second]


@pytest.mark.parametrize("seconds", [-600, 10])
async def test_two_that_say_a_fixed_reply_at_once_leave_one(
    desk: Desk, company: Company, driver: Driver, seconds: int
) -> None:
    installation = await whoami(desk.client)
    other = Poster(desk.client, installation, company.record.deliveries)
    since = datetime.now(UTC) - timedelta(seconds=seconds)
    said = [poster.say_once(SPOT, RENDERED, since=since) for poster in (desk.poster, other)]
    first, second = await asyncio.gather(*said)
    assert first == second
    assert [message["ts"] for message in await standing(driver)] == [first]
