"""A fake of every port, in memory, for tests of this package and of others.

The fakes keep the ports' promises (verified reads, scopes, errors) and can be
broken on purpose. `World` binds them to one another.
"""

from rag.testing.catalogue import MemoryCatalogue, MemoryIntake
from rag.testing.reader import ScriptedReader
from rag.testing.search import MemoryIndex, MemoryRetrievals, chunks_of
from rag.testing.spending import MemorySpending
from rag.testing.stores import MemoryCheckpoints, MemoryContext, MemorySnapshots
from rag.testing.telling import ListPublisher, RecordingObserver
from rag.testing.world import World

__all__ = [
    "ListPublisher",
    "MemoryCatalogue",
    "MemoryCheckpoints",
    "MemoryContext",
    "MemoryIndex",
    "MemoryIntake",
    "MemoryRetrievals",
    "MemorySnapshots",
    "MemorySpending",
    "RecordingObserver",
    "ScriptedReader",
    "World",
    "chunks_of",
]
