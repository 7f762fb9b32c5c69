"""The durable insert: once an id, refused in time when the database is stuck."""

import asyncio
import sys
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from bot.queue.durable import Job, Queue, job_id
from bot.queue.engine import system_url
from bot.queue.lines import ANSWERING
from bot.queue.tables import prepare
from rag.errors import StoreUnavailable
from tests.bot.full_disk import full_disk, is_sound, room_beside
from tests.bot.slack.queue_rows import execute, locked_queue, rows

JOB = Job(
    id=job_id("1796000000.000100", "T1", "C1"),
    kind="ask",
    partition="T1:C1:1796000000.000100",
    payload='{"question": "借用需要什么？"}',
    at=datetime(2026, 11, 30, tzinfo=UTC),
)


async def test_a_job_is_stored_once_and_readably(queue: Queue, queue_url: str) -> None:
    for _ in range(3):
        await queue.put(JOB)
    await queue.put(JOB.model_copy(update={"payload": "another"}))
    ((ident, partition, inputs),) = rows(queue_url)
    assert (ident, partition) == (JOB.id, JOB.partition)
    assert "借用需要什么" in inputs  # JSON that any program can read, not a pickle


async def test_ids_are_the_same_for_a_twin_and_sort_by_time() -> None:
    assert job_id("1796000000.000100", "T1", "C1") == JOB.id
    assert job_id("1796000000.000100", "T1", "C2") != JOB.id
    assert job_id("1796000000.000100", "T1C", "1") != job_id("1796000000.000100", "T1", "C1")
    assert job_id("1796000000.000200", "T0", "C0") > JOB.id


async def test_a_stuck_database_is_an_error_in_time(queue: Queue, queue_url: str) -> None:
    began = time.monotonic()
    with locked_queue(queue_url):
        with pytest.raises(StoreUnavailable):
            await queue.put(JOB)
        assert time.monotonic() - began < 10.0  # the bound itself is Slack's 3 s; machines vary
    await queue.put(JOB)
    assert [ident for ident, _, _ in rows(queue_url)] == [JOB.id]


async def test_a_database_without_our_tables_is_an_error(record_url: str, tmp_path: Path) -> None:
    queue = Queue(system_url(record_url, tmp_path))
    with pytest.raises(StoreUnavailable):
        await queue.put(JOB)
    queue.close()


async def test_jobs_that_are_waiting_are_not_cleaned_away(queue: Queue, queue_url: str) -> None:
    await queue.put(JOB)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    assert await asyncio.to_thread(queue.clean, tomorrow) == 0
    execute(queue_url, "UPDATE workflow_status SET status = 'SUCCESS'")
    assert await asyncio.to_thread(queue.clean, datetime.now(UTC) - timedelta(days=1)) == 0
    assert await asyncio.to_thread(queue.clean, tomorrow) == 1
    assert rows(queue_url) == []
    assert execute(queue_url, "SELECT count(*) FROM workflow_input") == [(0,)]


async def test_many_at_once_lose_nothing(queue: Queue, queue_url: str) -> None:
    jobs = [JOB.model_copy(update={"id": job_id(f"17960{n:05}.0", "T", "C")}) for n in range(60)]
    await asyncio.gather(*(queue.put(job) for job in jobs))
    assert {ident for ident, _, _ in rows(queue_url)} == {job.id for job in jobs}


def test_the_queue_lies_beside_the_record() -> None:
    folder = Path("data")
    assert system_url("sqlite:///data/footnote.db", folder) == "sqlite:///data/queue.db"
    for given in ("postgres://u:p@h/db", "postgresql://u:p@h/db", "postgresql+psycopg://u:p@h/db"):
        assert system_url(given, folder).startswith("postgresql://u:p@h/db?")


