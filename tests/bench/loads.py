"""Questions put into the queue as the listening side would, and workers of their own processes."""

import asyncio
import json
import os
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from pydantic import SecretStr

from bot.delivery import ANSWER
from bot.questions.asking import Brief
from bot.queue.durable import Job, Queue
from bot.queue.engine import system_url
from bot.queue.lines import ANSWERING
from bot.queue.tables import prepare
from bot.record import TaskState
from bot.settings import Settings
from bot.storage.people import Person
from bot.wiring import World, open_world
from rag.values import Place, Request
from tests.bench.stub_slack import TEAM, stub_slack
from tests.postgres import own_server

ASKER = "bench-reader"
HANDBOOK = "# Borrowing a device\n\nA loan needs the device number.\n\nIt ends after seven days.\n"
QUESTION = "What does a loan need?"
_READER_SECONDS = "0.2"
_OPEN = (TaskState.QUEUED, TaskState.RUNNING)


class Load:
    """A migrated record with tenants, each with the handbook, and the queue beside it."""

    def __init__(self, world: World, queue: Queue) -> None:
        self.world = world
        self._queue = queue

    async def ask(self, tenant: str) -> str:
        """Store a question whose message stands, and have it answered; its task's id."""
        now = datetime.now(UTC)
        task = f"{now.timestamp():.6f}-{uuid4().hex[:12]}"
        request = Request(
            task=task,
            tenant=tenant,
            principal=ASKER,
            question=QUESTION,
            place=Place(),
            conversation=task,
            asked_at=now,
        )
        named = {"tenant": tenant, "task": task, "kind": ANSWER}
        await self.world.tasks.enqueue(request)
        await self.world.deliveries.intend(**named, channel="D0BENCH0001")
        await self.world.deliveries.placed(**named, ts=f"{now.timestamp():.6f}")
        job = Job(
            id=f"{task}.answer",
            kind="answer",
            partition=tenant,
            payload=Brief(tenant=tenant, task=task).model_dump_json(),
            at=now,
        )
        await self._queue.put(job, queue=ANSWERING)
        return task

    async def open(self, tenant: str) -> int:
        """How many of a tenant's questions have not ended."""
        return len(await self.world.tasks.unfinished(tenant=tenant))

    async def ended(self, tenant: str, tasks: Sequence[str]) -> None:
        """Return when these have ended. Raises AssertionError when one ended otherwise."""
        waiting = set(tasks)
        while waiting:
            for task in sorted(waiting):
                stored = await self.world.tasks.get(tenant=tenant, task=task)
                if stored.state in _OPEN:
                    break
                assert stored.state is TaskState.DONE, (task, stored.state, stored.reason)
                waiting.discard(task)
            await asyncio.sleep(0.1)


def _settings(folder: Path, database: str, api: str) -> Settings:
    return Settings(
        data=folder,
        tenant="acme",
        slack_api_url=api,
        database_url=SecretStr(database),
        slack_bot_token=SecretStr("xoxb-bench"),
        log_level="ERROR",
    )


def _revealed(settings: Settings) -> bytes:
    """The settings as one line of JSON, secrets and all: it goes to a child's standard input."""
    told = settings.model_dump(mode="json")
    for name, value in settings:
        if isinstance(value, SecretStr):
            told[name] = value.get_secret_value()
    return json.dumps(told).encode() + b"\n"


@asynccontextmanager
async def loaded(tenants: Sequence[str], folder: Path) -> AsyncIterator[tuple[Load, Settings]]:
    """PostgreSQL with these tenants, a Slack that agrees, and nobody working yet."""
    async with AsyncExitStack() as stack:
        database = stack.enter_context(own_server(durable=True)).url
        api = await stack.enter_async_context(stub_slack())
        settings = _settings(folder, database, api)
        await asyncio.to_thread(_seed, settings, tenants)
        world = await stack.enter_async_context(open_world(settings))
        for tenant in tenants:
            await world.people.put(Person(tenant=tenant, principal=ASKER, name=ASKER))
        await world.tenants.bind(tenant=tenants[0], team=TEAM)
        url = system_url(settings.record_url, settings.home)
        await asyncio.to_thread(prepare, url)
        queue = Queue(url, workspace=TEAM)
        stack.callback(queue.close)
        yield Load(world, queue), settings


def _seed(settings: Settings, tenants: Sequence[str]) -> None:
    handbook = settings.data / "handbook"
    handbook.mkdir(parents=True)
    (handbook / "loans.md").write_text(HANDBOOK, encoding="utf-8")
    environment = os.environ | {
        "FOOTNOTE_DATA": str(settings.data),
        "DATABASE_URL": settings.record_url,
    }
    for tenant in tenants:
        command = [sys.executable, "-m", "bot", "sources", "add", str(handbook)]
        subprocess.run(
            [*command, "--tenant", tenant, "--readers", "everyone"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )


async def _until_alive(load: Load, number: int) -> None:
    """Start-up is no part of what is measured."""
    while len(await load.world.workers.beats()) < number:  # noqa: ASYNC110 - other processes
        await asyncio.sleep(0.1)


@asynccontextmanager
async def workers(load: Load, settings: Settings, number: int) -> AsyncIterator[None]:
    """That many worker processes, all of them taking jobs."""
    started = []
    try:
        for _ in range(number):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.bench.slow_worker", _READER_SECONDS), stdin=PIPE
            )
            started.append(process)
            assert process.stdin is not None
            process.stdin.write(_revealed(settings))
            await process.stdin.drain()
        await _until_alive(load, number)
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            await process.wait()
