"""Spans reach a collector over OTLP/HTTP: one a run, one a stage, ids and reason codes only."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from bot.engines.tracing_otlp import Spans, exported
from bot.watch.observing import Silent
from bot.watch.watching import watched
from rag.errors import ReaderUnavailable
from rag.values import Request

REQUEST = Request(
    task="t1",
    tenant="canary-tenant",
    principal="canary-person",
    question="canary question",
    asked_at=datetime(2026, 5, 4, tzinfo=UTC),
)


class Collector:
    """What it was sent, and where."""

    def __init__(self) -> None:
        self.url = ""
        self.raw = b""
        self.spans: list[Any] = []

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.raw += body
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.spans += [span for scope in group.scope_spans for span in scope.spans]
        answer = ExportTraceServiceResponse().SerializeToString()
        return web.Response(body=answer, content_type="application/x-protobuf")

    def ids(self, name: str) -> dict[str, str]:
        (span,) = [span for span in self.spans if span.name == name]
        return {
            pair.key: pair.value.string_value or str(pair.value.int_value)
            for pair in span.attributes
        }


@asynccontextmanager
async def collecting() -> AsyncIterator[Collector]:
    collector = Collector()
    application = web.Application()
    application.router.add_post("/v1/traces", collector.take)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    collector.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield collector
    await runner.cleanup()


@asynccontextmanager
async def spans_to(collector: Collector) -> AsyncIterator[Spans]:
    """Off the loop, as the collector answers on it."""
    with _exit_in_thread(collector.url) as (spans, end):
        yield spans
        await asyncio.to_thread(end)


@contextmanager
def _exit_in_thread(url: str) -> Iterator[tuple[Spans, Any]]:
    held = exported(url)
    yield held.__enter__(), lambda: held.__exit__(None, None, None)


async def run(spans: Spans, *, fails: bool = False) -> None:
    with watched(Silent(), [spans], task="t1") as observer:
        await observer.entering(REQUEST, "plan", 1)
        await observer.entering(REQUEST, "answer", 2)
        if fails:
            raise ReaderUnavailable("canary of an error")


async def test_one_span_a_run_and_one_a_stage_in_one_trace() -> None:
    async with collecting() as collector, spans_to(collector) as spans:
        await run(spans)
    by_name = {span.name: span for span in collector.spans}
    assert set(by_name) == {"task", "plan", "answer"}
    assert len({span.trace_id for span in collector.spans}) == 1
    assert by_name["plan"].parent_span_id == by_name["task"].span_id
    assert by_name["answer"].parent_span_id == by_name["task"].span_id
    assert collector.ids("task") == {"footnote.task": "t1"}
    assert collector.ids("answer") == {"footnote.task": "t1", "footnote.attempt": "2"}
    assert b"canary" not in collector.raw


async def test_two_tasks_at_once_are_two_traces() -> None:
    async with collecting() as collector, spans_to(collector) as spans:
        await asyncio.gather(run(spans), run(spans))
    assert len({span.trace_id for span in collector.spans}) == 2
    assert len(collector.spans) == 6


async def test_a_failure_leaves_its_reason_code_and_no_words() -> None:
    async with collecting() as collector, spans_to(collector) as spans:
        with pytest.raises(ReaderUnavailable):
            await run(spans, fails=True)
    by_name = {span.name: span for span in collector.spans}
    for name in ("task", "answer"):
        assert by_name[name].status.message == "reader_unavailable"
        assert not by_name[name].events
    assert by_name["plan"].status.message == ""
    assert b"canary" not in collector.raw


def test_without_the_extra_the_setting_says_what_to_install(tmp_path: Path) -> None:
    script = """
import asyncio, sys
sys.modules["opentelemetry"] = None  # as if it were not installed
from bot.errors import SettingsInvalid
from bot.settings import load_settings
from bot.starting import traced

async def main():
    async with traced(load_settings(otel_exporter_otlp_endpoint="http://127.0.0.1:1")):
        pass

try:
    asyncio.run(main())
except SettingsInvalid as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert "OTEL_EXPORTER_OTLP_ENDPOINT needs the extra `tracing`" in done.stdout, done.stderr
    assert "pip install 'footnote[tracing]'" in done.stdout
