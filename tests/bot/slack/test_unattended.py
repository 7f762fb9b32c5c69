"""A stored question that no job comes back to is ended: visibly, and told once."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from bot.delivery import ANSWER
from bot.playground import Running
from bot.posts.looking import Spot
from bot.questions.asking import Brief, answer_job
from bot.queue.durable import Job
from bot.queue.engine import system_url
from bot.record import TaskState
from bot.work.jobs import do, giving_up
from bot.work.unattended import Unattended
from bot.worker import working
from handlers.blocks.progress import progress
from handlers.deps import Asked, Room, RoomKind, Sender
from tests.bot.slack.conftest import ALICE, TENANT, Bot, Company, finished, parts_of, shown
from tests.bot.slack.queue_rows import execute
from tests.bot.slack.test_watchdog import Scene, staged
from tests.playground.conftest import Driver, until

TEXT = "<@footnote> Who keeps it?"
LONG_AGO = timedelta(minutes=10)


@pytest.fixture
async def scene(company: Company, running: Running, driver: Driver) -> AsyncIterator[Scene]:
    async with parts_of(company, running) as bot:
        yield await _old(bot, driver)


async def _old(bot: Bot, driver: Driver) -> Scene:
    return await staged(bot, driver, asked_at=datetime.now(UTC) - LONG_AGO)


async def _looked_after(scene: Scene) -> TaskState:
    """How the task stands when a worker has looked, and looked again a minute later."""
    unattended = Unattended(scene.parts, clock=lambda: scene.now)
    for _ in range(2):
        await unattended.look()
        scene.now += 60.0
    return (await scene.state())[0]


def _job(ident: str) -> Job:
    at = datetime.now(UTC)
    return Job(id=ident, kind="ask", partition=ident, payload="{}", at=at)


async def _over(scene: Scene, job: Job) -> None:
    """The job was in the queue and has ended."""
    await scene.parts.queue.put(job)
    await asyncio.to_thread(scene.parts.queue.close_given_up, job.id)


async def test_what_was_stored_after_its_job_was_given_up_ends_without_another_word(
    scene: Scene, driver: Driver
) -> None:
    await _over(scene, _job("t1"))
    await _over(scene, giving_up(_job("t1")))
    assert await _looked_after(scene) is TaskState.FAILED
    assert await driver.messages("general", "alice", scene.ts) == []
    assert await scene.parts.record.deliveries.unfinished(tenant=TENANT) == ()
    assert not any((await scene.parts.queue.jobs_of("t1")).values())


async def test_changed_words_stored_after_their_job_was_given_up_show_so_in_place(
    scene: Scene, driver: Driver
) -> None:
    """The message stood there before, for the words as they were: it is not taken away."""
    parts = scene.parts
    first = await parts.record.tasks.get(tenant=TENANT, task="t1")
    await parts.record.tasks.cancel(tenant=TENANT, task="t1")
    again = first.request.model_copy(update={"task": "t1.0123"})
    await parts.record.tasks.enqueue(again)
    spot = Spot(
        tenant=TENANT, task="t1.0123", kind=ANSWER, channel=again.place.channel or "", thread=""
    )
    await parts.poster.take_over(spot, scene.ts, progress("plan", language="en"))
    await _over(scene, _job("t1.0123"))
    await _over(scene, giving_up(_job("t1.0123")))
    await _looked_after(scene)
    (message,) = await driver.messages("general", "alice", scene.ts)
    assert finished(message)
    assert "could not finish" in shown(message)
    stored = await parts.record.tasks.get(tenant=TENANT, task="t1.0123")
    assert stored.state is TaskState.FAILED


async def test_what_was_lost_is_ended_visibly_by_one_worker(scene: Scene, driver: Driver) -> None:
    await _over(scene, _job("t1"))
    for _ in range(2):
        assert await _looked_after(scene) is TaskState.QUEUED
    jobs = await scene.parts.queue.jobs_of("t1")
    assert jobs == {"t1": False, "t1.answer.given-up": True}
    job = giving_up(answer_job(Brief(tenant=TENANT, task="t1"), at=datetime.now(UTC)))
    await do(scene.parts, job.kind, ident=job.id, payload=job.payload, at=job.at.isoformat())
    (message,) = await driver.messages("general", "alice", scene.ts)
    assert finished(message)
    assert "could not finish" in shown(message)
    assert (await scene.state())[0] is TaskState.FAILED


@pytest.mark.parametrize("job", ["t1", "t1.answer", "t1.0123456789ab", "t1.given-up"])
async def test_what_a_job_still_works_for_is_left_alone(scene: Scene, job: str) -> None:
    await scene.parts.queue.put(_job(job))
    assert await _looked_after(scene) is TaskState.QUEUED
    assert await scene.parts.queue.jobs_of("t1") == {job: True}


async def test_what_was_just_stored_or_begun_is_left_alone(
    company: Company, running: Running, driver: Driver
) -> None:
    async with parts_of(company, running) as bot:
        fresh = await staged(bot, driver)
        assert await _looked_after(fresh) is TaskState.QUEUED
        stored = await bot.parts.record.tasks.get(tenant=TENANT, task="t1")
        await bot.parts.record.checkpoints.open(stored.request)
        assert await _looked_after(fresh) is TaskState.RUNNING
        assert await bot.parts.queue.jobs_of("t1") == {}


async def test_a_stored_question_that_was_tampered_with_stops_no_sweep(
    company: Company, running: Running, driver: Driver
) -> None:
    async with parts_of(company, running) as bot:
        await _old(bot, driver)
        execute(company.url, "UPDATE tasks SET sha256 = 'x'")
        url = system_url(company.url, company.folder)
        async with working(bot.parts, url=url, slots=company.slots, concurrency=1) as lease:

            async def goes_on() -> bool:
                beats = await company.record.workers.beats()
                return beats.get(lease.name, 0) >= 3

            await until(goes_on, seconds=10.0)


async def test_what_was_lost_is_come_to_behind_a_long_queue(scene: Scene, driver: Driver) -> None:
    """Those in front of it, all newer, wait for their turn, some asked at one instant."""
    parts = scene.parts
    lost = await parts.record.tasks.get(tenant=TENANT, task="t1")
    for number in range(110):
        at = lost.created_at + timedelta(seconds=1 + number // 60)
        waits = lost.request.model_copy(update={"task": f"w{number:03}", "asked_at": at})
        await parts.record.tasks.enqueue(waits)
        await parts.queue.put(_job(f"w{number:03}"))
    unattended = Unattended(parts, clock=lambda: scene.now)
    for _ in range(6):
        await unattended.look()
        scene.now += 60.0
    assert list(await parts.queue.jobs_of("t1")) == ["t1.answer.given-up"]
    assert list(await parts.queue.jobs_of("w007")) == ["w007"]


async def test_what_says_that_a_job_was_given_up_is_not_given_up_as_soon(
    company: Company, running: Running, driver: Driver
) -> None:
    """Its workers died over and over, by no fault of its own; nobody else would say it."""
    async with parts_of(company, running) as bot:
        said = await driver.post("say", user="alice", channel="general", text=TEXT)
        room = Room(channel=said["channel"], kind=RoomKind.CHANNEL)
        team = bot.parts.installation.team_id
        asked = Asked(
            sender=Sender(user_id=ALICE, team_id=team, homes=(team,)),
            room=room,
            ts=said["ts"],
            question="Who keeps it?",
            mentioned=True,
        )
        given_up = giving_up(_job("t9").model_copy(update={"payload": asked.model_dump_json()}))
        await bot.parts.queue.put(given_up)
        url = system_url(company.url, company.folder)
        execute(url, "UPDATE workflow_status SET recovery_attempts = 5")
        async with working(bot.parts, url=url, slots=company.slots, concurrency=1):

            async def is_told() -> bool:
                found = await driver.messages("general", "alice", said["ts"])
                return len(found) == 2

            await until(is_told, seconds=20.0)
