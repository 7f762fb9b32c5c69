"""The lines in which jobs wait: a conversation keeps its order, a tenant leaves others room."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.playground import Running
from bot.questions.asking import Brief, answer_job
from bot.queue.engine import system_url
from bot.queue.lines import ANSWERING
from bot.worker import working
from rag.values import Place, Request
from tests.bot.slack.conftest import TENANT, Company, on_both, parts_of, replies, socket_bot
from tests.playground.conftest import Driver, until

ASKED = "<@footnote> What does a loan need?"
CONCURRENCY = 2
SECONDS = 0.8


@dataclass
class Spans:
    """When each run was seen at work, by its task; each run takes `SECONDS`."""

    seen: dict[str, list[float]] = field(default_factory=dict)

    def __call__(self, request: Request) -> float:
        self.seen.setdefault(request.task, []).append(time.monotonic())
        return SECONDS

    def at_once(self) -> int:
        """The most runs that were at work at one instant."""
        begun = [times[0] for times in self.seen.values()]
        return max(sum(times[0] <= at <= times[-1] for times in self.seen.values()) for at in begun)


@on_both
async def test_a_conversation_waits_for_its_answer_and_another_does_not(
    company: Company, running: Running, driver: Driver
) -> None:
    spans = Spans()
    async with socket_bot(company, running, pause=spans):
        root = await driver.post("say", user="alice", channel="general", text="Who knows loans?")
        for who in ("alice", "bob"):
            await driver.post("say", user=who, channel="general", text=ASKED, thread_ts=root["ts"])
        await replies(driver, "general", "alice", root["ts"], count=2)
        assert len(spans.seen) == 2
        assert spans.at_once() == 1
        threads = [
            (await driver.post("say", user=who, channel="general", text=ASKED))["ts"]
            for who in ("alice", "bob")
        ]
        for thread in threads:
            await replies(driver, "general", "alice", thread)
        assert spans.at_once() == 2


async def _flood(company: Company, tenant: str, count: int) -> list[str]:
    """Stored questions of a tenant, all of them waiting to be answered; their tasks."""
    tasks = []
    for number in range(count):
        request = Request(
            task=f"{tenant}-{number:02}",
            tenant=tenant,
            principal="nobody",
            question="What does a loan need?",
            place=Place(),
            asked_at=datetime.now(UTC),
        )
        await company.record.tasks.enqueue(request)
        tasks.append(request.task)
    return tasks


@on_both
async def test_a_flood_of_one_tenant_is_bounded_and_leaves_room_for_another(
    company: Company, running: Running
) -> None:
    await company.tenants.create("acme")
    spans, url = Spans(), system_url(company.url, company.folder)
    async with parts_of(company, running, pause=spans) as bot:
        flood = await _flood(company, TENANT, 8)
        (quiet,) = await _flood(company, "acme", 1)
        for task in (*flood, quiet):  # the quiet one comes last
            brief = Brief(tenant=task.partition("-")[0], task=task)
            await bot.parts.queue.put(answer_job(brief, at=datetime.now(UTC)), queue=ANSWERING)
        async with working(bot.parts, url=url, slots=company.slots, concurrency=CONCURRENCY):

            async def begun() -> bool:
                return len(spans.seen) == len(flood) + 1

            await until(begun, seconds=60.0)
    loud = Spans({task: times for task, times in spans.seen.items() if task != quiet})
    assert loud.at_once() == CONCURRENCY
    assert spans.at_once() > CONCURRENCY  # the other's ran beside them
    assert list(spans.seen).index(quiet) <= 2 * CONCURRENCY
