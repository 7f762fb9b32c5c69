"""What the Slack side works with, made once at start-up and handed to whoever needs it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from bot.audience import Directory
from bot.fair_use import ORDINARY, FairUse
from bot.loaders.loaded import Loaded
from bot.loaders.loading import PLAIN_ONLY
from bot.metering import UNMETERED, OutcomeMeter
from bot.posts.posting import Poster
from bot.queue.durable import Queue
from bot.record import (
    Audit,
    Changes,
    Checkpoints,
    Deliveries,
    Failures,
    Feedback,
    Handoffs,
    People,
    Shown,
    Sources,
    StagedFiles,
    Tasks,
    Uses,
    Workers,
)
from bot.slack.client import Installation, Slack
from bot.slack.fetching import Files
from bot.slack.identity import Profiles, Proved, prove, user_of
from handlers.deps import Address, Room, RoomKind, Sender
from rag.errors import StoreUnavailable
from rag.ports import Catalogue, Clock, Lease, Observer, Publisher, Snapshots
from rag.values import Chunk, Limits, Report, Request, Source

Answer = Callable[[Request, Lease, Publisher, Observer], Awaitable[Report]]
"""Run the pipeline in this lease, or go on where it stopped."""

BuildCatalogue = Callable[[Directory], Catalogue]
"""The catalogue that decides with this directory."""

BuildAnswer = Callable[[Catalogue], Answer]
"""The pipeline that asks this catalogue."""


Shelve = Callable[[Source, Loaded], Awaitable[None]]
"""Make what was read the newest version of a source, recorded and searchable.

Raises `SourceUnreadable` for a text that is over a limit, `StoreUnavailable`.
"""


async def no_shelf(source: Source, _loaded: Loaded) -> None:
    """Where nothing can be added."""
    raise StoreUnavailable(f"source {source.id} cannot be added here")


Recut = Callable[[Source], Awaitable[None]]
"""Cut a source's text as its entry wants it by now. Raises `SourceUnreadable`."""


async def no_recut(source: Source) -> None:
    """Where nothing can be cut."""
    raise StoreUnavailable(f"source {source.id} cannot be cut anew here")


class Preview(Protocol):
    """The chunks that a text would be cut into as its source wants; nothing is stored.

    Without ``loaded`` it is the source's present text. Raises `SourceUnreadable`.
    """

    async def __call__(self, source: Source, loaded: Loaded | None = None) -> tuple[Chunk, ...]: ...


async def no_preview(source: Source, loaded: Loaded | None = None) -> tuple[Chunk, ...]:
    """Where nothing can be cut."""
    size = len(loaded.text) if loaded else 0
    raise StoreUnavailable(f"source {source.id} cannot be cut here, {size} characters")


Ended = Callable[[str], Awaitable[None]]
"""Told why Slack says that an installation is no more. Raises where it must be told again."""


async def _unnoticed(_reason: str) -> None:
    """Nobody keeps installations."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """The SQL record's parts."""

    tasks: Tasks
    deliveries: Deliveries
    feedback: Feedback
    sources: Sources
    failures: Failures
    checkpoints: Checkpoints
    snapshots: Snapshots
    workers: Workers
    audit: Audit
    uses: Uses
    handoffs: Handoffs
    people: People
    changes: Changes
    shown: Shown
    staged: StagedFiles


@dataclass(frozen=True, kw_only=True)
class Parts:
    """One workspace's bot. ``contact`` is whom to ask about sources, as people know it.

    ``admins`` are principals or short names, besides the workspace's own admins.
    ``files`` reads a file they add, ``preview`` cuts it to be looked at, and ``shelve`` is
    where it goes as a source; ``recut`` cuts one anew.
    ``expire_seconds`` is how long a question may wait before anybody has begun it;
    ``sweep_seconds`` is how often all that is shown is held against those who see it.
    ``ended`` hears for which reason Slack says that the installation is no more.
    ``address`` stands in its jobs where several installations share the queue's lines.
    By themselves they are the `Workspaces` of a single bot token.
    """

    tenant: str
    installation: Installation
    client: Slack
    poster: Poster
    profiles: Profiles
    record: Record
    directory: Directory
    catalogue: Catalogue
    answer: Answer
    queue: Queue
    limits: Limits
    fair_use: FairUse = ORDINARY
    contact: str = ""
    admins: tuple[str, ...] = ()
    shelve: Shelve = no_shelf
    preview: Preview = no_preview
    recut: Recut = no_recut
    files: Files = PLAIN_ONLY
    mention_only: bool = False
    expire_seconds: float = 3600.0
    sweep_seconds: float = 600.0
    meter: OutcomeMeter = UNMETERED
    address: Address | None = None
    ended: Ended = _unnoticed
    now: Clock = lambda: datetime.now(UTC)

    async def at(self, address: Address) -> "Parts | None":
        """These, where the address is theirs."""
        installation = self.installation
        if address.team_id:
            return self if address.team_id == installation.team_id else None
        return self if address.enterprise_id == installation.enterprise_id else None

    def all(self) -> "Sequence[Parts]":
        """These alone."""
        return (self,)

    def looks_after(self, principal: str) -> bool:
        """Whether that person's questions are shown with this token.

        Of a tenant's several installations each looks after its own people's.
        """
        named = user_of(principal)
        return self.address is None or named is None or named[0] in self.installation.homes

    async def prove(self, sender: Sender) -> Proved | None:
        """The proved sender; None for whoever gets no reply. Raises `SlackUnavailable`."""
        return await prove(
            sender,
            tenant=self.tenant,
            installation=self.installation,
            profiles=self.profiles,
        )


class Workspaces(Protocol):
    """The installations that one process speaks for, with what they share."""

    @property
    def queue(self) -> Queue: ...

    @property
    def record(self) -> Record: ...

    @property
    def meter(self) -> OutcomeMeter: ...

    async def at(self, address: Address) -> Parts | None:
        """The parts of that installation; None where there is none. Raises `StoreUnavailable`."""
        ...

    def all(self) -> Sequence[Parts]:
        """The parts of every installation known by now."""
        ...


def is_private(room: Room) -> bool:
    """Whether one person alone reads this room. Slack's direct messages begin with D."""
    if room.kind is not None:
        return room.kind is RoomKind.IM
    return room.channel.startswith("D")


def conversation_of(room: Room, *, root: str) -> str:
    """The name of a conversation: a thread of a channel, or all of a direct message."""
    return room.channel if is_private(room) else f"{room.channel}:{root}"
