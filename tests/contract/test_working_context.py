"""What `rag` may rely on, wherever the working context lives."""

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.engines.private_redis import private_redis
from bot.engines.redis_context import RedisContext, connect
from rag.errors import ContextUnavailable
from rag.ports import WorkingContext
from rag.testing import MemoryContext, chunks_of
from rag.testing.stores import digest
from rag.values import ContextPack, Evidence, Facet, Kind, Pinned, Plan, SourceStatus

TEXT = "借用超过七天的，应重新确认归还日期。🧾\n\nA badge is lent by the desk."


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A working context, and how to make it forget everything and how to cut it off."""

    context: WorkingContext
    flush: Callable[[], Awaitable[object]]
    cut_off: Callable[[], Awaitable[object]]


@asynccontextmanager
async def in_memory(folder: Path) -> AsyncIterator[Kept]:
    context = MemoryContext()

    async def flush() -> None:
        context.packs.clear()

    async def cut_off() -> None:
        context.down = True

    yield Kept(context=context, flush=flush, cut_off=cut_off)


@asynccontextmanager
async def in_redis(folder: Path) -> AsyncIterator[Kept]:
    async with private_redis(folder) as url:
        client = connect(url)

        server = int((await client.info("server"))["process_id"])

        async def cut_off() -> None:
            os.kill(server, signal.SIGSTOP)  # a dead one would be started again

        yield Kept(
            context=RedisContext(client, ttl_seconds=60), flush=client.flushall, cut_off=cut_off
        )
        os.kill(server, signal.SIGCONT)
        await client.aclose()


Opened = Callable[[Path], AbstractAsyncContextManager[Kept]]


@pytest.fixture(params=[in_memory, in_redis])
async def kept(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Kept]:
    opened: Opened = request.param
    async with opened(tmp_path) as found:
        yield found


def pack(task: str = "t1", question: str = "归还日期？") -> ContextPack:
    sha = digest(TEXT)
    source = Pinned(
        source_id="loans",
        tenant="demo",
        title="借用",
        kind=Kind.DOCUMENT,
        ref="loans.md",
        snapshot=sha,
        status=SourceStatus.CURRENT,
    )
    chunks = chunks_of(TEXT, source_id="loans", snapshot=sha, title="借用")
    plan = Plan(intent="", rewritten=question, facets=(Facet(id="f1", text=question),))
    return ContextPack(
        task=task,
        question=question,
        plan=plan,
        evidence=tuple(Evidence(chunk=chunk, source=source) for chunk in chunks),
    )


async def test_a_pack_comes_back_whole_and_the_last_one_wins(kept: Kept) -> None:
    await kept.context.update(pack())
    assert await kept.context.load("t1") == pack()
    await kept.context.update(pack(question="另一个？"))
    assert await kept.context.load("t1") == pack(question="另一个？")


async def test_a_task_sees_its_own_pack_alone(kept: Kept) -> None:
    await kept.context.update(pack("t1"))
    await kept.context.update(pack("t2", "badge?"))
    assert await kept.context.load("t1") == pack("t1")
    assert await kept.context.load("t") is None


async def test_what_was_forgotten_is_none_and_no_error(kept: Kept) -> None:
    await kept.context.update(pack())
    await kept.flush()
    assert await kept.context.load("t1") is None


async def test_an_outage_is_an_error_and_never_none(kept: Kept) -> None:
    await kept.context.update(pack())
    await kept.cut_off()
    with pytest.raises(ContextUnavailable):
        await kept.context.load("t1")
    with pytest.raises(ContextUnavailable):
        await kept.context.update(pack())


async def test_a_pack_in_redis_expires(tmp_path: Path) -> None:
    async with private_redis(tmp_path) as url:
        client = connect(url)
        context = RedisContext(client, ttl_seconds=60)
        await context.update(pack())
        (key,) = await client.keys("*")
        assert 0 < await client.ttl(key) <= 60
        await client.aclose()
