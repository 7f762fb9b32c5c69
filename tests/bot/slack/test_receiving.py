"""Where jobs go while the database is away, and that none overtakes another."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.errors import JobRefused
from bot.inbound.receiving import Receiving
from bot.queue.durable import Job
from bot.spool import Spool
from rag.errors import StoreUnavailable
from tests.bot.slack.test_queue import JOB
from tests.playground.conftest import until


class Database:
    """A queue that can be away."""

    def __init__(self) -> None:
        self.away = False
        self.stored: list[str] = []

    async def put(self, job: Job) -> None:
        await asyncio.sleep(0)
        if self.away:
            raise StoreUnavailable("away")
        if "refuse" in job.id:
            raise JobRefused("not this one")
        if job.id not in self.stored:
            self.stored.append(job.id)


class Broken(Database):
    """A queue with a fault of its own, until it is mended."""

    async def put(self, job: Job) -> None:
        if self.away:
            raise RuntimeError("a fault")
        await super().put(job)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def soon(check: Callable[[], bool]) -> bool:
    async def checked() -> bool:
        return check()

    return bool(await until(checked))


def job(ident: str) -> Job:
    return JOB.model_copy(update={"id": ident})


class World:
    def __init__(self, folder: Path, database: Database | None = None) -> None:
        self.folder = folder
        self.database = database or Database()
        self.clock = Clock()

    @asynccontextmanager
    async def receiving(self, *, grace_seconds: float = 20.0) -> AsyncIterator[Receiving]:
        made = Receiving(
            self.database, Spool(self.folder), grace_seconds=grace_seconds, clock=self.clock
        )
        async with made.draining():
            yield made

    @property
    def spooled(self) -> int:
        return sum(file.stat().st_size for file in self.folder.iterdir())


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "spool")


async def test_a_short_outage_is_left_to_slack(world: World) -> None:
    async with world.receiving() as receiving:
        world.database.away = True
        for second in (0.0, 10.0, 19.0):
            world.clock.now = second
            with pytest.raises(StoreUnavailable):
                await receiving.put(job("a"), comes_again=True)
        world.database.away = False
        assert await receiving.put(job("a"), comes_again=True) is False
        world.database.away = True
        world.clock.now = 100.0  # a new outage, with a grace of its own
        with pytest.raises(StoreUnavailable):
            await receiving.put(job("b"), comes_again=True)
    assert world.spooled == 0


async def test_a_long_outage_is_laid_by_and_told_once(world: World) -> None:
    async with world.receiving() as receiving:
        world.database.away = True
        with pytest.raises(StoreUnavailable):
            await receiving.put(job("a"), comes_again=True)
        world.clock.now = 21.0
        assert await receiving.put(job("a"), comes_again=True) is True
        assert await receiving.put(job("a"), comes_again=True) is False  # Slack's next repeat
        assert receiving.troubled
        assert world.database.stored == []
        world.database.away = False
        assert await soon(lambda: world.database.stored == ["a"])
        assert await soon(lambda: world.spooled == 0)
        await soon(lambda: not receiving.troubled)
        assert await receiving.put(job("b"), comes_again=True) is False


async def test_what_never_comes_again_is_laid_by_at_once(world: World) -> None:
    async with world.receiving() as receiving:
        world.database.away = True
        assert await receiving.put(job("command"), comes_again=False) is True


async def test_nothing_overtakes_what_is_laid_by(world: World) -> None:
    expected = [f"{number:03}" for number in range(300)]
    async with world.receiving(grace_seconds=0.0) as receiving:
        world.database.away = True
        for ident in expected[:150]:
            await receiving.put(job(ident), comes_again=True)
        world.database.away = False
        for ident in expected[150:]:
            await receiving.put(job(ident), comes_again=True)
            await asyncio.sleep(0.002)  # so that some come while the others are being stored
        assert await soon(lambda: len(world.database.stored) == 300)
    assert world.database.stored == expected


async def test_what_a_dead_process_left_is_stored_before_anything_new(world: World) -> None:
    left = Spool(world.folder)
    left.append([job("old").model_dump_json()])
    left.close()
    async with world.receiving() as receiving:
        assert await receiving.put(job("new"), comes_again=True) is True
        assert await soon(lambda: world.database.stored == ["old", "new"])


async def test_what_a_dead_process_left_is_told_of_no_second_time(world: World) -> None:
    left = Spool(world.folder)
    left.append([job("old").model_dump_json()])
    left.close()
    world.database.away = True
    async with world.receiving() as receiving:
        assert await receiving.put(job("old"), comes_again=True) is False
        assert await receiving.put(job("new"), comes_again=True) is True
        world.database.away = False
        assert await soon(lambda: world.database.stored == ["old", "new"])


async def test_a_fault_of_the_queue_drops_nothing(tmp_path: Path) -> None:
    world = World(tmp_path / "spool", Broken())
    world.database.away = True
    left = Spool(world.folder)
    left.append([job("a").model_dump_json(), job("b").model_dump_json()])
    left.close()
    async with world.receiving():
        await asyncio.sleep(0.2)
    assert world.spooled > 0
    world.database.away = False
    async with world.receiving():
        assert await soon(lambda: world.database.stored == ["a", "b"])


async def test_one_bad_line_holds_up_nobody(world: World, caplog: pytest.LogCaptureFixture) -> None:
    left = Spool(world.folder)
    left.append([job("a").model_dump_json(), '{"odd": 1}', job("refuse").model_dump_json()])
    left.append([job("b").model_dump_json()])
    left.close()
    async with world.receiving():
        assert await soon(lambda: world.database.stored == ["a", "b"])
    assert caplog.text.count("lost") == 2


async def test_a_full_spool_refuses(tmp_path: Path) -> None:
    database = Database()
    database.away = True
    spool = Spool(tmp_path, max_bytes=10)
    receiving = Receiving(database, spool, grace_seconds=0.0)
    async with receiving.draining():
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                await receiving.put(JOB, comes_again=True)
