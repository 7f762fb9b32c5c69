"""What the Slack side needs of the SQL record, and nothing about how it is kept.

Every method may raise `StoreUnavailable`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.audience import Change
from bot.fair_use import FairUse, Verdict
from bot.sources.staged import Staged, StagedFiles
from bot.storage.audit import OURSELVES, Noted
from bot.storage.deliveries import Delivery, DeliveryState, Handle, Target
from bot.storage.handoff_rows import Decision, Handoff, Reply, Words
from bot.storage.knowledge import Knowledge, knowledge_ref
from bot.storage.showing import Audience, Showing
from bot.storage.task_rows import StoredTask, TaskState
from rag import ports
from rag.ports import Lease
from rag.values import Place, Reason, Request, Source, Status, Turn

__all__ = [
    "ANSWER",
    "OURSELVES",
    "Audience",
    "Audit",
    "Changes",
    "Decision",
    "Deliveries",
    "Delivery",
    "DeliveryState",
    "Feedback",
    "Handle",
    "Handoff",
    "Handoffs",
    "Knowledge",
    "Noted",
    "People",
    "Reply",
    "Showing",
    "Shown",
    "Sources",
    "Staged",
    "StagedFiles",
    "StoredTask",
    "Target",
    "TaskState",
    "Tasks",
    "Tenants",
    "Uses",
    "Words",
    "Workers",
    "knowledge_ref",
]

ANSWER = "answer"
"""The kind of the message that first shows progress and then the answer."""


class Tenants(Protocol):
    """Which workspace belongs to which tenant."""

    async def bind(self, *, tenant: str, team: str, enterprise: bool = False) -> None: ...

    async def exists(self, tenant: str) -> bool: ...

    async def of(self, *, team: str, enterprise: str | None = None) -> str | None: ...

    async def mention_only(self, *, team: str) -> bool: ...


class Tasks(Protocol):
    """The questions that were asked, and how each ended."""

    async def enqueue(self, request: Request) -> bool: ...

    async def get(self, *, tenant: str, task: str) -> StoredTask: ...

    async def hold(self, *, tenant: str, lease: Lease) -> None: ...

    async def finish(
        self, *, tenant: str, lease: Lease, status: Status, reason: Reason | None = None
    ) -> bool: ...

    async def cancel(self, *, tenant: str, task: str) -> bool: ...

    async def settle(self, *, tenant: str, task: str) -> bool: ...

    async def list(
        self, *, tenant: str, principal: str | None = None, limit: int = 50
    ) -> tuple[StoredTask, ...]: ...

    async def find(
        self, *, tenant: str, states: Sequence[TaskState], before: datetime, limit: int
    ) -> tuple[StoredTask, ...]: ...

    async def ended(
        self, *, tenant: str, statuses: Sequence[Status], limit: int
    ) -> tuple[StoredTask, ...]: ...

    async def unfinished(self, *, tenant: str) -> tuple[StoredTask, ...]: ...

    async def turns(
        self,
        *,
        tenant: str,
        conversation: str,
        principal: str,
        place: Place,
        before: datetime,
        limit: int = 10,
    ) -> tuple[Turn, ...]: ...

    async def waiting(
        self, *, tenant: str, conversation: str, principal: str | None = None
    ) -> StoredTask | None: ...

    async def goes_on(self, *, tenant: str, conversation: str) -> bool: ...

    async def forget(self, *, tenant: str, principal: str) -> tuple[str, ...]: ...


class Checkpoints(ports.Checkpoints, Protocol):
    """Finished stages, one at a time too. Raises `CheckpointTampered`."""

    async def load(self, task: str, stage: str) -> str | None: ...


class Workers(Protocol):
    """Which workers live: each counts its own beats."""

    async def beat(self, slot: str) -> None: ...

    async def beats(self) -> Mapping[str, int]: ...

    async def leave(self, slot: str) -> None: ...


class Deliveries(Protocol):
    """Where each task's messages stand, and what their buttons mean."""

    async def intend(
        self, *, tenant: str, task: str, kind: str, channel: str, thread: str = ""
    ) -> Delivery: ...

    async def placed(self, *, tenant: str, task: str, kind: str, ts: str) -> str: ...

    async def updated(
        self, *, tenant: str, task: str, kind: str, lease: Lease | None = None
    ) -> None: ...

    async def reopened(self, *, tenant: str, task: str, kind: str, lease: Lease) -> None: ...

    async def get(self, *, tenant: str, task: str, kind: str) -> Delivery | None: ...

    async def of(self, *, tenant: str, task: str) -> tuple[Delivery, ...]: ...

    async def by_message(self, *, tenant: str, channel: str, ts: str) -> tuple[Delivery, ...]: ...

    async def unfinished(self, *, tenant: str) -> tuple[Delivery, ...]: ...

    async def handles(
        self, *, tenant: str, task: str, targets: Sequence[Target]
    ) -> tuple[str, ...]: ...

    async def handle(self, *, tenant: str, handle_id: str) -> Handle | None: ...


