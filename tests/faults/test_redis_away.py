"""Redis is away while the bot works: questions are kept, the wait is visible, and it goes on."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest

from bot.playground import Running, Settings, start
from bot.wiring import World
from rag.values import Limits, Reason
from tests.bot.slack.conftest import finished, replies, shown
from tests.bot.slack.test_mentions import ours
from tests.faults.killed import Desk
from tests.faults.redis_server import Server, Way, redis_server, way_to
from tests.faults.whole_bot import settings_of, whole_bot
from tests.playground.conftest import Driver, Json, until

QUESTION = "<@footnote> 借用示例设备要登记什么？"
WAITING = "工作内存"
Act = Callable[[Server, Way], Awaitable[object]]


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("company")
    done = Desk(data).run("demo", "--seed-only")
    assert done.code == 0, done.err
    return data


@pytest.fixture
def data(seeded: Path, tmp_path: Path) -> Path:
    shutil.copytree(seeded, tmp_path / "d", ignore=shutil.ignore_patterns("redis"))
    return tmp_path / "d"


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    playground = await start(Settings(data=tmp_path / "playground"))
    yield playground
    await playground.close()


@pytest.fixture
async def driver(running: Running) -> AsyncIterator[Driver]:
    async with aiohttp.ClientSession() as session:
        yield Driver(running, session)


@pytest.fixture
async def redis() -> AsyncIterator[tuple[Server, Way]]:
    """A server and the way the bot takes to it."""
    async with redis_server() as server, way_to(server) as way:
        yield server, way


async def killed(server: Server, _way: Way) -> None:
    server.kill()


async def started(server: Server, _way: Way) -> None:
    await server.start()


async def shut(_server: Server, way: Way) -> None:
    await way.close()


async def opened(_server: Server, way: Way) -> None:
    await way.open()


async def swallowed(_server: Server, way: Way) -> None:
    way.swallow = True


async def heard(_server: Server, way: Way) -> None:
    way.swallow = False


OUTAGES = {
    "killed, back empty": (killed, started),
    "refusing": (shut, opened),
    "a black hole": (swallowed, heard),
}


@pytest.mark.parametrize("outage", OUTAGES)
async def test_the_question_waits_says_so_and_goes_on(
    data: Path, running: Running, driver: Driver, redis: tuple[Server, Way], outage: str
) -> None:
    (server, way), (away, back) = redis, OUTAGES[outage]
    settings = settings_of(data, api_url=running.api_url, redis_url=way.url)
    async with whole_bot(settings) as world:
        await away(server, way)
        said = await driver.post("say", user="alice", channel="general", text=QUESTION)

        async def waits() -> Json | None:
            found = await ours(driver, "general", "alice", said["ts"])
            return found[0] if found and WAITING in found[0]["text"] else None

        waiting: Json = await until(waits)
        assert not finished(waiting)
        for _look in range(30):
            await asyncio.sleep(0.1)
            assert await waits(), "it says something else in between"
        saved = set(await stages(world))
        assert "select" in saved
        assert "assemble" not in saved
        await back(server, way)
        answers = await replies(driver, "general", "alice", said["ts"])
        assert [answer["ts"] for answer in answers] == [waiting["ts"]]
        assert WAITING not in shown(answers[0])
        assert "设备编号" in shown(answers[0])


async def stages(world: World) -> list[str]:
    (task,) = await world.tasks.list(tenant="demo")
    names = ("plan", "select", "assemble", "report")
    return [name for name in names if await world.checkpoints.load(task.id, name)]


async def test_at_the_deadline_it_ends_in_words_and_can_be_resumed(
    data: Path, running: Running, driver: Driver, redis: tuple[Server, Way]
) -> None:
    server, way = redis
    await way.close()
    settings = settings_of(
        data, api_url=running.api_url, redis_url=way.url, limits=Limits(task_seconds=3.0)
    )
    async with whole_bot(settings) as world:
        said = await driver.post("say", user="alice", channel="general", text=QUESTION)
        answers = await replies(driver, "general", "alice", said["ts"])
        assert len(answers) == 1
        assert WAITING in shown(answers[0])

        async def ended() -> bool:
            (task,) = await world.tasks.list(tenant="demo")
            return task.reason is Reason.CONTEXT_UNAVAILABLE

        await until(ended)
        (task,) = await world.tasks.list(tenant="demo")
    done = Desk(data).resume(task.id, REDIS_URL=server.url)
    assert done.status == "answered", done.err
