"""A worker that is stopped past its lease and wakes: what it believes to be its own is not."""

import asyncio
import signal
from asyncio.subprocess import Process

from bot.playground import Running
from tests.bot.slack.conftest import TENANT, Company, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_kills import ASKED, begun, bot_process, owner
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, Json, until


async def _holder(company: Company, first: Process, second: Process) -> Process:
    """Whoever has taken the question up, once somebody has."""

    async def is_taken_up() -> bool:
        return await _leases(company) == [1] and begun(company, "%.answer") is not None

    await until(is_taken_up, seconds=20.0)
    return owner(company, first, second, job="%.answer")


async def _leases(company: Company) -> list[int]:
    """How often each question was taken up, the oldest question first."""
    tasks = await company.record.tasks.list(tenant=TENANT)
    return [task.lease for task in reversed(tasks)]


async def test_a_worker_that_wakes_shows_nothing_of_what_others_have_done(
    company: Company, running: Running, driver: Driver
) -> None:
    async with bot_process(company, running) as first, bot_process(company, running) as second:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        holder = await _holder(company, first, second)
        holder.send_signal(signal.SIGSTOP)
        try:
            answers = await replies(driver, "general", "alice", said["ts"])
            assert QUOTE in shown(answers[0])
            assert await _leases(company) == [2]
            before = await _updates(driver)
        finally:
            holder.send_signal(signal.SIGCONT)
        await asyncio.sleep(4.0)  # time enough for the rest of the three seconds of its pipeline
        await settled(driver)
        assert await ours(driver, "general", "alice", said["ts"]) == answers
        assert await _updates(driver) == before
        assert await _leases(company) == [2]


async def _updates(driver: Driver) -> list[Json]:
    """Every change of a message so far."""
    return list((await driver.get("calls", method="chat.update"))["calls"])


async def test_a_worker_told_to_stop_gives_back_what_it_cannot_finish(
    company: Company, running: Running, driver: Driver
) -> None:
    async with bot_process(company, running) as first, bot_process(company, running) as second:
        text = "<@footnote> What does a loan need? It may be endless."
        await driver.post("say", user="alice", channel="general", text=text)
        holder = await _holder(company, first, second)
        holder.send_signal(signal.SIGTERM)
        quick = await driver.post("say", user="bob", channel="general", text="<@footnote> A loan?")
        answers = await replies(driver, "general", "bob", quick["ts"])
        assert QUOTE in shown(answers[0])
        await asyncio.wait_for(holder.wait(), 20)

        async def taken_over() -> bool:
            return (await _leases(company))[0] == 2

        await until(taken_over, seconds=10.0)
        (first if holder is second else second).kill()