class Audit(Protocol):
    """Who changed what may be seen. Ids alone: `Noted` says which shapes it takes."""

    async def note(
        self, *, tenant: str, who: str, what: str, about: Sequence[str] = (), once: str = ""
    ) -> bool: ...

    async def list(self, *, tenant: str, limit: int = 50) -> tuple[Noted, ...]: ...


class Changes(Protocol):
    """What changed in who reads, until somebody has looked what follows from it."""

    async def note(self, change: Change, *, tenant: str) -> bool: ...

    async def recent(self, *, tenant: str, seconds: float) -> tuple[Change, ...]: ...

    async def hand_on(self, change: Change, *, tenant: str) -> bool: ...

    async def take(self, *, tenant: str, home: str, limit: int) -> tuple[Change, ...]: ...

    async def looked(self, change: Change, *, tenant: str) -> None: ...

    async def clean(self, *, tenant: str, before: datetime) -> int: ...


class Shown(Protocol):
    """Which sources each message shows, and to whom."""

    async def begin(self, *, tenant: str, task: str, home: str, sources: Iterable[str]) -> None: ...

    async def end(self, *, tenant: str, task: str) -> bool: ...

    async def audiences(self, *, tenant: str, home: str) -> tuple[Audience, ...]: ...

    async def seen_by(self, audience: Audience, *, tenant: str) -> tuple[Showing, ...]: ...

    async def in_room(self, *, tenant: str, home: str, room: str) -> tuple[Showing, ...]: ...

    async def of_group(self, *, tenant: str, home: str, group: str) -> tuple[Showing, ...]: ...

    async def of_source(self, *, tenant: str, source: str) -> tuple[Showing, ...]: ...

    async def renumber(self, *, tenant: str, room: str, to: str) -> None: ...


class Feedback(Protocol):
    """Thumbs and doubts, and who lets admins see that they asked."""

    async def record(
        self,
        *,
        tenant: str,
        task: str,
        principal: str,
        up: bool,
        claim: int = -1,
        note: str = "",
    ) -> None: ...

    async def share_name(self, *, tenant: str, task: str, principal: str) -> None: ...

    async def shares_name(self, *, tenant: str, task: str, principal: str) -> bool: ...


class Uses(Protocol):
    """How often people ask."""

    async def take(
        self, *, tenant: str, principal: str, task: str, at: datetime, fair: FairUse
    ) -> Verdict: ...


class Handoffs(Protocol):
    """Which owners were asked about a task, who wants to know, and what they replied."""

    async def ask(
        self, *, tenant: str, task: str, owners: Mapping[str, str], asker: str
    ) -> None: ...

    async def of(self, *, tenant: str, task: str) -> tuple[Handoff, ...]: ...

    async def quote(
        self, *, tenant: str, task: str, owner: str, sources: Iterable[str]
    ) -> None: ...

    async def quoting(self, *, tenant: str) -> tuple[Handoff, ...]: ...

    async def askers(self, *, tenant: str, task: str) -> tuple[str, ...]: ...

    async def reply(self, *, tenant: str, task: str, owner: str, words: Words) -> Reply: ...

    async def replied(self, *, tenant: str, reply: str) -> Reply | None: ...

    async def proposed(self, *, tenant: str, reply: str) -> Knowledge | None: ...

    async def decide(self, *, tenant: str, reply: str, decider: str, approved: bool) -> Reply: ...


class People(Protocol):
    """The short names a tenant gives its people."""

    async def resolve(self, *, tenant: str, text: str) -> str: ...


class Failures(Protocol):
    """Why files of sources could not be read."""

    async def reasons(self, *, tenant: str) -> dict[str, str]: ...


class Sources(Protocol):
    """The catalogue as the Slack side uses it beyond `rag.ports.Catalogue`."""

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]: ...

    async def list(self, *, tenant: str) -> tuple[Source, ...]: ...

    async def removed(self, *, tenant: str) -> dict[str, datetime]: ...

    async def put(self, source: Source) -> bool: ...
