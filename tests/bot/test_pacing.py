"""Waiting as Slack asks, once for everybody, and never a storm afterwards."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.errors import SlackRefused
from bot.slack.pacing import RATE_LIMITED, Pace, seconds_to_wait

POST, UPDATE = "chat.postMessage", "chat.update"


class Time:
    """A clock that sleeping moves on; whoever sleeps shortest goes first."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        wake = self.now + seconds
        await asyncio.sleep(seconds / 1_000)  # keeps the order of many sleepers
        self.now = max(self.now, wake)


@pytest.fixture
def time() -> Time:
    return Time()


def paced(time: Time, **given: float) -> Pace:
    return Pace(clock=time, sleep=time.sleep, **given)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 1.0),
        ("2", 2.0),
        ("86400", 86_400.0),
        ("-1", 1.0),
        ("soon", 1.0),
        ("nan", 1.0),
        ("inf", 86_400.0),
        ("1e99", 86_400.0),
        ("", 1.0),
        (None, 1.0),
        ("Mon, 30 Nov 2026 10:00:20 GMT", 20.0),
        ("Mon, 30 Nov 2026 09:00:00 GMT", 1.0),
    ],
)
def test_what_slack_asks_to_wait(header: str | None, seconds: float) -> None:
    now = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
    assert seconds_to_wait(header, now=lambda: now) == seconds


async def test_a_limited_method_is_shut_for_everybody_and_others_are_not(time: Time) -> None:
    pace = paced(time)
    pace.limited(UPDATE, 20.0)
    await pace.turn(POST, "C1", patience=0.0)
    await pace.turn("users.info", "", patience=0.0)
    assert time.now == 0.0
    await pace.turn(UPDATE, "C1", patience=30.0)
    assert time.now == 20.0


async def test_whoever_cannot_wait_so_long_is_refused_at_once(time: Time) -> None:
    pace = paced(time)
    pace.limited(POST, 86_400.0)
    with pytest.raises(SlackRefused) as caught:
        await pace.turn(POST, "C1", patience=30.0)
    assert caught.value.code == RATE_LIMITED
    assert time.now == 0.0


async def test_those_who_waited_come_one_a_second(time: Time) -> None:
    pace = paced(time)
    pace.limited(UPDATE, 5.0)
    passed: list[float] = []

    async def call() -> None:
        await pace.turn(UPDATE, "C1", patience=1_000.0)
        passed.append(time.now)

    await asyncio.gather(*[call() for _ in range(10)])
    assert passed == [5.0 + number for number in range(10)]


async def test_a_quiet_while_later_nobody_waits(time: Time) -> None:
    pace = paced(time)
    pace.limited(UPDATE, 5.0)
    time.now = 40.0
    for _ in range(10):
        await pace.turn(UPDATE, "C1", patience=0.0)
    assert time.now == 40.0


async def test_one_post_a_second_a_channel(time: Time) -> None:
    pace = paced(time)
    passed: list[tuple[str, float]] = []
    for channel in ("C1", "C2", "C1", "C1", "C2"):
        await pace.turn(POST, channel, patience=10.0)
        passed.append((channel, time.now))
    assert passed == [("C1", 0.0), ("C2", 0.0), ("C1", 1.0), ("C1", 2.0), ("C2", 2.0)]
    await pace.turn(UPDATE, "C1", patience=0.0)


async def test_an_update_of_progress_never_waits(time: Time) -> None:
    pace = paced(time)
    pace.limited(UPDATE, 1.0)
    with pytest.raises(SlackRefused):
        await pace.turn(UPDATE, "C1", patience=0.0)
