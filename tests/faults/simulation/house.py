"""The bot of a run: one record, one Redis, one queue, and processes that come and go over them."""

import itertools
import random
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from bot.background import Background
from bot.engines.redis_context import RedisContext
from bot.inbound import listening
from bot.inbound.receiving import Receiving
from bot.loaders.loaded import Loaded
from bot.loaders.loading import Loading
from bot.loaders.parsing import Parser
from bot.parts import Answer, Parts
from bot.parts import Record as RecordParts
from bot.posts.posting import Poster
from bot.queue.durable import Queue
from bot.slack.client import Installation, Slack
from bot.slack.directory import Freshness, Kept, SlackDirectory
from bot.slack.identity import Profiles
from bot.slack.pacing import Pace
from bot.sources.ingest import Ingest
from bot.sources.intake import SourceIntake
from bot.sources.quarantine import Quarantine
from bot.spool import Spool
from bot.storage.audit import SqlAudit
from bot.storage.catalogue import SqlCatalogue
from bot.storage.changes import SqlChanges
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.chunks import SqlChunks
from bot.storage.database import Database
from bot.storage.deliveries import SqlDeliveries
from bot.storage.failures import SqlFailures
from bot.storage.feedback import SqlFeedback
from bot.storage.handoffs import SqlHandoffs
from bot.storage.origins import SqlOrigins
from bot.storage.people import SqlPeople
from bot.storage.showing import SqlShowing
from bot.storage.snapshots import SqlSnapshots
from bot.storage.staged import SqlStaged
from bot.storage.tasks import SqlTasks
from bot.storage.uses import SqlUses
from bot.storage.workers import SqlWorkers
from bot.tables.read_only import Databases
from bot.watch.observing import Silent
from handlers.deps import Deps
from rag.errors import SourceUnreadable
from rag.pipeline import Ports, run
from rag.ports import Lease, Observer, Publisher
from rag.testing.search import MemoryIndex, MemoryRetrievals
from rag.testing.spending import MemorySpending
from rag.values import Limits, Report, Request, Source
from tests.faults.history import Event, Looked
from tests.faults.simulation.client import Client
from tests.faults.simulation.company import TENANT, Company
from tests.faults.simulation.jobs import Jobs, QueueOf
from tests.faults.simulation.process import Process
from tests.faults.simulation.slack import BOT_ID, BOT_USER, TEAM, Workspace
from tests.faults.simulation.stores import (
    FakeRedis,
    MachineSpool,
    NotedCatalogue,
    NotedCheckpoints,
    Record,
    Search,
    TaskReader,
)
from tests.faults.simulation.weather import Weather
from tests.unlimited import UNLIMITED

INSTALLATION = Installation(team_id=TEAM, bot_user_id=BOT_USER, bot_id=BOT_ID)


@dataclass
class House:
    """What outlives every process. ``wall`` is our machines' clock, which may be wrong."""

    rng: random.Random
    database: Database
    workspace: Workspace
    company: Company
    weather: Weather
    jobs: Jobs
    history: list[Event]
    at: Callable[[], float]
    wall: Callable[[], datetime]
    folder: Path
    limits: Limits = field(default_factory=Limits)
    installation: Installation = INSTALLATION
    redis: dict[str, str] = field(default_factory=dict)
    index: MemoryIndex = field(default_factory=MemoryIndex)
    saved: set[tuple[str, str]] = field(default_factory=set)
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    alter: Callable[[Parts], Parts] = lambda parts: parts
    alter_ports: Callable[[Ports], Ports] = lambda ports: ports

    def new_id(self) -> str:
        return f"id-{next(self.numbers):06}"

    def parts(self, process: Process) -> Parts:
        """What a process that starts now holds; its caches are empty."""
        return self.alter(_Building(self, process).parts())

    def receiving(self, process: Process, parts: Parts) -> Receiving:
        """Where a process's listeners put what they hear, with the machine's spool behind it."""
        spool = cast("Spool", MachineSpool(process, self.folder / "spool"))
        return Receiving(parts.queue, spool, clock=self.at, executor=cast("Executor", AtOnce()))

    def deps(self, parts: Parts, receiving: Receiving) -> Deps:
        """What the listeners of a process may do."""
        return listening.build(parts, Background(), receiving)


