"""Injected faults, as a client meets them."""

import time

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.playground.conftest import GENERAL, Driver, refusal


async def send(client: AsyncWebClient, text: str) -> None:
    await client.chat_postMessage(channel=GENERAL, text=text)


async def texts(driver: Driver) -> list[str]:
    return [row["text"] for row in await driver.messages("general", "alice")]


async def test_a_status_strikes_the_nth_call_only(driver: Driver, client: AsyncWebClient) -> None:
    wanted = {"method": "chat.postMessage", "nth": 2, "kind": "status"}
    await driver.post("faults", **wanted, status=429, seconds=7)
    await send(client, "one")
    with pytest.raises(SlackApiError) as caught:
        await send(client, "two")
    assert caught.value.response.status_code == 429
    assert caught.value.response.headers["Retry-After"] == "7"
    await send(client, "three")
    assert await texts(driver) == ["one", "three"]
    calls = (await driver.get("calls", method="chat.postMessage"))["calls"]
    assert [call["response"].get("status") for call in calls] == [None, 429, None]


async def test_cut_performs_and_says_nothing(driver: Driver, client: AsyncWebClient) -> None:
    await driver.post("faults", method="chat.postMessage", nth=1, kind="cut")
    with pytest.raises(aiohttp.ClientError):
        await send(client, "done all the same")
    assert await texts(driver) == ["done all the same"]


async def test_cut_before_performs_nothing(driver: Driver, client: AsyncWebClient) -> None:
    await driver.post("faults", method="chat.postMessage", nth=1, kind="cut_before", times=2)
    for text in ("a", "b"):
        with pytest.raises(aiohttp.ClientError):
            await send(client, text)
    await send(client, "c")
    assert await texts(driver) == ["c"]


async def test_delay_waits_then_performs(driver: Driver, client: AsyncWebClient) -> None:
    await driver.post("faults", method="*", nth=1, kind="delay", seconds=0.3)
    before = time.monotonic()
    await send(client, "slow")
    assert time.monotonic() - before >= 0.3
    assert await texts(driver) == ["slow"]


async def test_an_error_is_answered_in_slacks_way(driver: Driver, client: AsyncWebClient) -> None:
    await driver.post("faults", method="chat.postMessage", kind="error", error="invalid_blocks")
    assert await refusal(client.chat_postMessage(channel=GENERAL, text="x")) == "invalid_blocks"


async def test_unknown_kinds_are_refused_and_faults_are_cleared(driver: Driver) -> None:
    unknown = await driver.post("faults", method="chat.postMessage", kind="meteor")
    assert unknown["error"] == "invalid_arguments"
    await driver.post("faults", method="chat.postMessage", kind="cut")
    assert (await driver.post("faults/clear"))["cleared"] == 1
