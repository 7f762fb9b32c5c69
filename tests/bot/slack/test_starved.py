"""The machine gives the bot nothing any more: as bad as a kill, and no worse."""

import asyncio
import contextlib
import resource
from asyncio.subprocess import Process

import pytest

from bot.playground import Running
from tests.bot.slack.conftest import Company, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_kills import ASKED, bot_process
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, until

Squeezed = dict[int, tuple[int, int]]

WANTS = {
    "no file handles": {resource.RLIMIT_NOFILE: 3},
    "no memory": {resource.RLIMIT_AS: 4096, resource.RLIMIT_DATA: 4096},
}


def squeeze(process: Process, limits: dict[int, int]) -> Squeezed:
    """Allow the running process no more than this; what it was allowed before."""
    before = {kind: resource.prlimit(process.pid, kind) for kind in limits}
    for kind, most in limits.items():
        resource.prlimit(process.pid, kind, (most, before[kind][1]))
    return before


@pytest.mark.parametrize("want", WANTS)
async def test_killed_after_it_starved(
    company: Company, running: Running, driver: Driver, want: str
) -> None:
    async with bot_process(company, running) as process:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await until(lambda: ours(driver, "general", "alice", said["ts"]))
        squeeze(process, WANTS[want])
        other = await driver.post("say", user="bob", channel="general", text=ASKED)
        await asyncio.sleep(3.0)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    async with bot_process(company, running):
        for person, thread in (("alice", said["ts"]), ("bob", other["ts"])):
            answers = await replies(driver, "general", person, thread)
            assert QUOTE in shown(answers[0])
        await settled(driver)
        for person, thread in (("alice", said["ts"]), ("bob", other["ts"])):
            assert len(await ours(driver, "general", person, thread)) == 1


async def test_file_handles_that_come_back(
    company: Company, running: Running, driver: Driver
) -> None:
    async with bot_process(company, running) as process:
        before = squeeze(process, WANTS["no file handles"])
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await asyncio.sleep(2.0)
        for kind, limits in before.items():
            resource.prlimit(process.pid, kind, limits)
        answers = await replies(driver, "general", "alice", said["ts"])
        assert QUOTE in shown(answers[0])
        await settled(driver)
        assert len(await ours(driver, "general", "alice", said["ts"])) == 1
