"""A provider that fails in a row is left alone by every process, then tried by one call."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.models.breaking import Breaking
from bot.storage.breaker import SqlBreaker
from bot.storage.database import Database
from rag.errors import (
    BudgetExceeded,
    FootnoteError,
    FormatInvalid,
    ReaderDeclined,
    ReaderExhausted,
    ReaderIncomplete,
    ReaderUnavailable,
    StoreUnavailable,
)
from rag.ports import Behalf, Prompt, Role, T
from rag.values import Facet, Value

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
REPLY = Facet(id="f1", text="reply")
PROMPT = Prompt(
    behalf=Behalf(tenant="demo"), role=Role.PLAN, version="1", instructions="", material=""
)


class Moody:
    """A model that does as its test says, and counts how often it was asked."""

    name = "openai:small"

    def __init__(self) -> None:
        self.fails: FootnoteError | None = None
        self.asked = 0
        self.may_reply = asyncio.Event()
        self.may_reply.set()
        self.tried = asyncio.Event()

    async def reply(self, prompt: Prompt, shape: type[T]) -> T:
        self.asked += 1
        self.tried.set()
        await self.may_reply.wait()
        if self.fails:
            raise self.fails
        return shape.model_validate(REPLY.model_dump())


class Street:
    """A provider's model as two processes ask it, at an hour that a test sets."""

    def __init__(self, database: Database) -> None:
        self.now = NOON
        self.model = Moody()
        self.breakers = [
            SqlBreaker(database, after=3, seconds=30, clock=lambda: self.now) for _ in range(2)
        ]

    async def ask(self, *, provider: str = "openai", process: int = 0) -> Value:
        named = Breaking(inner=self.model, provider=provider, breaker=self.breakers[process])
        return await named.reply(PROMPT, Facet)

    async def fail(self, times: int, *, provider: str = "openai") -> None:
        self.model.fails = ReaderUnavailable("down")
        for turn in range(times):
            with pytest.raises(ReaderUnavailable):
                await self.ask(provider=provider, process=turn % 2)
        self.model.fails = None


@pytest.fixture
def street(database: Database) -> Street:
    return Street(database)


async def test_failures_in_a_row_open_it_for_every_process_and_no_other_provider(
    street: Street,
) -> None:
    await street.fail(3)
    for process in (0, 1):
        with pytest.raises(ReaderExhausted):
            await street.ask(process=process)
    assert street.model.asked == 3
    assert await street.ask(provider="local") == REPLY


async def test_a_reply_between_failures_lets_the_count_begin_anew(street: Street) -> None:
    await street.fail(2)
    assert await street.ask() == REPLY
    await street.fail(2)
    assert await street.ask() == REPLY


@pytest.mark.parametrize(
    "error", [ReaderDeclined(), ReaderIncomplete(), FormatInvalid()], ids=lambda e: type(e).__name__
)
async def test_what_a_provider_was_reached_for_is_no_outage(
    street: Street, error: FootnoteError
) -> None:
    """Else one tenant's document that no model will read would take it from all others."""
    await street.fail(2)
    street.model.fails = error
    for _ in range(4):
        with pytest.raises(type(error)):
            await street.ask()
    assert await street.breakers[0].outages() == ()


@pytest.mark.parametrize("error", [BudgetExceeded("x", limit="x"), StoreUnavailable()])
async def test_a_call_that_was_not_made_says_nothing_of_the_provider(
    street: Street, error: FootnoteError
) -> None:
    await street.fail(2)
    street.model.fails = error
    for _ in range(4):
        with pytest.raises(type(error)):
            await street.ask()
    (outage,) = await street.breakers[1].outages()
    assert (outage.provider, outage.failures, outage.again_at) == ("openai", 2, None)


async def test_after_a_while_one_call_alone_tries_and_opens_it_for_all(street: Street) -> None:
    await street.fail(3)
    street.now += timedelta(seconds=30)
    street.model.may_reply.clear()
    street.model.tried.clear()
    trial = asyncio.create_task(street.ask())
    await street.model.tried.wait()
    with pytest.raises(ReaderExhausted):
        await street.ask(process=1)
    street.model.may_reply.set()
    assert await trial == REPLY
    assert await street.ask(process=1) == REPLY
    assert await street.breakers[0].outages() == ()


async def test_a_trial_that_fails_closes_it_for_as_long_again(street: Street) -> None:
    await street.fail(3)
    street.now += timedelta(seconds=30)
    await street.fail(1)
    street.now += timedelta(seconds=29)
    with pytest.raises(ReaderExhausted):
        await street.ask()
    (outage,) = await street.breakers[0].outages()
    assert (outage.failures, outage.again_at) == (4, NOON + timedelta(seconds=60))
    street.now += timedelta(seconds=1)
    assert await street.ask() == REPLY


async def test_a_trial_whose_process_died_is_made_again(street: Street) -> None:
    await street.fail(3)
    street.now += timedelta(seconds=30)
    await street.breakers[0].enter("openai")  # and nothing more is heard of it
    with pytest.raises(ReaderExhausted):
        await street.ask()
    street.now += timedelta(seconds=30)
    assert await street.ask() == REPLY


async def test_of_many_that_wait_one_tries(street: Street) -> None:
    await street.fail(3)
    street.now += timedelta(seconds=30)
    street.model.may_reply.clear()
    asking = [asyncio.create_task(street.ask(process=turn % 2)) for turn in range(20)]
    ended = asyncio.as_completed(asking)
    async with asyncio.timeout(30):  # where two try, fewer are refused than are waited for
        for _ in range(19):
            with pytest.raises(ReaderExhausted):
                await next(ended)
    assert street.model.asked == 4
    street.model.may_reply.set()
    assert await next(ended) == REPLY


class Away:
    """A breaker that cannot be told anything."""

    async def enter(self, provider: str) -> None:
        return None

    async def failed(self, provider: str) -> None:
        raise StoreUnavailable("away")

    async def worked(self, provider: str) -> None:
        raise StoreUnavailable("away")


async def test_neither_a_reply_nor_a_reason_is_lost_because_it_cannot_be_kept() -> None:
    model = Moody()
    named = Breaking(inner=model, provider="openai", breaker=Away())
    assert await named.reply(PROMPT, Facet) == REPLY
    model.fails = ReaderUnavailable("down")
    with pytest.raises(ReaderUnavailable):
        await named.reply(PROMPT, Facet)
