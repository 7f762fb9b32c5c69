"""Jobs under a name that is no slot of ours are worked in the end; whoever lives keeps theirs."""

import asyncio
from contextlib import ExitStack

from bot.playground import Running
from bot.queue.engine import system_url
from bot.worker import working
from tests.bot.slack.conftest import Company, http_door, on_both, replies, shown
from tests.bot.slack.queue_rows import execute
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.signing import mention, send
from tests.bot.slack.test_mentions import ours
from tests.playground.conftest import Driver

STRANGER = "5bd1e995.slot-1"
ASKED = "<@footnote> What does a loan need?"


@on_both
async def test_jobs_of_a_worker_nobody_knows_are_worked_in_the_end(
    company: Company, running: Running, driver: Driver
) -> None:
    queue_url = system_url(company.url, company.folder)
    with ExitStack() as stack:
        living = stack.enter_context(company.slots.leased())  # as a version that does not beat
        async with http_door(company, running) as (bot, url):
            theirs = await _begun_by(living.name, queue_url, url, driver)
            gone = await _begun_by(STRANGER, queue_url, url, driver)
            async with working(
                bot.parts, url=queue_url, slots=company.slots, concurrency=2, stranger_seconds=1.0
            ):
                (answer,) = await replies(driver, "general", "alice", gone)
                assert QUOTE in shown(answer)
                await asyncio.sleep(2.5)  # by now the other's would have been taken too
                assert await ours(driver, "general", "alice", theirs) == []
                await asyncio.to_thread(stack.close)
                (answer,) = await replies(driver, "general", "alice", theirs)
                assert QUOTE in shown(answer)


async def _begun_by(worker: str, queue_url: str, url: str, driver: Driver) -> str:
    """A question whose job a worker of that name has begun; its thread."""
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    assert await send(url, mention("What does a loan need?", ts=said["ts"])) == 200
    took = (
        f"UPDATE workflow_status SET status = 'PENDING', executor_id = '{worker}', "  # noqa: S608 - our own word
        "recovery_attempts = 1 WHERE status = 'ENQUEUED'"
    )
    execute(queue_url, took)
    return str(said["ts"])
