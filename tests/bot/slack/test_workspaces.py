"""Two workspaces on one database: each one's workers take its own jobs and no others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from bot.inbound.amending import task_of
from bot.parts import Parts
from bot.playground import Running, Settings, start
from bot.playground.settings import DEFAULT_DESCRIPTION
from bot.queue.durable import Job
from bot.queue.engine import system_url
from bot.serve import opened
from bot.work.whose import parts_of
from bot.worker import working
from handlers.deps import Asked, Room, RoomKind, Sender
from tests.bot.slack.conftest import ALICE, Company, on_both, replies, setup_of
from tests.bot.slack.queue_rows import execute
from tests.playground.conftest import Driver

OTHER = "T0OTHER0001"


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Running]:
    """The same workspace under another id."""
    described = tmp_path / "other.json"
    text = DEFAULT_DESCRIPTION.read_text("utf-8").replace("T0PLAYGROUND", OTHER)
    described.write_text(text, "utf-8")
    playground = await start(Settings(data=tmp_path / "other", description=described))
    yield playground
    await playground.close()


@asynccontextmanager
async def parts_in(company: Company, workspace: Running, tenant: str) -> AsyncIterator[Parts]:
    setup, _ = setup_of(company, workspace.api_url)
    async with opened(replace(setup, tenant=tenant)) as parts:
        yield parts


async def asked_in(parts: Parts, driver: Driver) -> str:
    """A question that is stored as the listening side stores it; its thread."""
    said = await driver.post("say", user="alice", channel="general", text="<@footnote> A loan?")
    asked = Asked(
        sender=Sender(team_id=OTHER, user_id=ALICE, homes=(OTHER,)),
        room=Room(channel=said["channel"], kind=RoomKind.CHANNEL),
        ts=said["ts"],
        question="A loan?",
        mentioned=True,
    )
    talk = f"{OTHER}:{said['channel']}:{said['ts']}"
    payload = asked.model_dump_json()
    job = Job(id=task_of(asked), kind="ask", partition=talk, payload=payload, at=parts.now())
    await parts.queue.put(job)
    return str(said["ts"])


@on_both
async def test_a_worker_leaves_another_workspaces_jobs_alone(
    company: Company, running: Running, other: Running
) -> None:
    await company.tenants.create("acme")
    url = system_url(company.url, company.folder)
    async with (
        parts_in(company, running, "demo") as ours,
        parts_in(company, other, "acme") as theirs,
        aiohttp.ClientSession() as session,
    ):
        driver = Driver(other, session)
        thread = await asked_in(theirs, driver)
        async with working(ours, url=url, slots=company.slots, concurrency=2):
            await asyncio.sleep(2.0)
        assert execute(url, "SELECT status FROM workflow_status") == [("ENQUEUED",)]
        async with working(theirs, url=url, slots=company.slots, concurrency=2):
            assert len(await replies(driver, "general", "alice", thread)) == 1


@on_both
async def test_a_job_given_up_is_closed_by_its_own_workspace(
    company: Company, running: Running, other: Running
) -> None:
    await company.tenants.create("acme")
    url = system_url(company.url, company.folder)
    async with (
        parts_in(company, running, "demo") as ours,
        parts_in(company, other, "acme") as theirs,
        aiohttp.ClientSession() as session,
    ):
        await asked_in(theirs, Driver(other, session))
        dead = "status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED', queue_name = NULL"
        execute(url, f"UPDATE workflow_status SET {dead}")  # noqa: S608 - our own words
        (job,) = await asyncio.to_thread(ours.queue.given_up)
        assert await parts_of(ours, job.kind, job.payload) is None
        assert await parts_of(theirs, job.kind, job.payload) is theirs
