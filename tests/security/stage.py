"""A bot on made-up time, in a workspace that is told what to say about each person.

The whole pipeline runs, on a real record; only Slack, the queue and the clock are simulated,
so that hundreds of questions take seconds.
"""

import asyncio
import logging
import random
import shutil
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from bot.parts import Parts
from bot.slack.client import Installation
from bot.slack.identity import principal_id
from bot.storage.catalogue import SqlCatalogue
from bot.storage.directory import StoredDirectory
from bot.storage.tenants import SqlTenants
from bot.work import jobs as jobs_of_ours
from handlers import ACTIONS, COMMANDS, EVENTS
from handlers.deps import Deps
from handlers.payloads import Payload
from tests.faults.history import Event, Wrote
from tests.faults.simulation import loop as virtual
from tests.faults.simulation.company import ALICE, TENANT, Company
from tests.faults.simulation.house import House, database_at, utc
from tests.faults.simulation.jobs import Jobs, Row
from tests.faults.simulation.process import Process
from tests.faults.simulation.slack import BOT_ID, BOT_USER, TEAM, Channel, Json, Workspace
from tests.faults.simulation.weather import Weather

T = TypeVar("T")

ENTERPRISE = "E0HOME00001"
INSTALLATION = Installation(
    team_id=TEAM, enterprise_id=ENTERPRISE, bot_user_id=BOT_USER, bot_id=BOT_ID
)
SOURCE, TOPIC, TOPICS = "heron", "heron00", "heron01 heron02"
"""The one document that people of the matrix may read, and what can be asked about it."""

_EPOCH = 1_790_000_000.0
_LOOKS = 1_440  # two hours, five seconds each: what waits for Slack waits for one
_ASIDE_SECONDS = 30.0  # for what is done beside the queue


def play(folder: Path, scene: Callable[["Stage"], Coroutine[Any, Any, T]], *, empty: Path) -> T:
    """Run ``scene`` on a stage of its own; ``empty`` is a migrated database without rows."""
    path = folder / "footnote.db"
    shutil.copy(empty, path)

    async def run() -> T:
        stage = Stage(path)
        await stage.furnish()
        return await scene(stage)

    with _quiet():
        return virtual.run(run)


@contextmanager
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A conversation. ``kind`` is Slack's word, ``thread`` the root of a thread it is about."""

    channel: Channel
    kind: str
    thread: str = ""

    @property
    def private(self) -> bool:
        return self.kind == "im"


