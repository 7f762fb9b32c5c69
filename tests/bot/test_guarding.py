"""What the settings put round a model, asked over real HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.guarding import examine_providers, guarded
from bot.readers import open_reader
from bot.settings import Settings, load_settings
from bot.storage.database import Database
from bot.storage.migrate import ensure
from bot.storage.spending import SqlSpending
from bot.storage.tenants import SqlTenants
from rag.errors import DayUsedUp, ReaderExhausted, ReaderIncomplete
from rag.ports import Behalf, PlanRequest, Reader
from rag.values import RoleSpent
from tests.models.server import Answer, Body, ModelServer, model_server
from tests.models.steps import Step
from tests.models.talking import talking

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
NO_ANSWER = Step(body="busy, come back later")
CUT_OFF = Step(content='{"intent": "x"}', finish="length")


class Readers:
    """A reader as a process opens it, and the provider behind it."""

    def __init__(self, settings: Settings, reader: Reader, server: ModelServer) -> None:
        self.settings = settings
        self.reader = reader
        self.server = server

    async def plan(
        self,
        task: str = "t1",
        *,
        question: str = "How long is a loan?",
        tenant: str = "demo",
        rights: str = "r1",
    ) -> None:
        behalf = Behalf(tenant=tenant, task=task, rights=rights)
        await self.reader.plan(PlanRequest(behalf=behalf, question=question, asked_at=AT))

    async def of(self, task: str) -> tuple[RoleSpent, ...]:
        async with record(self.settings) as database:
            return (await SqlSpending(database).of(tenant="demo", task=task)).roles


@asynccontextmanager
async def record(settings: Settings) -> AsyncIterator[Database]:
    database = Database(settings.record_url)
    yield database
    await database.close()


@asynccontextmanager
async def reading(folder: Path, answer: Answer, **more: object) -> AsyncIterator[Readers]:
    async with model_server(answer) as server:
        settings = load_settings(data=folder, reader="openai:small", reader_url=server.url, **more)
        settings.home.mkdir(parents=True)
        ensure(settings.record_url)
        async with record(settings) as database:
            for tenant in ("acme", "demo"):
                await SqlTenants(database).create(tenant)
            ledger = SqlSpending(database, daily_tokens=settings.reader_daily_tokens)
            async with (
                guarded(settings, database, ledger) as wrap,
                open_reader(settings, count_tokens=len, ledger=ledger, wrap=wrap) as reader,
            ):
                yield Readers(settings, reader, server)


async def test_a_provider_that_fails_is_left_alone_and_the_doctor_says_so(tmp_path: Path) -> None:
    async with reading(tmp_path, lambda _body: NO_ANSWER, reader_break_after=2) as opened:
        for _ in range(2):
            with pytest.raises(ReaderExhausted):
                await opened.plan()
        assert len(opened.server.asked) == 2
        with pytest.raises(ReaderExhausted, match="left alone"):
            await opened.plan(tenant="acme")
        assert len(opened.server.asked) == 2
        (found,) = await examine_providers(opened.settings)
        assert (found.about, found.well) == ("Provider openai", False)
        assert "its last 2 replies all failed; asked by nobody for" in found.seen
        later = datetime.now(UTC) + timedelta(seconds=31)
        (found,) = await examine_providers(opened.settings, clock=lambda: later)
        assert "one question will try it" in found.seen


async def test_replies_that_are_cut_off_close_no_provider(tmp_path: Path) -> None:
    async with reading(tmp_path, lambda _body: CUT_OFF, reader_break_after=1) as opened:
        for _ in range(3):
            with pytest.raises(ReaderIncomplete):
                await opened.plan()
        assert len(opened.server.asked) == 3
        assert await examine_providers(opened.settings) == ()


async def test_a_breaker_that_is_switched_off_closes_nothing(tmp_path: Path) -> None:
    async with reading(tmp_path, lambda _body: NO_ANSWER, reader_break_after=0) as opened:
        for _ in range(3):
            with pytest.raises(ReaderExhausted):
                await opened.plan()
        assert len(opened.server.asked) == 3


async def test_every_request_is_a_row_with_the_servers_own_count(tmp_path: Path) -> None:
    def answer(body: Body) -> Step:
        usage = {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366}
        return talking()(body).model_copy(update={"envelope": {"usage": usage}})

    async with reading(tmp_path, answer) as opened:
        await opened.plan()
        (plan,) = await opened.of("t1")
        assert (plan.calls, plan.failed, plan.tokens_in, plan.tokens_out) == (1, 0, 321, 45)


async def test_failed_requests_are_rows_too(tmp_path: Path) -> None:
    async with reading(tmp_path, lambda _body: CUT_OFF) as opened:
        with pytest.raises(ReaderIncomplete):
            await opened.plan()
        (plan,) = await opened.of("t1")
        assert (plan.calls, plan.tokens_out) == (1, len('{"intent": "x"}') // 4)


async def test_a_used_up_day_sends_nothing_more(tmp_path: Path) -> None:
    async with reading(tmp_path, talking(), reader_daily_tokens=1) as opened:
        await opened.plan()
        with pytest.raises(DayUsedUp):
            await opened.plan("t2")
        await opened.plan(tenant="acme")
        assert len(opened.server.asked) == 2


async def test_nothing_is_remembered_unless_it_is_asked_for(tmp_path: Path) -> None:
    async with reading(tmp_path, talking()) as opened:
        for task in ("t1", "t2"):
            await opened.plan(task)
        assert len(opened.server.asked) == 2
        assert not (opened.settings.home / "redis").exists()


async def test_a_remembered_reply_asks_nobody_and_stands_in_the_trace(tmp_path: Path) -> None:
    async with reading(tmp_path, talking(), reader_cache_seconds=60) as opened:
        for task in ("t1", "t2"):
            await opened.plan(task)
        assert len(opened.server.asked) == 1
        (plan,) = await opened.of("t2")
        assert (plan.calls, plan.remembered, plan.tokens_in) == (0, 1, 0)
        await opened.plan("t3", rights="r2")
        await opened.plan("t4", tenant="acme")
        await opened.plan("t5", question="How long is a loan ?")
        assert len(opened.server.asked) == 4


async def test_the_doctor_is_silent_where_no_model_reads_or_no_record_is(tmp_path: Path) -> None:
    assert await examine_providers(load_settings(data=tmp_path)) == ()
    assert await examine_providers(load_settings(data=tmp_path, reader="openai:small")) == ()
