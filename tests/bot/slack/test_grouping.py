"""Group commit: one transaction for what waits, and no job pays for its neighbour."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future

import pytest
import sqlalchemy as sa

from bot.errors import JobRefused
from bot.queue.durable import Queue, job_id
from bot.queue.grouping import Grouped
from rag.errors import StoreUnavailable
from tests.bot.slack.queue_rows import rows
from tests.bot.slack.test_queue import JOB


class Gate:
    """A commit that waits until it is let through, and notes each group."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun = threading.Event()
        self.groups: list[list[int]] = []

    def __call__(self, items: Sequence[int]) -> Sequence[Exception | None]:
        self.groups.append(list(items))
        self.begun.set()
        self.open.wait(10)
        return [ValueError("odd") if item == 13 else None for item in items]


def test_what_comes_during_a_commit_is_the_next_group() -> None:
    gate = Gate()
    grouped = Grouped(gate, name="test")
    first = grouped.put(0)
    gate.begun.wait(10)
    later = [grouped.put(number) for number in (1, 2, 13, 4)]
    assert later[1].cancel()  # gave up while it still waited
    gate.open.set()
    first.result(10)
    grouped.close()
    assert gate.groups == [[0], [1, 13, 4]]
    assert [outcome(future) for future in later] == [None, "cancelled", "ValueError", None]


def outcome(future: "Future[None]") -> str | None:
    if future.cancelled():
        return "cancelled"
    error = future.exception(10)
    return type(error).__name__ if error else None


def test_a_commit_that_breaks_is_heard_by_all_who_wait() -> None:
    def broken(_items: Sequence[int]) -> Sequence[Exception | None]:
        raise ZeroDivisionError

    grouped = Grouped(broken, name="test")
    futures = [grouped.put(number) for number in range(3)]
    for future in futures:
        with pytest.raises(StoreUnavailable):
            future.result(10)
    grouped.close()


async def test_a_job_that_cannot_be_stored_fails_alone(queue: Queue, queue_url: str) -> None:
    good = [JOB.model_copy(update={"id": job_id(f"17960{n:05}.0", "T", "C")}) for n in range(20)]
    bad = JOB.model_copy(update={"partition": "half of a character: \ud83d"})
    outcomes = await asyncio.gather(
        *(queue.put(job) for job in (*good[:10], bad, *good[10:])), return_exceptions=True
    )
    assert [type(made) for made in outcomes if made] == [JobRefused]
    assert {ident for ident, _, _ in rows(queue_url)} == {job.id for job in good}


async def test_an_id_that_is_there_as_another_kind_is_left_as_it_is(
    queue: Queue, queue_url: str
) -> None:
    other = JOB.model_copy(update={"id": job_id("1796000001.0", "T", "C")})
    await queue.put(JOB)
    await asyncio.gather(queue.put(JOB.model_copy(update={"kind": "reply"})), queue.put(other))
    assert {ident for ident, _, _ in rows(queue_url)} == {JOB.id, other.id}


async def test_concurrent_inserts_share_transactions(queue: Queue) -> None:
    commits: list[object] = []
    sa.event.listen(queue._engine, "commit", commits.append)
    jobs = [JOB.model_copy(update={"id": job_id(f"17960{n:05}.0", "T", "C")}) for n in range(100)]
    await asyncio.gather(*(queue.put(job) for job in jobs))
    assert len(commits) < 50


async def test_a_caller_that_goes_away_does_not_stop_its_insert(
    queue: Queue, queue_url: str
) -> None:
    task = asyncio.create_task(queue.put(JOB))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    await asyncio.to_thread(queue._inserts.close)
    assert [ident for ident, _, _ in rows(queue_url)] == [JOB.id]
