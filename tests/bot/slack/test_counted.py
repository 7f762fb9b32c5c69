"""The whole bot on the port that operators ask: what happens is counted under its own name."""

import re
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.playground import Running
from bot.wiring import World
from tests.bot.slack.conftest import replies
from tests.bot.test_tracing import Collector, collecting
from tests.faults.killed import Desk
from tests.faults.redis_server import redis_server
from tests.faults.whole_bot import settings_of, whole_bot
from tests.playground.conftest import Driver, until

ASKED = "<@footnote> 借用示例设备要登记什么？"
STAGES = ("authorize", "plan", "index", "retrieve", "select", "assemble", "answer", "ground")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return int(held.getsockname()[1])


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
async def collector(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Collector]:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")  # milliseconds between two batches
    async with collecting() as made:
        yield made


@pytest.fixture
async def world(
    tmp_path: Path, running: Running, port: int, collector: Collector
) -> AsyncIterator[World]:
    data = tmp_path / "company"
    done = Desk(data).run("demo", "--seed-only")
    assert done.code == 0, done.err
    async with redis_server() as server:
        settings = settings_of(
            data,
            api_url=running.api_url,
            redis_url=server.url,
            metrics_port=port,
            otel_exporter_otlp_endpoint=collector.url,
        )
        async with whole_bot(settings) as made:
            yield made


async def get(port: int, path: str) -> tuple[int, str]:
    url = f"http://127.0.0.1:{port}{path}"
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.text()


async def counts(port: int) -> dict[str, float]:
    _, text = await get(port, "/metrics")
    found = re.findall(r"^(footnote_\S+) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found}


async def test_an_answer_its_stages_and_slacks_whims_are_counted_and_traced(
    world: World, driver: Driver, port: int, collector: Collector
) -> None:
    assert world.settings.metrics_port == port
    assert await get(port, "/healthz") == (200, "ok")
    assert await get(port, "/readyz") == (200, "ready\n")
    await driver.post("faults", method="chat.postMessage", kind="cut")
    await driver.post("faults", method="chat.update", kind="status", status=429, retry_after="1")
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await replies(driver, "general", "alice", said["ts"])
    answered = 'footnote_answers_total{reason="",status="answered"}'

    async def counted() -> dict[str, float]:
        found = await counts(port)
        return found if found.get(answered) == 1 else {}

    found: dict[str, float] = await until(counted)
    for stage in (*STAGES, "publish"):
        assert found[f'footnote_stage_seconds_count{{stage="{stage}"}}'] == 1, stage
    for call in ("plan", "select", "answer", "support"):
        assert found[f'footnote_reader_calls_total{{call="{call}",outcome="ok"}}'] >= 1, call
    assert found['footnote_delivery_retries_total{method="chat.postMessage"}'] >= 1
    assert found['footnote_slack_limited_total{method="chat.update"}'] == 1
    assert found["footnote_insert_seconds_count"] >= 2
    assert found["footnote_workers_alive"] == 1
    lost = [value for name, value in found.items() if name.startswith("footnote_lost_events")]
    assert lost == [0, 0]

    async def traced() -> bool:
        return {"task", *STAGES, "publish"} <= {span.name for span in collector.spans}

    await until(traced)
