"""What is lost is found, on either database, and nothing else is called lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.queue.backlog import Backlog, Outlook
from bot.queue.durable import Job, Queue
from bot.queue.engine import inserting_engine, system_url
from bot.queue.tables import prepare
from bot.spool import SPOOL, Spool
from bot.storage.database import Database
from bot.storage.outlook import SqlOutlook
from bot.storage.tasks import SqlTasks
from bot.storage.tenants import SqlTenants
from bot.watch.lookout import Lookout
from rag.values import Place, Reason, Request, Status

TASK = "1796000000.000100-aaaaaaaaaaaa"


@dataclass
class Stand:
    """A record, its queue, and a look at both."""

    database: Database
    queue: Queue
    backlog: Backlog
    folder: Path

    async def task(self, ident: str = TASK, *, conversation: str | None = "C1:1") -> None:
        await SqlTenants(self.database).create("demo")
        asked = datetime.now(UTC) - timedelta(minutes=5)
        request = Request(
            task=ident,
            tenant="demo",
            principal="p",
            question="q",
            place=Place(channel="C1"),
            conversation=conversation,
            asked_at=asked,
        )
        await SqlTasks(self.database).enqueue(request)

    async def job(self, ident: str) -> None:
        at = datetime.now(UTC)
        await self.queue.put(Job(id=ident, kind="ask", partition="p", payload="{}", at=at))

    async def look(self, *, seconds: float = 0.0) -> Outlook:
        ledger = SqlOutlook(self.database)
        lookout = Lookout(self.backlog, ledger, seconds=seconds, folder=self.folder)
        found = await lookout.look()
        assert found is not None
        return found


@pytest.fixture
async def place(migrated_url: str, tmp_path: Path) -> AsyncIterator[Stand]:
    url = system_url(migrated_url, tmp_path)
    await asyncio.to_thread(prepare, url)
    database, queue = Database(migrated_url), Queue(url)
    with closing(Backlog(inserting_engine(url))) as backlog:
        yield Stand(database, queue, backlog, tmp_path)
    await asyncio.to_thread(queue.close)
    await database.close()


async def test_nothing_waits_and_nothing_is_lost(place: Stand) -> None:
    found = await place.look()
    assert (found.waiting, found.running, found.oldest, found.given_up) == (0, 0, 0.0, 0)
    assert (found.unfinished, found.unanswered) == (0, 0)


async def test_waiting_jobs_are_counted_with_the_age_of_the_oldest(place: Stand) -> None:
    await place.job("j1")
    await asyncio.sleep(0.05)
    await place.job("j2")
    found = await place.look(seconds=60.0)
    assert found.waiting == 2
    assert 0.05 <= found.oldest < 30.0
    assert found.unfinished == 0


async def test_an_event_that_waits_past_its_deadline_is_lost_once(place: Stand) -> None:
    await place.task()
    await place.job(TASK)
    await place.job(f"{TASK}.answer")
    found = await place.look()
    assert (found.unfinished, found.unanswered) == (1, 0)


async def test_a_question_that_no_job_will_come_back_to_is_lost(place: Stand) -> None:
    await place.task()
    found = await place.look(seconds=60.0)
    assert (found.unfinished, found.unanswered) == (0, 1)
    found = await place.look(seconds=3600.0)
    assert (found.unfinished, found.unanswered) == (0, 0)


async def test_a_question_with_a_young_job_is_not_lost(place: Stand) -> None:
    await place.task()
    await place.job(f"{TASK}.answer")
    found = await place.look(seconds=60.0)
    assert (found.unfinished, found.unanswered) == (0, 0)


async def test_what_was_asked_at_a_terminal_may_stop_where_it_likes(place: Stand) -> None:
    await place.task(conversation=None)
    found = await place.look(seconds=60.0)
    assert (found.unfinished, found.unanswered) == (0, 0)


async def test_a_cancelled_question_has_its_end(place: Stand) -> None:
    await place.task()
    await SqlTasks(place.database).cancel(tenant="demo", task=TASK)
    found = await place.look(seconds=60.0)
    assert (found.unfinished, found.unanswered) == (0, 0)


async def test_a_failure_without_a_reason_is_a_dead_letter(place: Stand) -> None:
    tasks = SqlTasks(place.database)
    for task, reason in (("t1", None), ("t2", Reason.READER_UNAVAILABLE)):
        await place.task(task)
        lease = (await tasks.get(tenant="demo", task=task)).held
        await tasks.finish(tenant="demo", lease=lease, status=Status.FAILED, reason=reason)
    assert (await place.look()).given_up == 1


async def test_the_record_and_the_queue_say_that_they_can_be_written(place: Stand) -> None:
    await SqlOutlook(place.database).writable()
    await asyncio.to_thread(place.backlog.insertable)


async def test_what_is_laid_by_is_seen_without_a_database(tmp_path: Path) -> None:
    backlog = Backlog(inserting_engine(f"sqlite:///{tmp_path / 'queue.db'}"))
    with closing(backlog):
        spool = Spool(tmp_path / SPOOL)
        spool.append(["an event"])
        database = Database(f"sqlite:///{tmp_path / 'footnote.db'}")
        lookout = Lookout(backlog, SqlOutlook(database), seconds=1, folder=tmp_path)
        here = await lookout.here()
        assert await lookout.look() is None
        spool.close()
        await database.close()
    assert here.spooled > len("an event")
    assert here.disk_free > 0


async def test_no_outlook_without_the_record(place: Stand) -> None:
    await place.database.close()
    lookout = Lookout(place.backlog, SqlOutlook(place.database), seconds=1, folder=place.folder)
    assert await lookout.look() is None
