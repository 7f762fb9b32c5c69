"""In-memory record: snapshots, checkpoints and the working context."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from rag.errors import (
    CheckpointTampered,
    ContextUnavailable,
    LeaseLost,
    SnapshotTampered,
    StoreUnavailable,
    TaskExists,
    UnknownSnapshot,
    UnknownTask,
)
from rag.ports import Lease
from rag.values import ContextPack, Request


def digest(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return sha256(text.encode()).hexdigest()


@dataclass
class MemorySnapshots:
    """`rag.ports.Snapshots`; ``texts`` may be altered to see that reading notices."""

    texts: dict[str, str] = field(default_factory=dict)

    async def put(self, text: str) -> str:
        self.texts[digest(text)] = text
        return digest(text)

    async def get(self, sha256: str) -> str:
        if sha256 not in self.texts:
            raise UnknownSnapshot(sha256)
        if digest(self.texts[sha256]) != sha256:
            raise SnapshotTampered(sha256)
        return self.texts[sha256]

    def flip(self, sha256: str) -> None:
        """Change the first character of a stored text behind its name's back."""
        text = self.texts[sha256]
        self.texts[sha256] = chr(ord(text[0]) ^ 1) + text[1:]


def _nothing(stage: str) -> None:
    """What happens after a stage is saved, unless a test says otherwise."""


@dataclass
class MemoryCheckpoints:
    """`rag.ports.Checkpoints`; ``down`` makes every call raise `StoreUnavailable`.

    ``on_save`` is called with the stage's name once its document is kept.
    """

    requests: dict[str, Request] = field(default_factory=dict)
    documents: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    leases: dict[str, int] = field(default_factory=dict)
    on_save: Callable[[str], None] = _nothing
    down: bool = False

    async def open(self, request: Request) -> Lease:
        self._reach()
        if self.requests.setdefault(request.task, request) != request:
            raise TaskExists(request.task)
        number = self.leases[request.task] = self.leases.get(request.task, 0) + 1
        return Lease(task=request.task, number=number)

    async def load(self, task: str, stage: str) -> str | None:
        self._known(task)
        if (task, stage) not in self.documents:
            return None
        document, sha = self.documents[task, stage]
        if digest(document) != sha:
            raise CheckpointTampered(f"{task} {stage}")
        return document

    async def saved(self, task: str) -> Mapping[str, str]:
        self._known(task)
        found = {stage: await self.load(task, stage) for stage in self.stages(task)}
        return {stage: document for stage, document in found.items() if document is not None}

    async def save(self, lease: Lease, stage: str, document: str) -> str:
        self._known(lease.task)
        if self.leases[lease.task] != lease.number:
            raise LeaseLost(f"task {lease.task} is in other hands before {stage} is saved")
        kept, _ = self.documents.setdefault((lease.task, stage), (document, digest(document)))
        self.on_save(stage)
        return kept

    def stages(self, task: str) -> tuple[str, ...]:
        """The stages saved for a task, in the order they were first saved."""
        return tuple(stage for owner, stage in self.documents if owner == task)

    def _reach(self) -> None:
        if self.down:
            raise StoreUnavailable("the record is switched off")

    def _known(self, task: str) -> None:
        self._reach()
        if task not in self.requests:
            raise UnknownTask(task)


@dataclass
class MemoryContext:
    """`rag.ports.WorkingContext`; ``packs.clear()`` is a flush, ``down`` an outage."""

    packs: dict[str, ContextPack] = field(default_factory=dict)
    down: bool = False

    async def load(self, task: str) -> ContextPack | None:
        self._reach()
        return self.packs.get(task)

    async def update(self, pack: ContextPack) -> None:
        self._reach()
        self.packs[pack.task] = pack

    def _reach(self) -> None:
        if self.down:
            raise ContextUnavailable("the working context is switched off")