async def test_a_job_taken_over_keeps_its_count_of_tries(queue: Queue, queue_url: str) -> None:
    await queue.put(JOB)
    execute(queue_url, "UPDATE workflow_status SET status = 'PENDING', executor_id = 'dead'")
    execute(queue_url, "UPDATE workflow_status SET recovery_attempts = 2")
    assert set(await asyncio.to_thread(queue.busy_workers)) == {"dead"}
    assert await asyncio.to_thread(queue.take_back, "other") == 0
    assert await asyncio.to_thread(queue.take_back, "dead") == 1
    query = "SELECT status, queue_name, recovery_attempts FROM workflow_status"
    assert execute(queue_url, query) == [("ENQUEUED", "conversation", 2)]
    assert await asyncio.to_thread(queue.take_back, "dead") == 0


async def test_who_lost_a_job_records_no_end_of_it(queue: Queue, queue_url: str) -> None:
    begun = "UPDATE workflow_status SET status = 'PENDING', executor_id = '{0}', owner_xid = '{0}'"
    await queue.put(JOB)
    execute(queue_url, begun.format("frozen"))
    end = partial(queue._client._sys_db.update_workflow_outcome, JOB.id, "SUCCESS", output="null")
    assert await asyncio.to_thread(queue.take_back, "frozen") == 1
    assert not await asyncio.to_thread(end, owner_xid="frozen")
    execute(queue_url, begun.format("other"))
    assert not await asyncio.to_thread(end, owner_xid="frozen")
    assert await asyncio.to_thread(end, owner_xid="other")


async def test_a_full_disk_refuses_jobs_and_loses_none(tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    url = system_url("sqlite:///elsewhere.db", tmp_path)
    await asyncio.to_thread(prepare, url)
    queue = Queue(url)
    stored, refused = [], 0
    with full_disk(room_beside(path, 64 * 1024)):
        for number in range(60):
            job = JOB.model_copy(
                update={"id": job_id(f"17960{number:05}.0", "T"), "payload": "x" * 5000}
            )
            try:
                await queue.put(job)
            except StoreUnavailable:
                refused += 1
            else:
                stored.append(job.id)
    assert stored
    assert refused
    assert {ident for ident, _, _ in rows(url)} == set(stored)
    await queue.put(JOB)
    queue.close()
    assert is_sound(path)


async def test_many_processes_may_prepare_the_queue_at_once(
    record_url: str, tmp_path: Path
) -> None:
    url = system_url(record_url, tmp_path)
    command = [
        sys.executable,
        "-c",
        "import sys; from bot.queue.tables import prepare; prepare(sys.argv[1])",
    ]
    processes = [await asyncio.create_subprocess_exec(*command, url) for _ in range(3)]
    assert [await process.wait() for process in processes] == [0, 0, 0]
    queue = Queue(url)
    await queue.put(JOB)
    queue.close()
    assert [ident for ident, _, _ in rows(url)] == [JOB.id]


async def test_who_died_beside_a_job_is_not_given_up_with_it(queue: Queue, queue_url: str) -> None:
    answers = [JOB.model_copy(update={"id": f"{name}.answer", "kind": "answer"}) for name in "ab"]
    for job in answers:
        await queue.put(job, queue=ANSWERING)
    waiter, other = (JOB.model_copy(update={"id": name}) for name in "ac")
    await queue.put(waiter)
    await queue.put(other)
    execute(queue_url, "UPDATE workflow_status SET status = 'PENDING', executor_id = 'dead'")
    execute(queue_url, "UPDATE workflow_status SET recovery_attempts = 2")
    assert await asyncio.to_thread(queue.take_back, "dead") == 4
    asked = "SELECT workflow_uuid, queue_name, queue_partition_key, recovery_attempts"
    found = execute(queue_url, f"{asked} FROM workflow_status ORDER BY workflow_uuid")
    assert [tuple(row) for row in found] == [
        ("a", "conversation", JOB.partition, 0),  # it waits for its answer
        ("a.answer", "conversation", "suspects", 2),
        ("b.answer", "conversation", "suspects", 2),
        ("c", "conversation", JOB.partition, 2),
    ]


async def test_a_job_given_up_can_be_read_again(queue: Queue, queue_url: str) -> None:
    await queue.put(JOB)
    execute(queue_url, "UPDATE workflow_status SET status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'")
    assert await asyncio.to_thread(queue.given_up) == [JOB]
    await asyncio.to_thread(queue.close_given_up, JOB.id)
    assert await asyncio.to_thread(queue.given_up) == []
