"""People who ask all the time, a few at once, and read what they get."""

import asyncio
import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import aiohttp

from bot.playground import Running
from bot.queue.durable import job_id
from tests.acceptance.slack_demo import Json, Workspace, unfinished
from tests.cluster.questions import Talk
from tests.cluster.reading import told_to_the_app
from tests.faults.history import Asked

_LOOK_SECONDS = 0.25


@dataclass
class Load:
    """Asks; ``asked`` is the history of it, ``waited`` the seconds each finished answer took.

    ``unheard`` are the tasks of messages that Slack gave up delivering: nobody took them.
    """

    running: Running
    talks: tuple[Talk, ...]
    patience_seconds: float
    seed: int = 0
    asked: list[Asked] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    unheard: set[str] = field(default_factory=set)
    impatient: int = 0

    async def ask(self, session: aiohttp.ClientSession, *, people: int, until: float) -> None:
        """Keep ``people`` questions open until that instant of the monotonic clock, then wait."""
        workspace = Workspace(self.running.url, session)
        chance = random.Random(self.seed)  # noqa: S311 - a repeatable load, no secret
        talks = self._endless(chance)

        async def one() -> None:
            while time.monotonic() < until:
                await self._talk(workspace, next(talks))

        await asyncio.gather(*(one() for _ in range(people)))

    def _endless(self, chance: random.Random) -> Iterator[Talk]:
        while True:
            yield from chance.sample(self.talks, k=len(self.talks))

    async def _talk(self, workspace: Workspace, talk: Talk) -> None:
        asked = await self._say(workspace, talk, talk.text, about=talk.about)
        if await self._seen(workspace, talk, asked) and talk.then:
            thread = asked.thread
            then = await self._say(workspace, talk, talk.then, about=talk.then_about, thread=thread)
            await self._seen(workspace, talk, then)

    async def _say(
        self, workspace: Workspace, talk: Talk, text: str, *, about: str, thread: str = ""
    ) -> Asked:
        body = {"user": talk.user, "channel": talk.channel, "text": text}
        said = await workspace.post("say", body | ({"thread_ts": thread} if thread else {}))
        ts, channel = str(said["ts"]), str(said["channel"])
        asked = Asked(
            at=float(ts),
            task=job_id(ts, self.running.team_id, channel),
            user=self._id(talk.user),
            channel=channel,
            thread=thread or ts,
            about=about,
            private=talk.private,
        )
        self.asked.append(asked)
        return asked

    async def _seen(self, workspace: Workspace, talk: Talk, asked: Asked) -> bool:
        """Whether its finished answer came before the asker lost patience."""
        start = time.monotonic()
        while time.monotonic() - start < self.patience_seconds:
            seen = await workspace.seen(talk.user, talk.channel, thread=asked.thread)
            if talk.private:
                seen += await workspace.seen(talk.user, talk.channel)
            if any(_task(message) == asked.task and not unfinished(message) for message in seen):
                self.waited.append(time.monotonic() - start)
                return True
            if not told_to_the_app(self.running, f"{asked.at:.6f}"):
                self.unheard.add(asked.task)
                return False
            await asyncio.sleep(_LOOK_SECONDS)
        self.impatient += 1
        return False

    def _id(self, name: str) -> str:
        people = self.running.workspace.state.rows("user").values()
        return next(str(row["id"]) for row in people if row["name"] == name)


def _task(message: Json) -> str:
    metadata = message.get("metadata") or {}
    return str((metadata.get("event_payload") or {}).get("task", ""))


@contextmanager
def every(seconds: float, work: Callable[[], None], *, until: float = math.inf) -> Iterator[None]:
    """Do ``work`` again and again in the block, up to that instant of the monotonic clock."""

    async def again() -> None:
        while time.monotonic() + seconds < until:
            await asyncio.sleep(seconds)
            work()

    task = asyncio.create_task(again())
    try:
        yield
    finally:
        task.cancel()
