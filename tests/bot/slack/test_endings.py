"""Waiting for jobs: one question to the database for all, and an end for whoever stops."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.queue.durable import Job, Queue
from bot.queue.engine import system_url
from bot.queue.tables import prepare
from tests.bot.slack.queue_rows import execute

LONG = 20.0


def job(number: int) -> Job:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    return Job(id=f"j{number}", kind="ask", partition=f"p{number}", payload="{}", at=at)


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = system_url("sqlite:///elsewhere.db", tmp_path)
    prepare(made)
    return made


@pytest.fixture
async def queue(url: str) -> AsyncIterator[Queue]:
    made = Queue(url)
    yield made
    made.let_go()
    made.close()


async def test_each_waits_for_its_own_job(queue: Queue, url: str) -> None:
    for number in range(3):
        await queue.put(job(number))
    waits = [asyncio.create_task(queue.wait(f"j{number}")) for number in range(3)]
    await asyncio.sleep(1.0)
    assert not any(wait.done() for wait in waits)
    execute(url, "UPDATE workflow_status SET status = 'SUCCESS' WHERE workflow_uuid = 'j1'")
    await asyncio.wait_for(waits[1], LONG)
    assert not waits[0].done()
    execute(url, "UPDATE workflow_status SET status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'")
    await asyncio.wait_for(asyncio.gather(*waits), LONG)


async def test_a_job_that_is_not_there_has_ended(queue: Queue) -> None:
    await asyncio.wait_for(queue.wait("nothing"), LONG)


async def test_whoever_waits_is_let_go_and_may_wait_again(queue: Queue) -> None:
    await queue.put(job(0))
    wait = asyncio.create_task(queue.wait("j0"))
    await asyncio.sleep(0.3)
    queue.let_go()
    with pytest.raises(asyncio.CancelledError):
        await wait
    again = asyncio.create_task(queue.wait("j0"))
    await asyncio.sleep(1.0)
    assert not again.done()