@dataclass
class Stage:
    """The bot, the workspace, and the ways in which a person reaches the bot."""

    path: Path
    history: list[Event] = field(default_factory=list)
    numbers: int = 0

    def __post_init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.began = self.loop.time()
        rng = random.Random(7)  # noqa: S311 - repeatable on purpose
        self.workspace = Workspace(now=self.now, at=self.at, history=self.history)
        self.company = Company(self.workspace, self.history, self.at, rng)
        self.jobs = Jobs(wall=self.now)
        self.database = database_at(self.path)
        house = House(
            rng=rng,
            database=self.database,
            workspace=self.workspace,
            company=self.company,
            weather=Weather(rng=rng, at=self.at, history=self.history, kinds=frozenset()),
            jobs=self.jobs,
            history=self.history,
            at=self.at,
            wall=lambda: utc(self.now()),
            folder=self.path.parent,
            installation=INSTALLATION,
        )
        self.process = Process("stage", rng, slowness=0.0)
        self.parts: Parts = house.parts(self.process)
        self.deps: Deps = house.deps(self.parts, house.receiving(self.process, self.parts))
        self.catalogue = SqlCatalogue(self.database, StoredDirectory(self.database))

    def at(self) -> float:
        return self.loop.time() - self.began

    def now(self) -> float:
        return _EPOCH + self.at()

    async def furnish(self) -> None:
        await SqlTenants(self.database).create(TENANT)
        await self.open_to(())
        self._working = self.loop.create_task(self._work())

    async def open_to(self, users: tuple[str, ...]) -> None:
        """Let ``everyone`` and these people of ours read the document."""
        listed = tuple(principal_id(TEAM, user) for user in users)
        self.company.readers[SOURCE] = ("everyone", *listed)
        await self.catalogue.put_all(self.company.sources())

    # What the bot does.

    async def _work(self) -> None:
        while True:
            for row in self.jobs.claim(self.process):
                self.process.start(self._do(row, row.claims))
            self.jobs.changed.clear()
            await self.jobs.changed.wait()

    async def _do(self, row: Row, claim: int) -> None:
        job = row.job
        await jobs_of_ours.do(
            self.parts, job.kind, ident=job.id, payload=job.payload, at=job.at.isoformat()
        )
        self.jobs.end(row, claim)

    async def settled(self) -> None:
        """Return once nobody has anything left to do. Raises AssertionError after two hours."""
        for _ in range(_LOOKS):
            await asyncio.sleep(5.0)
            if self.jobs.idle:
                break
        assert self.jobs.idle, [row for row in self.jobs.rows.values() if row.state != "done"]
        await asyncio.sleep(_ASIDE_SECONDS)

    # How a person reaches it.

    def number(self) -> int:
        self.numbers += 1
        return self.numbers

    async def tell(self, spot: Spot, user: str, text: str, **signed: Any) -> str:
        """A message, as Slack tells of it, with these further fields; its ``ts``."""
        message = self.workspace.say(spot.channel.id, user, text, spot.thread)
        place = {"type": "message", "channel": spot.channel.id, "channel_type": spot.kind}
        event = {**message, **place, **signed}
        event = {name: value for name, value in event.items() if value is not None}
        await self._hear(event, shared=spot.channel.shared)
        if f"<@{BOT_USER}>" in text and not spot.private:
            twin = {name: value for name, value in event.items() if name != "channel_type"}
            await self._hear(twin | {"type": "app_mention"}, shared=spot.channel.shared)
        await self.settled()
        return str(message["ts"])

    async def _hear(self, event: Json, *, shared: bool) -> None:
        installed = {"team_id": TEAM, "enterprise_id": ENTERPRISE, "user_id": BOT_USER}
        body = {
            "event_id": f"Ev{self.number():06}",
            "team_id": TEAM,
            "is_ext_shared_channel": shared,
            "authorizations": [installed | {"is_bot": True, "is_enterprise_install": False}],
            "event": event,
        }
        await self._deliver(EVENTS[event["type"]], body)

    async def command(self, spot: Spot, user: str, name: str, text: str) -> None:
        """A slash command, typed in that place."""
        names = {"im": "directmessage", "mpim": "mpdm-a--b-1", "group": "privategroup"}
        body = {
            "command": name,
            "team_id": TEAM,
            "enterprise_id": ENTERPRISE,
            "user_id": user,
            "channel_id": spot.channel.id,
            "channel_name": names.get(spot.kind, "matrix"),
            "text": text,
            "trigger_id": f"trigger-{self.number()}",
            "response_url": f"https://hooks.slack.test/{spot.channel.id}/{user}",
        }
        await self._deliver(COMMANDS[name], body)
        await self.settled()

    async def press(self, spot: Spot, user: str, message: Wrote, button: Json, home: str) -> None:
        """A button of a message; ``home`` is the team Slack signs for whoever presses."""
        container = {"channel_id": spot.channel.id, "message_ts": message.ts}
        container |= {"thread_ts": message.thread} if message.thread else {}
        body = {
            "type": "block_actions",
            "team": {"id": TEAM, "enterprise_id": ENTERPRISE},
            "user": {"id": user} | ({"team_id": home} if home else {}),
            "container": container,
            "channel": {"id": spot.channel.id},
            "actions": [{**button, "action_ts": f"{self.number()}.0"}],
            "trigger_id": f"trigger-{self.number()}",
            "response_url": f"https://hooks.slack.test/{spot.channel.id}/{user}",
        }
        await self._deliver(ACTIONS[button["action_id"]], body)
        await self.settled()

    async def _deliver(
        self, listener: Callable[[Deps, Payload], Awaitable[None]], body: Json
    ) -> None:
        heard = Payload(body=body, app_user_id=BOT_USER)
        await self.process.start(_awaited(listener(self.deps, heard)))


async def _awaited(work: Awaitable[None]) -> None:
    await work


__all__ = ["ALICE", "BOT_USER", "TEAM", "Spot", "Stage", "play"]
