"""The working context on a real Redis: kept for a while, never guessed, never waited for."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.engines.private_redis import private_redis
from bot.engines.redis_context import RedisContext, connect
from rag.errors import ContextUnavailable
from rag.values import ContextPack, Facet, Plan

_KEY = "footnote:context:"


def _pack(task: str = "t1", question: str = "借用超过 7 天怎么办？😀") -> ContextPack:
    plan = Plan(intent="ask", rewritten=question, facets=(Facet(id="f1", text=question),))
    return ContextPack(task=task, question=question, plan=plan, missing=("归还日期",))


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Redis]:
    """A client of a private server with nothing in it."""
    async with private_redis(tmp_path) as url:
        opened = connect(url)
        yield opened
        await opened.aclose()


@pytest.fixture
def black_hole() -> Iterator[str]:
    """The URL of a server that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}"


async def test_a_pack_comes_back_as_it_was_written(client: Redis) -> None:
    context = RedisContext(client, ttl_seconds=60)
    assert await context.load("t1") is None
    await context.update(_pack())
    assert await context.load("t1") == _pack()
    await context.update(_pack(question="anders"))
    assert await context.load("t1") == _pack(question="anders")
    await context.forget("t1")
    assert await context.load("t1") is None


async def test_a_pack_expires_and_each_update_begins_its_time_anew(client: Redis) -> None:
    context = RedisContext(client, ttl_seconds=60)
    await context.update(_pack())
    assert 55 <= await client.ttl(_KEY + "t1") <= 60
    await client.expire(_KEY + "t1", 5)
    await context.update(_pack())
    assert await client.ttl(_KEY + "t1") > 55
    await client.pexpire(_KEY + "t1", 30)
    await asyncio.sleep(0.1)
    assert await context.load("t1") is None


async def test_an_answer_meant_for_another_key_is_not_taken(client: Redis) -> None:
    context = RedisContext(client, ttl_seconds=60)
    await context.update(_pack("other"))
    await client.copy(_KEY + "other", _KEY + "t1")
    assert await context.load("t1") is None
    assert await context.load("other") == _pack("other")


@pytest.mark.parametrize(
    "value",
    [b"", b"{}", b"null", b"\xff\xfe\x00", b"[" * 100_000, b'{"key": "footnote:context:t1"}'],
)
async def test_a_corrupt_value_counts_as_gone(client: Redis, value: bytes) -> None:
    context = RedisContext(client, ttl_seconds=60)
    await client.set(_KEY + "t1", value)
    assert await context.load("t1") is None
    await context.update(_pack())
    assert await context.load("t1") == _pack()


async def test_a_cut_value_counts_as_gone(client: Redis) -> None:
    context = RedisContext(client, ttl_seconds=60)
    await context.update(_pack())
    whole = await client.get(_KEY + "t1")
    assert isinstance(whole, str)
    await client.set(_KEY + "t1", whole[: len(whole) // 2])
    assert await context.load("t1") is None


async def test_a_flushed_server_has_nothing_and_takes_it_again(client: Redis) -> None:
    context = RedisContext(client, ttl_seconds=60)
    await context.update(_pack())
    await client.flushall()
    assert await context.load("t1") is None
    await context.update(_pack())
    assert await context.load("t1") == _pack()


async def test_a_silent_server_is_an_outage_within_two_and_a_half_seconds(black_hole: str) -> None:
    opened = connect(black_hole)
    context = RedisContext(opened, ttl_seconds=60)
    for call in (context.load("t1"), context.update(_pack()), context.forget("t1")):
        started = time.monotonic()
        with pytest.raises(ContextUnavailable):
            await call
        assert time.monotonic() - started < 2.5
    await opened.aclose()


async def test_a_refused_connection_is_an_outage_at_once(tmp_path: Path) -> None:
    for url in ("redis://127.0.0.1:1", f"unix://{tmp_path / 'nothing.sock'}"):
        opened = connect(url)
        context = RedisContext(opened, ttl_seconds=60)
        for call in (context.load("t1"), context.update(_pack()), context.forget("t1")):
            with pytest.raises(ContextUnavailable):
                await call
        await opened.aclose()


async def test_a_cancelled_call_leaves_no_answer_for_the_next(client: Redis) -> None:
    context = RedisContext(client, ttl_seconds=60)
    names = [f"t{number}" for number in range(20)]
    for name in names:
        await context.update(_pack(name))
    for number, name in enumerate(names):
        call = asyncio.create_task(context.load(name))
        for _ in range(number % 5):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        following = names[(number + 1) % len(names)]
        assert await context.load(following) in {None, _pack(following)}
