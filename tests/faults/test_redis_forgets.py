"""Redis forgets, dies or lies at any stage: the answer is the same and nothing is read twice."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from redis.asyncio import Redis

from bot.engines.redis_context import RedisContext, connect
from rag.errors import ContextUnavailable
from rag.pipeline import run
from rag.running import Ports
from rag.testing import RecordingObserver, World
from rag.values import Limits, Reason, Request, Status
from tests.faults.redis_server import Server, redis_server

STAGES = (
    *("authorize", "plan", "index", "retrieve", "select"),
    *("assemble", "answer", "ground", "report", "publish"),
)
KEY = "footnote:context:t1"
Blow = Callable[[Server, Redis], Awaitable[object]]


async def flushed(_server: Server, client: Redis) -> None:
    await client.flushall()


async def restarted(server: Server, _client: Redis) -> None:
    await server.restart()


async def corrupted(_server: Server, client: Redis) -> None:
    await client.set(KEY, b'{"key": "footnote:context:t1", "pack": {}}')


async def exchanged(_server: Server, client: Redis) -> None:
    """Another task's pack, and one that is the task's own but says something else."""
    found = await client.get(KEY)
    if isinstance(found, str):
        await client.set(KEY, found.replace("seven days", "eight days"))


class Struck(RecordingObserver):
    """An observer during whose stage something happens to Redis."""

    def __init__(self, at: str, blow: Callable[[], Awaitable[object]]) -> None:
        super().__init__()
        self._at = at
        self._blow = blow

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        await super().entering(request, stage, attempt)
        if stage == self._at:
            await self._blow()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with redis_server() as made:
        yield made


@pytest.fixture
async def client(server: Server) -> AsyncIterator[Redis]:
    opened = connect(server.url)
    yield opened
    await opened.aclose()


def loans() -> World:
    world = World()
    world.add("loans", "A loan ends after seven days.", title="Lending")
    return world


def ports(world: World, client: Redis) -> Ports:
    made = world.ports()
    context = RedisContext(client, ttl_seconds=60)
    return Ports(**{**vars(made), "context": context})


@pytest.mark.parametrize("blow", [flushed, restarted, corrupted, exchanged])
async def test_at_every_stage_the_answer_is_the_same(
    server: Server, client: Redis, blow: Blow
) -> None:
    for at in STAGES:
        await client.flushall()
        world = loans()
        world.observer = Struck(at, lambda: blow(server, client))
        report = await run(
            world.request("When does a loan end?"), ports(world, client), limits=Limits()
        )
        assert report.answer.status is Status.ANSWERED, at
        quotes = [c.quote for claim in report.answer.claims for c in claim.citations]
        assert quotes == ["A loan ends after seven days."], at
        assert world.reader.calls == ["plan", "select", "answer", "support"], at


@pytest.mark.parametrize("at", ["assemble", "answer"])
async def test_without_redis_no_task_passes_assemble_and_none_goes_on_from_memory(
    server: Server, client: Redis, at: str
) -> None:
    world = loans()

    async def gone() -> None:
        server.kill()

    world.observer = Struck(at, gone)
    request = world.request("When does a loan end?")
    with pytest.raises(ContextUnavailable) as caught:
        await run(request, ports(world, client), limits=Limits())
    assert (caught.value.reason, caught.value.stage) == (Reason.CONTEXT_UNAVAILABLE, at)
    spent = list(world.reader.calls)
    assert "answer" not in spent
    await server.start()
    world.observer = RecordingObserver()
    report = await run(request, ports(world, client), limits=Limits())
    assert report.answer.status is Status.ANSWERED
    assert world.reader.calls == [*spent, "answer", "support"]


async def test_a_frozen_redis_is_an_outage_within_seconds(server: Server, client: Redis) -> None:
    context = RedisContext(client, ttl_seconds=60)
    assert await context.load("t1") is None
    server.signal(signal.SIGSTOP)
    with pytest.raises(ContextUnavailable):
        await context.load("t1")
    server.signal(signal.SIGCONT)
    assert await context.load("t1") is None
