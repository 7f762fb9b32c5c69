"""All that taking a source in needs of others, and what it asks of each."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.loaders.loaded import Loaded
from bot.sources.enriched import Enriched
from bot.sources.originals import Files, Origins
from bot.tables.read_only import Databases
from rag.ports import Clock, CountTokens
from rag.values import Chunk, Limits, Source


class CatalogueRecord(Protocol):
    """Where the newest version of a source is noted."""

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]: ...

    async def ingested(
        self, *, tenant: str, source_id: str, snapshot: str, at: datetime
    ) -> None: ...


class ChunkStore(Protocol):
    """Where a version's chunks are kept."""

    async def store(
        self,
        chunks: Sequence[Chunk],
        *,
        tenant: str,
        source_id: str,
        snapshot: str,
        found: Enriched | None = None,
    ) -> bool: ...

    async def move(
        self, chunks: Sequence[Chunk], *, tenant: str, source_id: str, snapshot: str
    ) -> bool: ...

    async def load(self, *, tenant: str, source_id: str, snapshot: str) -> tuple[Chunk, ...]: ...


class SearchWriter(Protocol):
    """The write side of search."""

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None: ...

    async def holds(self, *, tenant: str, source_id: str, snapshot: str) -> bool: ...


class SnapshotStore(Protocol):
    """Where full texts are kept."""

    async def put(self, text: str) -> str: ...

    async def get(self, sha256: str) -> str: ...


ReadText = Callable[[Source], Awaitable[str]]
"""The present text of a source of one kind. Raises `SourceUnreadable`."""


@dataclass(frozen=True, kw_only=True)
class Ingest:
    """All that ingesting writes to and reads from."""

    catalogue: CatalogueRecord
    snapshots: SnapshotStore
    chunks: ChunkStore
    search: SearchWriter
    files: Files
    origins: Origins
    pages: Callable[[Source], Awaitable[Loaded | None]]
    external: ReadText
    databases: Databases
    internal: ReadText
    count_tokens: CountTokens
    limits: Limits
    now: Clock
