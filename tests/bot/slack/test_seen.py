"""A bot at work, seen from outside: numbers and parts' names, never a word of a question."""

import asyncio
import io
import json
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import pytest

from bot.logs import handler_for
from bot.playground import Running
from bot.queue.engine import system_url
from bot.queue.tables import prepare
from bot.storage.outlook import SqlOutlook
from bot.watch.health import Outside, listening
from bot.watch.metrics import Metrics
from bot.watch.outside import Shown, opened
from rag.testing import MemoryContext
from rag.values import Limits
from tests.bot.slack.conftest import ALICE, Bot, Company, replies, socket_bot
from tests.bot.slack.locking import locked
from tests.playground.conftest import Driver, until

QUESTION = "What does a loan need, canary?"


async def well() -> None:
    return None


@asynccontextmanager
async def seen(company: Company, metrics: Metrics) -> AsyncIterator[str]:
    """The address at which this company's bot may be looked at."""
    shown = Shown(metrics=metrics, ledger=SqlOutlook(company.database), context=MemoryContext())
    async with AsyncExitStack() as stack:
        outside: Outside = await stack.enter_async_context(
            opened(
                shown,
                queue_url=system_url(company.url, company.folder),
                folder=company.folder,
                workers=company.slots.alive,
                limits=Limits(),
                slack=well,
            )
        )
        port = await stack.enter_async_context(listening(outside, host="127.0.0.1", port=0))
        yield f"http://127.0.0.1:{port}"


async def get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.text()


@pytest.fixture
async def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def bot(company: Company, running: Running, metrics: Metrics) -> AsyncIterator[Bot]:
    async with socket_bot(company, running, meter=metrics) as made:
        yield made


async def asked(driver: Driver) -> str:
    """Alice asks in general and gets her answer; the question's `ts`."""
    text = f"<@U0FOOTNOTE1> {QUESTION}"
    said = await driver.post("say", user="alice", channel="general", text=text)
    await replies(driver, "general", "alice", said["ts"])
    return str(said["ts"])


async def test_an_answer_is_counted_and_nothing_of_it_is_told(
    bot: Bot, company: Company, driver: Driver, metrics: Metrics
) -> None:
    ts = await asked(driver)
    async with seen(company, metrics) as url:
        assert await get(f"{url}/readyz") == (200, "ready\n")

        async def counted() -> str:
            _, text = await get(f"{url}/metrics")
            return text if 'footnote_answers_total{reason="",status="answered"} 1.0' in text else ""

        text = str(await until(counted))
    assert "footnote_workers_alive 1.0" in text
    assert 'footnote_lost_events{cause="ended_without_answer"} 0.0' in text
    stored = float(text.split("\nfootnote_insert_seconds_count ")[1].split(maxsplit=1)[0])
    assert stored >= 1
    for word in ("canary", "demo", "alice", ALICE, "handbook", "general", ts):
        assert word not in text


async def test_what_is_stuck_is_named(company: Company) -> None:
    await asyncio.to_thread(prepare, system_url(company.url, company.folder))
    for file, part in (("footnote.db", "database"), ("queue.db", "queue")):
        async with seen(company, Metrics()) as url:
            with locked(company.folder / file):
                assert await get(f"{url}/readyz") == (503, f"not ready: {part}\n")


async def test_without_a_queue_there_are_no_figures_of_it(company: Company) -> None:
    async with seen(company, Metrics()) as url:
        assert await get(f"{url}/readyz") == (503, "not ready: queue\n")
        status, text = await get(f"{url}/metrics")
    assert status == 200
    assert "footnote_outlook_up 0.0" in text
    assert "footnote_lost_events{" not in text


async def test_the_lines_of_a_task_carry_its_id(bot: Bot, driver: Driver) -> None:
    written = io.StringIO()
    handler = handler_for("json", written)
    logger = logging.getLogger("bot")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)

    async def ended() -> bool:
        return "ended: answered" in written.getvalue()

    try:
        ts = await asked(driver)
        await until(ended)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    about = [
        line for line in lines if line["logger"] in ("bot.questions.answering", "bot.delivery")
    ]
    assert len(about) > 5
    assert {line["task"].split("-")[0] for line in about} == {ts}
    assert "canary" not in written.getvalue()


async def test_a_question_that_failed_is_counted_by_its_reason(
    company: Company, running: Running, driver: Driver, metrics: Metrics
) -> None:
    hurried = Limits(task_seconds=0.5)
    async with socket_bot(
        company, running, meter=metrics, limits=hurried, pause=lambda _request: 30.0
    ):
        await asked(driver)
        async with seen(company, metrics) as url:
            name = 'footnote_answers_total{reason="budget_exceeded",status="failed"} 1.0'

            async def counted() -> bool:
                return name in (await get(f"{url}/metrics"))[1]

            await until(counted)
