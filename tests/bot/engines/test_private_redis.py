"""The private Redis lives with its users, whoever started it, and dies with the last."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from bot.engines.private_redis import private_redis

USER = """
import asyncio, sys
from pathlib import Path
from bot.engines.private_redis import private_redis

async def use():
    async with private_redis(Path(sys.argv[1])) as url:
        print(url, flush=True)
        await asyncio.sleep(600)

asyncio.run(use())
"""


def _user(folder: Path) -> tuple["subprocess.Popen[str]", str]:
    process = subprocess.Popen(
        [sys.executable, "-c", USER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


async def _answers(url: str) -> bool:
    client = Redis.from_url(url, socket_timeout=1)
    try:
        return bool(await client.ping())
    except (RedisError, OSError):
        return False
    finally:
        await client.aclose()


async def _goes_away(url: str) -> bool:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if not await _answers(url):
            return True
        await asyncio.sleep(0.1)
    return False


async def test_two_processes_share_one_server(tmp_path: Path) -> None:
    async with private_redis(tmp_path) as first, private_redis(tmp_path) as second:
        assert first == second
        assert await _answers(first)
    assert await _goes_away(first)


async def test_it_outlives_the_process_that_started_it(tmp_path: Path) -> None:
    starter, url = _user(tmp_path)
    other, same = _user(tmp_path)
    assert url == same
    os.kill(starter.pid, signal.SIGKILL)
    starter.wait()
    await asyncio.sleep(3)
    assert await _answers(url)
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    assert await _goes_away(url)


async def test_a_server_that_died_is_replaced(tmp_path: Path) -> None:
    async with private_redis(tmp_path) as url:
        client = Redis.from_url(url)
        pid = int((await client.info("server"))["process_id"])
        await client.aclose()
        os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.2)
        async with private_redis(tmp_path) as again:
            assert await _answers(again)


async def test_a_long_folder_gets_a_short_private_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    async with private_redis(folder) as url:
        assert len(url.removeprefix("unix://")) < 100
        assert await _answers(url)


@pytest.mark.parametrize("leftover", ["redis.sock"])
async def test_a_leftover_socket_file_does_not_stop_it(tmp_path: Path, leftover: str) -> None:
    (tmp_path / leftover).write_text("")
    async with private_redis(tmp_path) as url:
        assert await _answers(url)


async def _pid(url: str) -> int:
    client = Redis.from_url(url)
    pid = int((await client.info("server"))["process_id"])
    await client.aclose()
    return pid


async def _comes_back(url: str) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if await _answers(url):
            return True
        await asyncio.sleep(0.1)
    return False


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


async def test_its_keeper_starts_it_again_while_it_is_used(tmp_path: Path) -> None:
    async with private_redis(tmp_path) as url:
        for _death in range(2):
            pid = await _pid(url)
            os.kill(pid, signal.SIGKILL)
            assert await _comes_back(url)
            assert await _pid(url) != pid
    assert await _goes_away(url)


async def test_a_keeper_that_died_is_replaced_while_it_is_used(tmp_path: Path) -> None:
    async with private_redis(tmp_path) as url:
        pid = await _pid(url)
        os.kill(_parent(pid), signal.SIGKILL)
        await asyncio.sleep(0.3)
        assert await _comes_back(url)
        assert await _pid(url) != pid
    assert await _goes_away(url)
