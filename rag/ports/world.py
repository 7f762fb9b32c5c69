"""What a task may do to the world beyond reading: sources, texts, search, record, delivery."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import Field

from rag.values import (
    Chunk,
    ContextPack,
    Pinned,
    Place,
    Published,
    Report,
    Request,
    Source,
    Spent,
    Value,
)

Clock = Callable[[], datetime]
"""The present instant, timezone-aware."""

Stopwatch = Callable[[], float]
"""Seconds from an arbitrary origin, never stepping back."""

Sure = Callable[[], Awaitable[None]]
"""Asked right before each try to show something; raises where it may not be shown any more."""

CountTokens = Callable[[str], int]
"""Tokens a text costs."""

NewId = Callable[[], str]
"""A fresh opaque id."""


class Permitted(Value):
    """The sources a principal may use at a place, and the decision's name.

    ``withheld``: the place's rules exclude content whatever the asker may read.
    ``outsider``: the principal is no member and gets nothing at all.
    """

    sources: tuple[Source, ...] = ()
    fingerprint: str = ""
    withheld: bool = False
    outsider: bool = False


class Catalogue(Protocol):
    """Which sources exist and who may use them where. Raises `StoreUnavailable`."""

    async def permitted(self, *, tenant: str, principal: str, place: Place) -> Permitted: ...

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]: ...


class Intake(Protocol):
    """Brings a source to its newest readable version. Raises `SourceUnreadable`."""

    async def pin(self, source: Source) -> Pinned:
        """Ingest what is new or changed and hold the source to one snapshot."""
        ...

    async def verify(self, pinned: Pinned) -> None:
        """Raise `IdentityMismatch` when the catalogue or an external row no longer agrees."""
        ...


class Snapshots(Protocol):
    """Full texts by SHA-256. Raises `SnapshotTampered`, `StoreUnavailable`."""

    async def put(self, text: str) -> str: ...

    async def get(self, sha256: str) -> str: ...


class Hit(Value):
    """A chunk that matched, with what BM25 needs: term counts and length in terms."""

    chunk: Chunk
    term_counts: dict[str, int]
    title_counts: dict[str, int] = Field(default_factory=dict)
    length: int


class Hits(Value):
    """Matches and the statistics *of the scope alone*.

    ``frequencies`` maps a query term to the number of chunks in scope that hold
    it, ``chunks`` counts the scope, ``average_length`` its chunks' mean length
    in terms.
    """

    hits: tuple[Hit, ...] = ()
    frequencies: dict[str, int] = Field(default_factory=dict)
    chunks: int = 0
    average_length: float = 0.0


class Scope(Value):
    """The only snapshots a search may see: (source id, snapshot) pairs of one tenant."""

    tenant: str
    pins: tuple[tuple[str, str], ...]


class Index(Protocol):
    """Finds chunks by terms, the scope applied before ranking. Raises `IndexUnavailable`."""

    @property
    def version(self) -> str: ...

    async def search(self, *, terms: Sequence[str], scope: Scope, limit: int) -> Hits: ...

    async def around(self, chunk: Chunk, *, tenant: str, reach: int) -> tuple[Chunk, ...]:
        """The chunks within ``reach`` ordinals of ``chunk`` in the same snapshot."""
        ...


class Lease(Value):
    """The right to work on a task. ``number`` grows by one each time the task is taken up."""

    task: str
    number: int


class Checkpoints(Protocol):
    """Finished stages of a task, verified on read. Raises `CheckpointTampered`."""

    async def open(self, request: Request) -> Lease:
        """Store the request and take the task up: whoever held it before may write no more.

        Raises `TaskExists` when another question has that id.
        """
        ...

    async def saved(self, task: str) -> Mapping[str, str]:
        """The document of each finished stage, by the stage's name."""
        ...

    async def save(self, lease: Lease, stage: str, document: str) -> str:
        """Keep a stage's result; the first one stays. Returns what is kept.

        Raises `LeaseLost` when the task was taken up again since.
        """
        ...


class WorkingContext(Protocol):
    """A task's context pack, kept for a while. Raises `ContextUnavailable`."""

    async def load(self, task: str) -> ContextPack | None: ...

    async def update(self, pack: ContextPack) -> None: ...


class Publisher(Protocol):
    """Shows a report where it belongs. Raises `DeliveryError`."""

    async def publish(self, request: Request, report: Report, *, sure: Sure) -> Published:
        """Passes on what ``sure`` raises, and shows nothing then."""
        ...

    async def withdraw(self, request: Request, published: Published) -> None: ...


class Observer(Protocol):
    """Told of each stage attempt and reader call before it starts, and asked whether to go on."""

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        """Raise `Cancelled` to stop the task here."""
        ...

    async def asking(self, request: Request) -> None:
        """The reader is about to be asked. Raises as `entering`, and `LeaseLost`."""
        ...


class RetrievalLog(Protocol):
    """One row a retrieval, a failed one too."""

    async def record(self, *, task: str, tenant: str, details: dict[str, object]) -> None: ...


class Spending(Protocol):
    """What models were asked for a task, whichever process asked. Raises `StoreUnavailable`."""

    async def of(self, *, tenant: str, task: str) -> Spent: ...

    async def replies(self, *, tenant: str, task: str) -> Mapping[str, int]:
        """How many replies of a model each stage of a task that goes on has had so far."""
        ...
