"""The front door beside a bare Bolt echo: durable acknowledgements and how long they take.

Three servers in one run, each a process of its own: Bolt alone, which stores nothing,
and `footnote serve` (without a worker) on SQLite and on PostgreSQL. The load comes from
another process again. An acknowledgement counts when its job is found in the queue's
database afterwards; one that is not there is counted as false and fails the run.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from bot.front_door import PATH
from bot.playground import Settings, start
from tests.postgres import libpq, own_server

SECRET = "bench-secret"
RATES = (50, 200)
_STARTING_SECONDS = 60.0
_QUERY = "SELECT count(*) FROM workflow_status"

Run = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server under load. ``stored`` counts its jobs; None where nothing is stored."""

    name: str
    url: str
    stored: Callable[[], int] | None


def count_sqlite(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(_QUERY).fetchone()[0])


def count_postgres(url: str) -> int:
    with psycopg.connect(libpq(url), options="-c search_path=dbos") as connection:
        row = connection.execute(_QUERY).fetchone()
        return int(row[0]) if row else 0


@asynccontextmanager
async def program(
    *command: str, port: int, environment: dict[str, str] | None = None
) -> AsyncIterator[None]:
    """A server of our own Python, entered once ``port`` answers, ended with the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *command),
        env=os.environ | (environment or {}),
        stdout=DEVNULL,
    )
    try:
        await _answering(port)
        yield
    finally:
        process.terminate()
        await process.wait()


async def _answering(port: int) -> None:
    async with asyncio.timeout(_STARTING_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return


async def free_port() -> int:
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port = int(server.sockets[0].getsockname()[1])
    server.close()
    return port


@asynccontextmanager
async def echo(api_url: str) -> AsyncIterator[Server]:
    """Bolt alone."""
    port = await free_port()
    async with program("tests.bench.door_echo", api_url, SECRET, str(port), port=port):
        yield Server(name="Bolt echo", url=f"http://127.0.0.1:{port}{PATH}", stored=None)


@asynccontextmanager
async def ours(
    name: str, folder: Path, *, api_url: str, database: str, stored: Callable[[], int]
) -> AsyncIterator[Server]:
    """`footnote serve` as an operator starts it, on this database."""
    port = await free_port()
    environment = {
        "FOOTNOTE_DATA": str(folder),
        "DATABASE_URL": database,
        "FOOTNOTE_SLACK_API_URL": api_url,
        "FOOTNOTE_SLACK_MODE": "http",
        "FOOTNOTE_PORT": str(port),
        "FOOTNOTE_LOG_LEVEL": "WARNING",
        "SLACK_BOT_TOKEN": "xoxb-playground",
        "SLACK_SIGNING_SECRET": SECRET,
    }
    await _seed(environment)
    async with program("bot", "serve", port=port, environment=environment):
        yield Server(name=name, url=f"http://127.0.0.1:{port}{PATH}", stored=stored)


async def _seed(environment: dict[str, str]) -> None:
    """A tenant that the local workspace is bound to."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "demo", "--seed-only"),
        env=os.environ | environment,
        stdout=DEVNULL,
        stderr=DEVNULL,
    )
    if await process.wait():
        raise SystemExit("the demo company could not be written")


async def load(server: Server, *how: str) -> Run:
    """Put that load on it and count what was stored meanwhile."""
    before = server.stored() if server.stored else 0
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.door_load", server.url, SECRET, *how),
        stdout=PIPE,
    )
    said, _ = await process.communicate()
    found: Run = json.loads(said)
    acked = int(found["statuses"].get("200", 0))
    found["false"] = max(0, acked - (server.stored() - before)) if server.stored else 0
    return found


def line(name: str, how: str, run: Run) -> str:
    others = {status: n for status, n in run["statuses"].items() if status != "200"}
    return (
        f"{name:<24} {how:<12} {run['acks_per_second']:8.1f} acks/s"
        f"   p50 {run['p50']:7.1f} ms   p99 {run['p99']:7.1f} ms   max {run['max']:7.1f} ms"
        f"   n {run['sent']}   acked but not stored {run['false']}"
        f"{f'   other answers {others}' if others else ''}"
    )


async def measure(server: Server, seconds: float, senders: Sequence[int]) -> list[Run]:
    """Warm it up, then every load in turn; one printed line each."""
    await load(server, "open", "20", "2")
    runs = []
    for how, size in [*(("open", rate) for rate in RATES), *(("closed", n) for n in senders)]:
        run = await load(server, how, str(size), str(seconds))
        label = f"{size}/s" if how == "open" else f"{size} senders"
        sys.stdout.write(line(server.name, label, run) + "\n")
        sys.stdout.flush()
        runs.append(run)
    return runs


async def main(seconds: float, senders: Sequence[int]) -> int:
    """Print every figure; 1 when an acknowledgement was false."""
    async with AsyncExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="door-")))
        playground = await start(Settings(data=root / "playground"))
        stack.push_async_callback(playground.close)
        api_url = playground.api_url
        async with echo(api_url) as bare:
            base = await measure(bare, seconds, senders)
        runs = []
        file = root / "sqlite" / "footnote" / "queue.db"
        async with ours(
            "Footnote on SQLite",
            root / "sqlite",
            api_url=api_url,
            database="",
            stored=lambda: count_sqlite(file),
        ) as server:
            runs.append(await measure(server, seconds, senders))
        url = stack.enter_context(own_server(durable=True)).url
        async with ours(
            "Footnote on PostgreSQL",
            root / "postgres",
            api_url=api_url,
            database=url,
            stored=lambda: count_postgres(url),
        ) as server:
            runs.append(await measure(server, seconds, senders))
    sys.stdout.write(_verdict(base, runs) + "\n")
    return int(any(run["false"] for each in runs for run in each))


def _verdict(base: list[Run], runs: list[list[Run]]) -> str:
    at = RATES.index(200)
    shares = [each[at]["acks_per_second"] / base[at]["acks_per_second"] for each in runs]
    return "of the echo's acks/s at 200/s: " + ", ".join(f"{share:.2f}" for share in shares)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each load lasts")
    parser.add_argument("--senders", type=int, nargs="*", default=[32], help="closed loops")
    given = parser.parse_args()
    raise SystemExit(asyncio.run(main(given.seconds, given.senders)))
