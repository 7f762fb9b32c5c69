"""A whole cluster on this machine, without Docker: everything from wheels, gone at the end."""

import asyncio
import os
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.engines.private_redis import private_redis
from bot.playground import Running, Settings, start
from tests.cluster.members import Member, alive, run_once
from tests.cluster.round_robin import RoundRobin
from tests.object_storage import BUCKET, ObjectServer, object_server
from tests.postgres import own_server
from tests.unlimited import ENVIRONMENT

_UNSET = ("FOOTNOTE_", "SLACK_", "DATABASE_", "REDIS_", "AWS_", "PORT")
_RETRY_SCALE = 0.05  # Slack's waits of one and five minutes become 3 and 15 s

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A running cluster. ``environment`` is what every process shares."""

    running: Running
    webs: tuple[Member, ...]
    workers: tuple[Member, ...]
    proxy: RoundRobin
    objects: ObjectServer
    environment: Mapping[str, str]
    folder: Path

    @property
    def deaths(self) -> int:
        """How often any process died."""
        return sum(member.deaths for member in (*self.webs, *self.workers))


@asynccontextmanager
async def cluster(
    *,
    webs: int = 2,
    workers: int = 2,
    port: int = 0,
    retry_scale: float = _RETRY_SCALE,
    say: Say = lambda _line: None,
) -> AsyncIterator[Cluster]:
    """Entered once a question can be asked; ``say`` is told each step."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="footnote-cluster-")))
        say("[1/4] Starting PostgreSQL, Redis and an object storage")
        objects = stack.enter_context(object_server())
        shared = await _stores(stack, folder, objects)
        say("[2/4] Writing the demo company's documents")
        running = await _workspace(stack, folder, port=port, retry_scale=retry_scale)
        shared["FOOTNOTE_SLACK_API_URL"] = running.api_url
        seeding = shared | {"FOOTNOTE_DATA": str(folder / "seed")}
        await run_once("demo", "--seed-only", environment=seeding)
        say(f"[3/4] Starting {webs} web and {workers} worker processes")
        listening = [_web(folder, shared, number) for number in range(1, webs + 1)]
        working = [_worker(folder, shared, number) for number in range(1, workers + 1)]
        await stack.enter_async_context(alive([*listening, *working]))
        await asyncio.gather(*(member.until_ready() for member in listening))
        say("[4/4] Connecting them to the local workspace")
        targets = [f"http://127.0.0.1:{member.environment['PORT']}" for member in listening]
        proxy = RoundRobin(targets)
        await proxy.start(stack)
        _connect(running, f"{proxy.url}/slack/events")
        yield Cluster(
            running=running,
            webs=tuple(listening),
            workers=tuple(working),
            proxy=proxy,
            objects=objects,
            environment=shared,
            folder=folder,
        )


async def _stores(stack: AsyncExitStack, folder: Path, objects: ObjectServer) -> dict[str, str]:
    """What the processes share, and the settings that lead there."""
    database = stack.enter_context(own_server(durable=True))
    redis = await stack.enter_async_context(private_redis(folder / "redis"))
    plain = {name: value for name, value in os.environ.items() if not name.startswith(_UNSET)}
    return plain | {
        **objects.environment(),
        **ENVIRONMENT,
        "DATABASE_URL": database.url,
        "REDIS_URL": redis,
        "FOOTNOTE_OBJECT_STORE": f"s3://{BUCKET}/demo",
        "FOOTNOTE_SEARCH": "lancedb",
        "FOOTNOTE_EXTERNAL_URL": f"sqlite:///{folder}/seed/footnote/demo/articles.sqlite",
        "FOOTNOTE_TENANT": "demo",
        "FOOTNOTE_SLACK_MODE": "http",
        "SLACK_BOT_TOKEN": "xoxb-playground",
        "SLACK_SIGNING_SECRET": "playground-secret",
    }


async def _workspace(
    stack: AsyncExitStack, folder: Path, *, port: int, retry_scale: float
) -> Running:
    running = await start(Settings(data=folder / "slack", port=port, retry_scale=retry_scale))
    stack.push_async_callback(running.close)
    return running


def _connect(running: Running, url: str) -> None:
    """Let Slack deliver there from now on."""
    for name in ("events_url", "commands_url", "interactivity_url"):
        running.workspace.state.put("setting", name, {"value": url})
    running.workspace.woken.set()


def _web(folder: Path, shared: Mapping[str, str], number: int) -> Member:
    return _member(folder, shared, f"web{number}", ("serve",), PORT=str(_free_port()))


def _worker(folder: Path, shared: Mapping[str, str], number: int) -> Member:
    return _member(folder, shared, f"worker{number}", ("work", "--processes", "1"))


def _member(
    folder: Path, shared: Mapping[str, str], name: str, words: tuple[str, ...], **more: str
) -> Member:
    """A process with a data folder of its own, as on a machine of its own."""
    own = {"FOOTNOTE_DATA": str(folder / name)}
    return Member(name, words, {**shared, **own, **more}, folder / f"{name}.log")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
