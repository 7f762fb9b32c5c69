"""What may be asked from outside, by whom, and what it gives away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from bot.queue.backlog import Here
from bot.watch.health import Outside, listening
from bot.watch.lookout import Readiness
from bot.watch.metrics import Metrics
from rag.errors import StoreUnavailable

CANARY = "canary"


async def well() -> None:
    return None


async def ill() -> None:
    raise StoreUnavailable(CANARY)


async def hanging() -> None:
    await asyncio.Event().wait()


def outside(*, token: str = "", **checks: object) -> Outside:
    metrics = Metrics()

    async def exposition(parts: dict[str, bool]) -> bytes:
        return metrics.exposition(Here(), None, parts)

    readiness = Readiness(dict(checks), seconds=0.2)  # type: ignore[arg-type] # checks, all of them
    return Outside(readiness=readiness, exposition=exposition, token=token)


@asynccontextmanager
async def asked(shown: Outside) -> AsyncIterator[str]:
    async with listening(shown, host="127.0.0.1", port=0) as port:
        yield f"http://127.0.0.1:{port}"
    await shown.readiness.close()


async def get(url: str, **headers: str) -> tuple[int, str]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with aiohttp.ClientSession() as session, session.get(url, headers=named) as answer:
        return answer.status, await answer.text()


async def test_all_well_is_ready_and_alive() -> None:
    async with asked(outside(database=well, redis=well)) as url:
        assert await get(f"{url}/healthz") == (200, "ok")
        assert await get(f"{url}/readyz") == (200, "ready\n")


async def test_what_is_missing_is_named_and_nothing_else_is_said() -> None:
    shown = outside(database=ill, queue=well, redis=hanging)
    async with asked(shown) as url:
        assert await get(f"{url}/healthz") == (200, "ok")
        assert await get(f"{url}/readyz") == (503, "not ready: database, redis\n")
        status, text = await get(f"{url}/metrics")
    assert status == 200
    assert 'footnote_ready{component="database"} 0.0' in text
    assert 'footnote_ready{component="queue"} 1.0' in text
    assert CANARY not in text


async def test_a_part_that_hangs_is_asked_once_until_it_answers() -> None:
    calls = 0
    go = asyncio.Event()

    async def slow() -> None:
        nonlocal calls
        calls += 1
        await go.wait()

    readiness = Readiness({"queue": slow}, seconds=0.05)
    for _ in range(3):
        assert await readiness.parts() == {"queue": False}
    assert calls == 1
    go.set()
    assert await readiness.parts() == {"queue": True}
    assert await readiness.parts() == {"queue": True}
    assert calls == 2
    await readiness.close()


@pytest.mark.parametrize("path", ["readyz", "metrics"])
async def test_a_token_is_asked_of_everybody_once_there_is_one(path: str) -> None:
    async with asked(outside(token="s3cret", database=well)) as url:
        assert (await get(f"{url}/{path}"))[0] == 403
        assert (await get(f"{url}/{path}", Authorization="Bearer s3cre"))[0] == 403
        assert (await get(f"{url}/{path}", Authorization="Bearer s3cret"))[0] == 200
        assert (await get(f"{url}/healthz"))[0] == 200


@pytest.mark.parametrize("path", ["readyz", "metrics"])
@pytest.mark.parametrize("header", ["Forwarded", "X_Forwarded_For", "X_Real_IP", "Via"])
async def test_without_a_token_nobody_comes_through_a_proxy(path: str, header: str) -> None:
    async with asked(outside(database=well)) as url:
        assert (await get(f"{url}/{path}", **{header: "127.0.0.1"}))[0] == 403
        assert (await get(f"{url}/{path}"))[0] == 200


async def test_without_a_token_another_machine_is_refused() -> None:
    shown = outside(database=well)
    async with listening(shown, host="0.0.0.0", port=0) as port:  # noqa: S104 - the point of it
        own = await _own_address()
        if own is None:
            pytest.skip("this machine has no address but its loopback")
        assert (await get(f"http://{own}:{port}/metrics"))[0] == 403
        assert (await get(f"http://{own}:{port}/healthz"))[0] == 200
    await shown.readiness.close()


async def _own_address() -> str | None:
    """An address of this machine that is not its loopback; nothing is sent."""
    loop = asyncio.get_running_loop()
    try:
        transport, _ = await loop.create_datagram_endpoint(
            asyncio.DatagramProtocol, remote_addr=("192.0.2.1", 9)
        )
    except OSError:
        return None
    address = str(transport.get_extra_info("sockname")[0])
    transport.close()
    return None if address.startswith("127.") else address
