"""`script/bench upgrade`: an old and a new version together, a migration in between.

The old version's web process and worker take questions; the new version migrates the record
under them, starts beside them, and they are stopped one at a time while questions keep
coming. Where the old version can start on the newer schema, its worker is killed once after
the migration and comes back. Every question must have exactly one answer at the end.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from bot.playground import Running, Settings, start
from tests.bench.versions import (
    HERE,
    NoHistory,
    Version,
    before_the_newest_migration,
    taken_out,
)
from tests.faults.acts import QUESTION, QUOTE, counted
from tests.faults.lane import POSTGRESQL, SQLITE, forget_environment
from tests.postgres import own_server
from tests.unlimited import ENVIRONMENT

_PATIENCE = 120.0
_READY = {"serve": "connected to Slack", "work": " takes jobs"}
_PAUSE = 0.25  # seconds between two questions


@dataclass
class Load:
    """The people who ask, and what they got."""

    running: Running
    session: aiohttp.ClientSession
    asked: list[str] = field(default_factory=list)

    async def ask(self, count: int) -> None:
        """That many questions, one after another, not waiting for answers."""
        for _ in range(count):
            body = {"user": "alice", "channel": "general", "text": QUESTION}
            url = f"{self.running.url}/playground/say"
            async with self.session.post(url, json=body) as answer:
                self.asked.append((await answer.json())["ts"])
            await asyncio.sleep(_PAUSE)

    async def counts(self) -> tuple[int, int]:
        """Answers that are missing, and messages too many."""
        seen = [counted(await self._ours(thread), 1, holding=QUOTE) for thread in self.asked]
        return sum(one.lost for one in seen), sum(one.doubled for one in seen)

    async def all_answered(self) -> None:
        """Return once nothing is missing, or after two minutes."""
        end = time.monotonic() + _PATIENCE
        while True:
            lost, _ = await self.counts()
            if not lost or time.monotonic() > end:
                break
            await asyncio.sleep(0.5)
        await asyncio.sleep(2.0)  # what is too many would come now

    async def _ours(self, thread: str) -> list[dict[str, object]]:
        query = {"channel": "general", "as": "alice", "thread_ts": thread}
        url = f"{self.running.url}/playground/messages"
        async with self.session.get(url, params=query) as answer:
            found = (await answer.json())["messages"]
        return [row for row in found if row.get("bot_id")]


@dataclass(frozen=True)
class Upgrade:
    """What came of it on one database."""

    engine: str
    tasks: int
    lost: int
    doubled: int
    by_old: int
    by_new: int
    killed: bool
    codes: tuple[int, ...]
    seconds: float

    @property
    def good(self) -> bool:
        """Whether nobody noticed, and both versions worked."""
        return not (self.lost or self.doubled or any(self.codes)) and self.by_new > 0


Step = Callable[[], Awaitable[object]]


async def upgrade(old: Version, new: Version, running: Running, *, tasks: int) -> Upgrade:
    """Go from the one to the other under load."""
    part = max(1, tasks // 7)
    codes: list[int] = []
    engine = POSTGRESQL if "pg" in old.name else SQLITE

    async def stop(word: str) -> None:
        codes.append(await asyncio.to_thread(old.stop, word))

    again = old.bears_newer_schemas()

    async def die() -> None:
        if again:
            await asyncio.to_thread(old.kill, "work")
            await _started(old, "work")

    began = time.monotonic()
    async with aiohttp.ClientSession() as session:
        load = Load(running, session)
        await asyncio.gather(*(_started(old, word) for word in ("serve", "work")))
        steps: list[Step] = [
            lambda: asyncio.to_thread(new.run, "migrate"),
            die,
            lambda: _started(new, "work"),
            lambda: _started(new, "serve"),
            lambda: stop("serve"),
            lambda: stop("work"),
        ]
        for step in steps:
            await asyncio.gather(load.ask(part), _after(part * _PAUSE / 2, step))
        await load.ask(tasks - len(load.asked))
        await load.all_answered()
        lost, doubled = await load.counts()
    by_old, by_new = (version.log("work").count(" ended: ") for version in (old, new))
    seconds = time.monotonic() - began
    return Upgrade(engine, tasks, lost, doubled, by_old, by_new, again, tuple(codes), seconds)


async def _started(version: Version, word: str) -> None:
    """Start a process and return once it works."""
    await asyncio.to_thread(version.start, word)
    async with asyncio.timeout(_PATIENCE):
        while True:
            if version.says(word, _READY[word]):
                return
            await asyncio.sleep(0.1)


async def _after(seconds: float, step: Step) -> None:
    await asyncio.sleep(seconds)
    await step()


async def on(
    engine: str, database: str, *, trees: tuple[Path, Path], folder: Path, tasks: int
) -> Upgrade:
    """The whole upgrade on one database, in a folder of its own."""
    running = await start(Settings(data=folder / "slack"))
    given = {
        **ENVIRONMENT,
        "FOOTNOTE_DATA": str(folder / "data"),
        "FOOTNOTE_TENANT": "demo",
        "FOOTNOTE_SLACK_API_URL": running.api_url,
        "SLACK_BOT_TOKEN": "xoxb-playground",
        "SLACK_APP_TOKEN": "xapp-playground",
        "SLACK_SIGNING_SECRET": "playground-secret",
        "DATABASE_URL": database,
    }
    mark = "pg-" if engine == POSTGRESQL else ""
    named = zip(("old", "new"), trees, strict=True)
    old, new = (Version(f"{mark}{name}", tree, given, folder) for name, tree in named)
    try:
        await asyncio.to_thread(old.run, "demo", "--seed-only")
        return await upgrade(old, new, running, tasks=tasks)
    finally:
        await asyncio.gather(*(asyncio.to_thread(version.end) for version in (new, old)))
        await running.close()


@contextmanager
def databases(engines: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """An empty database of each kind; SQLite's is a file of the data folder."""
    with ExitStack() as stack:
        urls = {SQLITE: ""}
        if POSTGRESQL in engines:
            server = stack.enter_context(own_server())
            urls[POSTGRESQL] = stack.enter_context(server.database())
        yield urls


