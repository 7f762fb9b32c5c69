"""The bot is killed at some instant and started again: one question, one reply."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from bot.playground import Running
from bot.queue.engine import system_url
from tests.bot.slack.conftest import POSTGRESQL, SQLITE, Company, on_both, replies, shown
from tests.bot.slack.queue_rows import execute
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, Json, until

ASKED = "<@footnote> What does a loan need? Be slow."
Moment = Callable[[Driver, str], Awaitable[None]]


@asynccontextmanager
async def bot_process(
    company: Company, running: Running, *more: str, part: str = "both"
) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bot.slack.process"),
        *(running.api_url, str(company.folder), part, company.given, *more),
        stdout=PIPE,
    )
    assert process.stdout is not None
    assert (await asyncio.wait_for(process.stdout.readline(), 20)).startswith(b"ready")
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(process.wait(), 20)


def after(seconds: float) -> Moment:
    async def moment(_driver: Driver, _thread: str) -> None:
        await asyncio.sleep(seconds)

    return moment


async def once_posted(driver: Driver, _thread: str) -> None:
    """Slack has taken the message, but the answer to the call was cut: nobody knows."""

    async def posted() -> bool:
        return bool((await driver.get("calls", method="chat.postMessage"))["calls"])

    await until(posted, seconds=10.0)


async def once_answered(driver: Driver, thread: str) -> None:
    async def answered() -> bool:
        found = await ours(driver, "general", "alice", thread)
        return any(QUOTE in shown(message) for message in found)

    await until(answered, seconds=10.0)


MOMENTS = {
    "at once": after(0.0),
    "before the placeholder": after(0.25),
    "around the placeholder": after(0.5),
    "between two stages": after(1.5),
    "once posted, unknown to us": once_posted,
    "once answered": once_answered,
}


RUNS = [
    *((SQLITE, when) for when in MOMENTS),
    *((POSTGRESQL, when) for when in ("around the placeholder", "once posted, unknown to us")),
]


@pytest.mark.parametrize(("company_url", "when"), RUNS, indirect=["company_url"])
async def test_killed_and_started_again(
    company: Company, running: Running, driver: Driver, when: str
) -> None:
    if when == "once posted, unknown to us":
        await driver.post("faults", method="chat.postMessage", kind="cut")
    async with bot_process(company, running) as process:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await MOMENTS[when](driver, said["ts"])
        process.kill()
        await process.wait()
    async with bot_process(company, running):
        answers = await replies(driver, "general", "alice", said["ts"])
        await settled(driver)
        assert len(await ours(driver, "general", "alice", said["ts"])) == 1
    assert QUOTE in shown(answers[0])


@on_both
async def test_a_survivor_takes_over(company: Company, running: Running, driver: Driver) -> None:
    async with bot_process(company, running) as first, bot_process(company, running) as second:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await asyncio.sleep(1.5)
        owner(company, first, second).kill()
        await replies(driver, "general", "alice", said["ts"])
        await settled(driver)
        assert len(await ours(driver, "general", "alice", said["ts"])) == 1


def begun(company: Company, job: str = "%") -> str | None:
    """The slot of whoever does a job whose id ends so."""
    query = f"""SELECT executor_id FROM workflow_status
        WHERE status = 'PENDING' AND workflow_uuid LIKE '{job}' LIMIT 1"""  # noqa: S608 - our own word
    rows = execute(system_url(company.url, company.folder), query)
    return str(rows[0][0]) if rows else None


def owner(company: Company, first: Process, second: Process, *, job: str = "%") -> Process:
    """The process that works on the question, by the slot it holds."""
    slot = begun(company, job)
    assert slot is not None
    pid = int((company.folder / slot).read_text())
    return {first.pid: first, second.pid: second}[pid]


async def test_stopped_while_working(company: Company, running: Running, driver: Driver) -> None:
    async with bot_process(company, running) as process:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await asyncio.sleep(1.0)
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), 20)
    async with bot_process(company, running):
        await replies(driver, "general", "alice", said["ts"])
        await settled(driver)
        assert len(await ours(driver, "general", "alice", said["ts"])) == 1


@on_both
async def test_a_question_that_kills_every_worker_is_given_up_visibly(
    company: Company, running: Running, driver: Driver
) -> None:
    said: Json = {}
    deaths = 0
    while deaths < 10:
        async with bot_process(company, running) as process:
            if not said:
                text = "<@footnote> What is poison?"
                said = await driver.post("say", user="alice", channel="general", text=text)
            try:
                await asyncio.wait_for(process.wait(), 6)
            except TimeoutError:
                answers = await replies(driver, "general", "alice", said["ts"])
                break
            deaths += 1
    assert deaths == 3
    assert len(answers) == 1
    assert QUOTE not in shown(answers[0])


async def test_listening_and_working_apart(
    company: Company, running: Running, driver: Driver
) -> None:
    async with bot_process(company, running, part="listen"):
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await settled(driver)
        assert await ours(driver, "general", "alice", said["ts"]) == []
    # What was taken in waits for whoever works, now or later.
    async with bot_process(company, running, part="work"):
        answers = await replies(driver, "general", "alice", said["ts"])
    assert QUOTE in shown(answers[0])
