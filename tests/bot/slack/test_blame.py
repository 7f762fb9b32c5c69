"""Who is blamed for a worker's death: each job's count of tries."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.playground import Running
from bot.questions.answering import on_answer, taken_up
from bot.questions.asking import Brief, answer_job
from bot.queue.durable import Queue
from bot.queue.engine import system_url
from bot.worker import working
from tests.bot.slack.conftest import TENANT, Company, http_door, on_both, parts_of, replies
from tests.bot.slack.queue_rows import execute
from tests.bot.slack.signing import mention, send
from tests.bot.slack.test_queue import JOB
from tests.bot.slack.test_watchdog import staged
from tests.playground.conftest import Driver, until

_SEEN = "SELECT status, recovery_attempts FROM workflow_status"


async def _begun(queue: Queue, url: str, *, tries: int) -> None:
    await queue.put(JOB)
    execute(url, "UPDATE workflow_status SET status = 'PENDING', executor_id = 'stopped'")
    execute(url, f"UPDATE workflow_status SET recovery_attempts = {tries}")  # noqa: S608 - a number


async def test_a_worker_that_is_stopped_blames_nobody(queue: Queue, queue_url: str) -> None:
    await _begun(queue, queue_url, tries=2)
    assert await asyncio.to_thread(queue.hand_back, "other") == 0
    assert await asyncio.to_thread(queue.hand_back, "stopped") == 1
    assert execute(queue_url, _SEEN) == [("ENQUEUED", 1)]


async def test_a_job_that_moved_on_is_suspected_of_no_death_before(
    queue: Queue, queue_url: str
) -> None:
    await _begun(queue, queue_url, tries=3)
    await queue.moved_on("another")
    assert execute(queue_url, _SEEN) == [("PENDING", 3)]
    await queue.moved_on(JOB.id)
    assert execute(queue_url, _SEEN) == [("PENDING", 1)]


@on_both
async def test_who_takes_a_dead_workers_place_blames_as_any_other_would(
    company: Company, running: Running, driver: Driver
) -> None:
    queue_url = system_url(company.url, company.folder)
    answering = "FROM workflow_status WHERE workflow_uuid LIKE '%.answer'"
    async with http_door(company, running) as (bot, url):
        said = await driver.post("say", user="alice", channel="general", text="<@footnote> Loans?")
        assert await send(url, mention("Loans?", ts=said["ts"])) == 200
        async with working(bot.parts, url=queue_url, slots=company.slots, concurrency=2) as lease:
            await replies(driver, "general", "alice", said["ts"])

            async def ended() -> bool:
                rows = await asyncio.to_thread(execute, queue_url, f"SELECT status {answering}")
                return rows == [("SUCCESS",)]

            await until(ended, seconds=10.0)
        died = f"status = 'PENDING', executor_id = '{lease.name}', recovery_attempts = 2"
        execute(
            queue_url,
            f"UPDATE workflow_status SET {died} WHERE workflow_uuid LIKE '%.answer'",  # noqa: S608 - our own words
        )
        async with working(bot.parts, url=queue_url, slots=company.slots, concurrency=2) as again:
            assert again.name == lease.name
            await until(ended, seconds=10.0)
        ((line,),) = execute(queue_url, f"SELECT queue_partition_key {answering}")
        assert str(line).endswith("suspects")


@pytest.mark.parametrize(("deaths", "tries"), [(0, 2), (1, 1)])
async def test_a_run_that_gets_further_than_the_one_that_died_forgets_its_tries(
    company: Company, running: Running, driver: Driver, deaths: int, tries: int
) -> None:
    queue_url = system_url(company.url, company.folder)
    brief = Brief(tenant=TENANT, task="t1")
    async with parts_of(company, running) as bot:
        await staged(bot, driver)
        await bot.parts.queue.put(answer_job(brief, at=datetime.now(UTC)))
        execute(queue_url, "UPDATE workflow_status SET status = 'PENDING', recovery_attempts = 2")
        for _ in range(deaths):
            await taken_up(bot.parts, brief)
        stored = await taken_up(bot.parts, brief)
        assert stored is not None
        await on_answer(bot.parts, stored, brief)
    assert execute(queue_url, _SEEN) == [("PENDING", tries)]