def main() -> int:
    parser = argparse.ArgumentParser(prog="script/bench upgrade", description=__doc__)
    parser.add_argument("--old", default="", help="the old version, as git names it")
    parser.add_argument("--new", type=Path, default=HERE, help="the new version's checkout")
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--engine", choices=(SQLITE, POSTGRESQL), action="append")
    parser.add_argument("--keep", type=Path, help="where logs are to stay")
    given = parser.parse_args()
    engines = tuple(given.engine or (SQLITE, POSTGRESQL))
    forget_environment()
    with ExitStack() as stack:
        folder = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        try:
            ref = given.old or before_the_newest_migration()
            tree = taken_out(ref, folder / "old-version")
        except NoHistory as error:
            sys.stderr.write(f"script/bench upgrade: nothing was measured: {error}\n")
            return 1
        urls = stack.enter_context(databases(engines))
        done = []
        for number, engine in enumerate(engines):
            own = folder / str(number)
            own.mkdir(parents=True)
            trees = (tree, given.new.absolute())
            ran = on(engine, urls[engine], trees=trees, folder=own, tasks=given.tasks)
            done.append(asyncio.run(ran))
    _say(ref, done)
    return 0 if all(one.good for one in done) else 1


def _say(ref: str, done: list[Upgrade]) -> None:
    lines = [f"From {ref[:12]} to this version:", ""]
    lines += ["| database | tasks | lost | doubled | by old | by new | old killed | exits | s |"]
    lines += ["| --- | --: | --: | --: | --: | --: | --- | --- | --: |"]
    for one in done:
        counts = [one.tasks, one.lost, one.doubled, one.by_old, one.by_new]
        codes = ", ".join(map(str, one.codes))
        killed = "yes" if one.killed else "no"
        cells = [one.engine, *map(str, counts), killed, codes, f"{one.seconds:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