class _Building:
    """The same putting together as in `bot.serve` and `bot.wiring`, on simulated edges."""

    def __init__(self, house: House, process: Process) -> None:
        self._house = house
        self._process = process
        self._database = cast("Database", Record(process, house.database, house.weather))
        clock = house.wall
        kept = SqlCheckpoints(self._database, clock=clock)
        self._snapshots = SqlSnapshots(self._database)
        self._search = Search(process, house.index)
        self._checkpoints = cast("SqlCheckpoints", NotedCheckpoints(kept, house.saved))
        self._tasks = SqlTasks(self._database, clock=clock)
        self._deliveries = SqlDeliveries(self._database, clock=clock, new_id=house.new_id)
        client = Client(process, house.workspace, house.weather)
        pace = Pace(post_gap=1.0, clock=house.at)
        self._slack = Slack(web=cast("Any", client), pace=pace)
        self._profiles = Profiles(self._slack, house.installation, keep_seconds=0.0, clock=house.at)
        self._changes = SqlChanges(self._database, clock=clock)
        kept_answers = Kept(0.0, clock=house.at)
        freshness = Freshness(
            self._changes,
            tenant=TENANT,
            profiles=self._profiles,
            kept=kept_answers,
        )
        self._directory = SlackDirectory(
            self._slack,
            house.installation,
            tenant=TENANT,
            profiles=self._profiles,
            kept=kept_answers,
            freshness=freshness,
        )
        self._catalogue = SqlCatalogue(self._database, self._directory, clock=clock)

    def parts(self) -> Parts:
        queue = QueueOf(self._process, self._house.jobs, self._house.weather)
        return Parts(
            tenant=TENANT,
            installation=self._house.installation,
            client=self._slack,
            poster=Poster(
                self._slack,
                self._house.installation,
                self._deliveries,
                now=self._house.wall,
                clock=self._house.at,
            ),
            profiles=self._profiles,
            directory=self._directory,
            record=RecordParts(
                failures=SqlFailures(self._database),
                tasks=self._tasks,
                deliveries=self._deliveries,
                feedback=SqlFeedback(self._database, clock=self._house.wall),
                sources=self._catalogue,
                checkpoints=self._checkpoints,
                snapshots=self._snapshots,
                workers=SqlWorkers(self._database),
                changes=self._changes,
                shown=SqlShowing(self._database, clock=self._house.wall),
                staged=SqlStaged(self._database),
                audit=SqlAudit(self._database, clock=self._house.wall, new_id=self._house.new_id),
                uses=SqlUses(self._database),
                handoffs=SqlHandoffs(self._database, clock=self._house.wall),
                people=SqlPeople(self._database),
            ),
            catalogue=self._catalogue,
            answer=self._answer(),
            queue=cast("Queue", queue),
            limits=self._house.limits,
            fair_use=UNLIMITED,
            now=self._house.wall,
        )

    def _answer(self) -> Answer:
        async def answer(
            request: Request, lease: Lease, publisher: Publisher, observer: Observer
        ) -> Report:
            ports = self._house.alter_ports(self._ports(request, publisher, observer))
            return await run(request, ports, limits=self._house.limits, lease=lease)

        return answer

    def _ports(self, request: Request, publisher: Publisher, observer: Observer) -> Ports:
        house = self._house

        def looked() -> None:
            house.history.append(Looked(at=house.at(), task=request.task))

        redis = cast("Any", FakeRedis(self._process, house.redis, house.weather))
        return Ports(
            reader=TaskReader(
                self._process,
                house.weather,
                task=request.task,
                saved=house.saved,
                history=house.history,
            ),
            catalogue=cast("Any", NotedCatalogue(self._catalogue, looked)),
            intake=SourceIntake(self._ingest()),
            snapshots=self._snapshots,
            index=self._search,
            checkpoints=self._checkpoints,
            context=RedisContext(redis, ttl_seconds=3_600),
            publisher=publisher,
            observer=observer or Silent(),
            retrievals=MemoryRetrievals(),
            spending=MemorySpending(),
            now=house.wall,
            stopwatch=house.at,
            count_tokens=_words,
            new_id=house.new_id,
        )

    def _ingest(self) -> Ingest:
        return Ingest(
            catalogue=self._catalogue,
            snapshots=self._snapshots,
            chunks=SqlChunks(self._database, clock=self._house.wall),
            search=self._search,
            files=Quarantine(
                Loading(Parser({}, limits=self._house.limits), limits=self._house.limits),
                SqlFailures(self._database),
            ),
            origins=SqlOrigins(self._database),
            pages=self._no_page,
            external=self._text,
            databases=Databases(lambda _tenant: ""),
            internal=self._text,
            count_tokens=_words,
            limits=self._house.limits,
            now=self._house.wall,
        )

    async def _no_page(self, source: Source) -> Loaded | None:
        raise SourceUnreadable("no web here", source_id=source.id, title=source.title)

    async def _text(self, source: Source) -> str:
        self._process.check()
        if self._house.weather.strikes("source: unreadable", source.id):
            raise SourceUnreadable("simulated", source_id=source.id, title=source.title)
        return self._house.company.documents[source.id]


def _words(text: str) -> int:
    return len(text.split())


def database_at(path: Path) -> Database:
    """The one record of a run; its work is done in the loop's own thread."""
    return Database(f"sqlite:///{path}", executor=cast("Executor", AtOnce()))


class AtOnce:
    """An executor without threads."""

    def submit(self, work: Callable[..., Any], *args: Any) -> Any:
        future: Future[Any] = Future()
        try:
            future.set_result(work(*args))
        except Exception as error:  # noqa: BLE001 - a future carries whatever its work raised
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True) -> None:
        return None


def utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
