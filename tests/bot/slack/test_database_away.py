"""The database is away for longer than Slack repeats an event, and the bot dies meanwhile."""

import asyncio
import resource
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from bot.database_urls import parse_url
from bot.playground import Running
from bot.queue.engine import system_url
from bot.worker import working
from tests.bot.slack.conftest import Company, http_door, replies, shown
from tests.bot.slack.locking import locked
from tests.bot.slack.queue_rows import execute
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.signing import mention, send
from tests.bot.slack.test_kills import bot_process
from tests.bot.slack.test_mentions import ours, settled
from tests.bot.slack.test_private import whispered
from tests.bot.slack.wire import wired
from tests.playground.conftest import Driver, until
from tests.postgres import OwnServer, own_server

ASKED = "<@footnote> What does a loan need?"
IMPATIENT = "0.5"  # seconds of grace, in place of twenty


def spooled(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "spool").glob("*"))


async def laid_by(folder: Path) -> None:
    async def checked() -> bool:
        return spooled(folder) > 0

    await until(checked)


@contextmanager
def stopped(server: OwnServer) -> Iterator[None]:
    server.stop()
    yield
    server.start()


async def asked_killed_and_answered(
    company: Company, running: Running, driver: Driver, away: AbstractContextManager[None]
) -> None:
    """A question is laid by, its process is killed, and the next one answers it once."""
    async with bot_process(company, running, IMPATIENT, part="listen") as process:
        with away:
            said = await driver.post("say", user="alice", channel="general", text=ASKED)
            await laid_by(company.folder)
            assert "later" in shown((await whispered(driver, "general", "alice"))[0])
            await driver.post("redeliver", ts=said["ts"], times=2)
            process.kill()
            await process.wait()
    async with bot_process(company, running, IMPATIENT):
        answers = await replies(driver, "general", "alice", said["ts"])
        await settled(driver)
    assert QUOTE in shown(answers[0])
    assert len(await ours(driver, "general", "alice", said["ts"])) == 1
    assert len((await driver.get("calls", method="chat.postEphemeral"))["calls"]) == 1
    assert spooled(company.folder) == 0


async def test_sqlite_locked_for_long(company: Company, running: Running, driver: Driver) -> None:
    away = locked(company.folder / "queue.db")
    await asked_killed_and_answered(company, running, driver, away)


async def test_postgresql_down_for_long(tmp_path: Path, running: Running, driver: Driver) -> None:
    with own_server(durable=True) as server:
        company = await asyncio.to_thread(Company, tmp_path / "data", server.url)
        await company.seed(team=running.team_id)
        await asked_killed_and_answered(company, running, driver, stopped(server))
        await company.database.close()


async def test_everything_said_meanwhile_is_done_in_its_order(
    company: Company, running: Running, driver: Driver
) -> None:
    async def say(text: str, **more: str) -> str:
        said = await driver.post("say", user="alice", channel="general", text=text, **more)
        return str(said["ts"])

    async with http_door(company, running, grace_seconds=0.0) as (bot, url):
        await driver.post("delivery", events_url=url, commands_url=url)
        with locked(company.folder / "queue.db"):
            edited = await say("<@footnote> What does a bicycle need?")
            deleted = await say("<@footnote> What does a loan of a car need?")
            await laid_by(company.folder)
            await driver.post("edit", user="alice", channel="general", ts=edited, text=ASKED)
            await driver.post("delete", user="alice", channel="general", ts=deleted)
            await say("Nobody asked the bot anything here", thread_ts=edited)
            await driver.post(
                "command", user="bob", channel="general", command="ask", text="What of a loan?"
            )
            (late,) = await whispered(driver, "general", "bob")
            assert "later" in shown(late)
        await emptied(company.folder)
        queue_url = system_url(company.url, company.folder)
        assert kinds(queue_url) == ["ask", "ask", "ask_privately", "edit", "reply", "withdraw"]
        async with working(bot.parts, url=queue_url, slots=company.slots, concurrency=2):
            answers = await replies(driver, "general", "alice", edited)
            assert QUOTE in shown((await replies(driver, "dm", "bob", ""))[0])
            await settled(driver)
        assert len(await ours(driver, "general", "alice", edited)) == 1
        assert [run.question for run in bot.pipeline.runs if "loan?" in run.question]
        assert QUOTE in shown(answers[0])
        gone = await ours(driver, "general", "alice", deleted)
        assert QUOTE not in "".join(map(shown, gone))


def kinds(queue_url: str) -> list[str]:
    return sorted(name for (name,) in execute(queue_url, "SELECT name FROM workflow_status"))


async def emptied(folder: Path) -> None:
    async def checked() -> bool:
        return spooled(folder) == 0

    await until(checked)


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process may grow: a limit on files stands in for the disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_is_never_acknowledged(company: Company, running: Running) -> None:
    queue_url = system_url(company.url, company.folder)
    async with http_door(company, running, grace_seconds=0.0) as (_, url):
        assert await send(url, mention("What does a loan need?", ts="1796000000.000001")) == 200
        with full_disk():
            statuses = [
                await send(url, mention("What does a loan need?", ts=f"1796000000.00010{number}"))
                for number in range(3)
            ]
        assert statuses == [503, 503, 503]
        assert execute(queue_url, "PRAGMA integrity_check") == [("ok",)]
        assert await send(url, mention("What does a loan need?", ts="1796000000.000100")) == 200
    assert kinds(queue_url) == ["ask", "ask"]
    assert spooled(company.folder) == 0


async def test_a_postgresql_that_never_answers_is_got_over(
    tmp_path: Path, running: Running, postgres_url: str
) -> None:
    direct = parse_url(postgres_url)
    async with wired(direct.port or 5432) as wire:
        through = direct.set(port=wire.port).render_as_string(hide_password=False)
        company = await asyncio.to_thread(Company, tmp_path / "data", through)
        await company.seed(team=running.team_id)
        async with http_door(company, running, grace_seconds=0.0) as (_, url):
            assert await send(url, mention("What?", ts="1796000000.000001")) == 200
            assert spooled(company.folder) == 0
            wire.swallow()
            assert await send(url, mention("What does a loan need?")) == 200
            assert spooled(company.folder) > 0
            await emptied(company.folder)
        assert kinds(system_url(postgres_url, tmp_path)) == ["ask", "ask"]
        await company.database.close()


async def test_a_record_that_answers_late_keeps_nobody_waiting(
    company: Company, running: Running
) -> None:
    said = {"type": "message", "channel_type": "channel", "thread_ts": "1796000000.000001"}
    queue_url = system_url(company.url, company.folder)
    async with http_door(company, running) as (_, url):
        busy = asyncio.create_task(company.database.read(lambda _: time.sleep(4.0)))
        began = time.monotonic()
        assert await send(url, mention("Within a week", text="Within a week", **said)) == 200
        assert time.monotonic() - began < 3.0
        assert kinds(queue_url) == ["reply"]
        await busy
