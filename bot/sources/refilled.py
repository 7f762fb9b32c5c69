"""Search that is never silently emptier than the record.

The index is a copy: a host may lose it, a new version may throw it away, a kill
may fall between storing chunks and making them searchable. Finding nothing in
such an index would be an outage told as "no evidence", so before a tenant's
first search in this process all that is missing is put back from SQL.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from rag.errors import SnapshotTampered
from rag.ports import Hits, Index, Scope
from rag.values import Chunk, Source

_log = logging.getLogger(__name__)
_BATCH = 2_000  # chunks a commit


class Engine(Index, Protocol):
    """Search with its write side."""

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None: ...

    async def remove(self, *, tenant: str, source_id: str, snapshot: str | None = None) -> None: ...

    async def holds(self, *, tenant: str, source_id: str, snapshot: str) -> bool: ...

    async def shred(self, *, tenant: str) -> None: ...


class SourceList(Protocol):
    """Every source of a tenant."""

    async def list(self, *, tenant: str) -> tuple[Source, ...]: ...


class StoredVersion(Protocol):
    """One ingested version of a source."""

    @property
    def snapshot(self) -> str: ...


class StoredChunks(Protocol):
    """The chunks in the record. `load` raises `SnapshotTampered`."""

    async def versions(self, *, tenant: str, source_id: str) -> Sequence[StoredVersion]: ...

    async def load(self, *, tenant: str, source_id: str, snapshot: str) -> tuple[Chunk, ...]: ...


class RefilledIndex:
    """`rag.ports.Index` and its write side, passed on to ``engine`` once it is whole."""

    def __init__(self, engine: Engine, *, sources: SourceList, chunks: StoredChunks) -> None:
        self._engine = engine
        self._sources = sources
        self._chunks = chunks
        self._whole: set[str] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @property
    def version(self) -> str:
        """The engine's."""
        return self._engine.version

    async def prepare(self, *, tenant: str) -> None:
        """Do now what the tenant's first search would wait for.

        Raises `IndexUnavailable`, `StoreUnavailable`.
        """
        await self._make_whole(tenant)

    async def search(self, *, terms: Sequence[str], scope: Scope, limit: int) -> Hits:
        """As the engine finds it. Raises `IndexUnavailable`, `StoreUnavailable`."""
        await self._make_whole(scope.tenant)
        return await self._engine.search(terms=terms, scope=scope, limit=limit)

    async def around(self, chunk: Chunk, *, tenant: str, reach: int) -> tuple[Chunk, ...]:
        """As the engine finds it. Raises `IndexUnavailable`, `StoreUnavailable`."""
        await self._make_whole(tenant)
        return await self._engine.around(chunk, tenant=tenant, reach=reach)

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None:
        """Passed on."""
        await self._engine.add(tenant=tenant, chunks=chunks)

    async def remove(self, *, tenant: str, source_id: str, snapshot: str | None = None) -> None:
        """Passed on."""
        await self._engine.remove(tenant=tenant, source_id=source_id, snapshot=snapshot)

    async def holds(self, *, tenant: str, source_id: str, snapshot: str) -> bool:
        """Passed on."""
        return await self._engine.holds(tenant=tenant, source_id=source_id, snapshot=snapshot)

    async def shred(self, *, tenant: str) -> None:
        """Passed on."""
        await self._engine.shred(tenant=tenant)

    async def _make_whole(self, tenant: str) -> None:
        if tenant in self._whole:
            return
        async with self._locks[tenant]:
            if tenant not in self._whole:
                await self._refill(tenant)
                self._whole.add(tenant)

    async def _refill(self, tenant: str) -> None:
        waiting: list[Chunk] = []
        async for chunks in self._missing(tenant):
            waiting += chunks
            if len(waiting) >= _BATCH:
                await self._engine.add(tenant=tenant, chunks=waiting)
                waiting = []
        if waiting:
            await self._engine.add(tenant=tenant, chunks=waiting)

    async def _missing(self, tenant: str) -> AsyncIterator[Sequence[Chunk]]:
        """The stored versions of each source whose newest one the engine lacks."""
        for source in await self._sources.list(tenant=tenant):
            if source.snapshot is None or await self._engine.holds(
                tenant=tenant, source_id=source.id, snapshot=source.snapshot
            ):
                continue
            for version in await self._chunks.versions(tenant=tenant, source_id=source.id):
                try:
                    yield await self._chunks.load(
                        tenant=tenant, source_id=source.id, snapshot=version.snapshot
                    )
                except SnapshotTampered:
                    # Its own task is refused as tampered; the other sources stay searchable.
                    _log.warning("source %s: a stored version is tampered with", source.id)
