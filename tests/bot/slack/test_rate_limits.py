"""Slack asks to wait: it is obeyed for everybody, and what takes too long ends visibly."""

import asyncio
import time
from itertools import pairwise

import pytest

from bot.errors import SlackRefused
from bot.playground import Running
from bot.slack.client import open_client, write
from tests.bot.slack.conftest import Bot, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.playground.conftest import GENERAL, Driver, Json

ASKED = "<@footnote> What does a loan need?"


async def limit(driver: Driver, method: str, header: str, times: int = 1) -> None:
    await driver.post(
        "faults", method=method, kind="status", status=429, retry_after=header, times=times
    )


async def calls(driver: Driver, method: str) -> list[Json]:
    return list((await driver.get("calls", method=method))["calls"])


@pytest.mark.parametrize(
    ("method", "header"),
    [("chat.postMessage", "0"), ("chat.postMessage", "2"), ("chat.update", "soon")],
)
async def test_a_short_wait_ends_in_the_answer(
    bot: Bot, driver: Driver, method: str, header: str
) -> None:
    await limit(driver, method, header)
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answers = await replies(driver, "general", "alice", said["ts"])
    assert QUOTE in shown(answers[0])
    first, second = (await calls(driver, method))[:2]
    assert second["at"] - first["at"] >= (1.95 if header == "2" else 0.95)
    assert len(bot.pipeline.runs) == 1


async def test_everybody_waits_and_nobody_storms(running: Running, driver: Driver) -> None:
    await limit(driver, "chat.postMessage", "2")
    url = running.api_url
    async with open_client(token="xoxb-playground", base_url=url, post_gap=0.0) as client:

        async def post(number: int) -> None:
            await asyncio.sleep(0.2 if number else 0.0)
            channel = GENERAL if number % 2 else "C0PARTNERS1"
            await write(client, "chat.postMessage", channel=channel, text=str(number))

        await asyncio.gather(*[post(number) for number in range(5)])
    at = [call["at"] for call in await calls(driver, "chat.postMessage")]
    assert len(at) == 6
    assert at[1] - at[0] >= 1.95
    assert all(later - earlier > 0.8 for earlier, later in pairwise(at))


async def test_one_message_a_second_a_channel(running: Running, driver: Driver) -> None:
    async with open_client(token="xoxb-playground", base_url=running.api_url) as client:
        posts = [
            write(client, "chat.postMessage", channel=GENERAL, text=str(number))
            for number in range(4)
        ]
        await asyncio.gather(*posts)
    at = [call["at"] for call in await calls(driver, "chat.postMessage")]
    assert all(later - earlier > 0.8 for earlier, later in pairwise(at))


async def test_a_wait_of_a_day_is_refused_at_once(running: Running, driver: Driver) -> None:
    await limit(driver, "chat.postMessage", "86400")
    began = time.monotonic()
    async with open_client(token="xoxb-playground", base_url=running.api_url) as client:
        for _try in range(3):
            with pytest.raises(SlackRefused, match="ratelimited"):
                await write(client, "chat.postMessage", channel=GENERAL, text="late")
    assert time.monotonic() - began < 5.0
    assert len(await calls(driver, "chat.postMessage")) == 1


async def test_a_workspace_that_is_limited_holds_up_no_other(
    running: Running, driver: Driver
) -> None:
    await limit(driver, "chat.postMessage", "86400")
    url = running.api_url
    async with (
        open_client(token="xoxb-playground", base_url=url) as limited,
        open_client(token="xoxb-playground", base_url=url) as other,
    ):
        with pytest.raises(SlackRefused, match="ratelimited"):
            await write(limited, "chat.postMessage", channel=GENERAL, text="late")
        assert (await write(other, "chat.postMessage", channel=GENERAL, text="in time"))["ok"]
        with pytest.raises(SlackRefused, match="ratelimited"):
            await write(limited, "chat.postMessage", channel=GENERAL, text="late")
    assert len(await calls(driver, "chat.postMessage")) == 2
