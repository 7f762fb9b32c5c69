"""Every fake bound to the others: one record, and as many processes over it as a test likes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from rag.ports import Publisher, Reader
from rag.running import Ports
from rag.testing.catalogue import EVERYONE, MemoryCatalogue, MemoryIntake
from rag.testing.reader import ScriptedReader
from rag.testing.search import MemoryIndex, MemoryRetrievals
from rag.testing.spending import MemorySpending
from rag.testing.stores import MemoryCheckpoints, MemoryContext, MemorySnapshots
from rag.testing.telling import ListPublisher, RecordingObserver
from rag.values import Kind, Request, Source, SourceStatus

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def _numbered(prefix: str) -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"{prefix}-{next(numbers)}"


@dataclass
class World:
    """The stores outlive a process; ``reader`` and ``observer`` belong to the next one."""

    reader: ScriptedReader = field(default_factory=ScriptedReader)
    observer: RecordingObserver = field(default_factory=RecordingObserver)
    catalogue: MemoryCatalogue = field(default_factory=MemoryCatalogue)
    snapshots: MemorySnapshots = field(default_factory=MemorySnapshots)
    index: MemoryIndex = field(default_factory=MemoryIndex)
    checkpoints: MemoryCheckpoints = field(default_factory=MemoryCheckpoints)
    context: MemoryContext = field(default_factory=MemoryContext)
    publisher: ListPublisher = field(default_factory=ListPublisher)
    retrievals: MemoryRetrievals = field(default_factory=MemoryRetrievals)
    spending: MemorySpending = field(default_factory=MemorySpending)
    seconds: float = 0.0
    new_id: Callable[[], str] = field(default_factory=lambda: _numbered("id"))

    def __post_init__(self) -> None:
        self.intake = MemoryIntake(
            catalogue=self.catalogue, snapshots=self.snapshots, index=self.index
        )

    def add(
        self,
        source_id: str,
        text: str | None,
        *,
        title: str = "",
        readers: tuple[str, ...] = (EVERYONE,),
        status: SourceStatus = SourceStatus.CURRENT,
    ) -> Source:
        """Put a document into the catalogue; without ``text`` it cannot be read."""
        source = Source(
            id=source_id,
            tenant="demo",
            title=title or source_id.title(),
            kind=Kind.DOCUMENT,
            ref=f"{source_id}.md",
            readers=readers,
            status=status,
        )
        self.catalogue.put(source)
        if text is not None:
            self.intake.texts[source.ref] = text
        return source

    def ports(self, *, reader: Reader | None = None, publisher: Publisher | None = None) -> Ports:
        """What a process that starts now would hold."""
        return Ports(
            reader=reader or self.reader,
            catalogue=self.catalogue,
            intake=self.intake,
            snapshots=self.snapshots,
            index=self.index,
            checkpoints=self.checkpoints,
            context=self.context,
            publisher=publisher or self.publisher,
            observer=self.observer,
            retrievals=self.retrievals,
            spending=self.spending,
            now=lambda: START + timedelta(seconds=self.seconds),
            stopwatch=lambda: self.seconds,
            count_tokens=lambda text: len(text.split()),
            new_id=self.new_id,
        )

    def request(self, question: str, *, task: str = "t1", principal: str = "alice") -> Request:
        """A private question; change more of it with ``model_copy``."""
        return Request(
            task=task, tenant="demo", principal=principal, question=question, asked_at=START
        )
