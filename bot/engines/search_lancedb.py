"""Full-text search on LanceDB for more than one machine: one table a tenant, many writers.

The table lies in a local folder or on object storage that all processes share.
It is fed with our own terms, and a question is answered from the terms' holders
*within the scope*, so nothing outside the scope changes what comes back.
"""

import asyncio
import logging
import random
import time
import warnings
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from bot.engines import lance_rows as rows
from bot.engines.lance_scope import Counted, rarest
from bot.engines.search_scope import rarity
from rag.errors import IndexUnavailable
from rag.ports import Hits, Scope
from rag.text import tokenise
from rag.values import Chunk

log = logging.getLogger(__name__)

FORMAT = "1"
_OVERFETCH = 8
_READ_TRIES = 3  # a version may be cleaned away while it is read
_WRITE_TRIES = 12
_LOOSE_COMMITS = 4  # a search asks the storage again for each that is not yet indexed
_LOOK_SECONDS = 0.25
_INDEXES = {"words": "LabelList", "pin": "BTree", "source": "BTree", "key": "BTree"}
_BROKEN = (RuntimeError, ValueError, OSError)

if TYPE_CHECKING:
    import lancedb

T = TypeVar("T")


class LanceIndex:
    """`rag.ports.Index` and its write side at ``url``: a folder, or ``s3://bucket/prefix``.

    ``options`` are LanceDB's storage options (credentials, endpoint, timeouts).
    A read or a write that takes longer than its seconds, tries included, is an outage.
    """

    def __init__(
        self,
        url: str,
        *,
        options: Mapping[str, str] | None = None,
        reading_seconds: float = 30.0,
        writing_seconds: float = 600.0,
    ) -> None:
        self._url = url
        self._options = dict(options or {})
        self._reading_seconds = reading_seconds
        self._writing_seconds = writing_seconds
        self._tables: dict[str, lancedb.AsyncTable] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._looked: dict[str, float] = {}
        self._held: dict[str, set[tuple[str, str]]] = {}
        self._held_at: dict[str, int] = {}
        self._untidy: defaultdict[str, int] = defaultdict(int)

    @property
    def version(self) -> str:
        """Changes when chunks must be indexed again."""
        return f"lancedb-{FORMAT}-{tokenise.VERSION}"

    async def search(self, *, terms: Sequence[str], scope: Scope, limit: int) -> Hits:
        """Chunks of the scope that hold any of the terms, rarest terms first."""
        if not scope.pins or not terms or limit < 1:
            return Hits()
        return await self._reading(scope.tenant, lambda: self._search(terms, scope, limit))

    async def around(self, chunk: Chunk, *, tenant: str, reach: int) -> tuple[Chunk, ...]:
        """The chunks within ``reach`` ordinals of ``chunk``, itself left out."""
        found = await self._reading(tenant, lambda: self._around(chunk, tenant, reach))
        others = [other for other in rows.chunks(found) if other.id != chunk.id]
        return tuple(sorted(others, key=lambda other: other.ordinal))

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None:
        """Index chunks of any number of sources in one commit; again, it changes nothing."""
        if not chunks:
            return
        found = await asyncio.to_thread(rows.table_of, chunks)
        pins = {(chunk.source_id, chunk.snapshot) for chunk in chunks}
        await self._writing(tenant, lambda table: _replace(table, found, rows.any_pin(pins)))
        self._untidy[tenant] += 1
        if self._untidy[tenant] >= _LOOSE_COMMITS:
            await self._tidy_some_time(tenant)

    async def _tidy_some_time(self, tenant: str) -> None:
        """Tidy, unless others are at it: what was added is there and found either way."""
        try:
            await self.tidy(tenant=tenant)
        except IndexUnavailable as error:
            log.warning("the search index stays untidy for now: %s", error)

    async def remove(self, *, tenant: str, source_id: str, snapshot: str | None = None) -> None:
        """Take a source, or one version of it, out, from the files too."""
        which = rows.any_pin([(source_id, snapshot)]) if snapshot else rows.of_source(source_id)
        await self._writing(tenant, lambda table: table.delete(which))
        await self.tidy(tenant=tenant, keep_seconds=0)

    async def shred(self, *, tenant: str) -> None:
        """Nothing: `remove` leaves no text in the files."""

    async def holds(self, *, tenant: str, source_id: str, snapshot: str) -> bool:
        """Whether that version of the source is indexed under this format."""
        return await self._reading(tenant, lambda: self._holds(tenant, (source_id, snapshot)))

    async def tidy(self, *, tenant: str, keep_seconds: int = 3600) -> None:
        """Merge small files, index what is new and drop files that only older versions need.

        With ``keep_seconds`` 0 no removed text is left; whoever reads meanwhile reads again.
        """
        keep = timedelta(seconds=keep_seconds)
        self._untidy[tenant] = 0

        async def work(table: "lancedb.AsyncTable") -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # it warns of what is asked for here
                await table.optimize(cleanup_older_than=keep)

        await self._writing(tenant, work)

    async def _holds(self, tenant: str, pin: tuple[str, str]) -> bool:
        table = await self._newest(tenant)
        version = await table.version()
        if self._held_at.get(tenant) != version:
            self._held_at[tenant] = version
            self._held[tenant] = set()
        if pin not in self._held[tenant] and await table.count_rows(rows.any_pin([pin])):
            self._held[tenant].add(pin)
        return pin in self._held[tenant]

    async def _search(self, words: Sequence[str], scope: Scope, limit: int) -> Hits:
        await self._newest(scope.tenant)
        within = rows.any_pin(scope.pins)
        asked = list(dict.fromkeys(words))
        queries = [rows.holding(word, within=within) for word in asked]
        everything, *found = await asyncio.gather(
            self._find(scope.tenant, within, ["key", "length"]),
            *(self._find(scope.tenant, query, ["key"]) for query in queries),
        )
        counted = Counted(everything)
        holders = {word: counted.holders(table) for word, table in zip(asked, found, strict=True)}
        held = rarest(holders)
        best = counted.leading(held, limit * _OVERFETCH)
        frequencies = {word: len(places) for word, places in held.items()}
        if not len(best):
            return Hits(chunks=counted.total, average_length=counted.average_length)
        picked = await self._find(scope.tenant, rows.of_keys(best), rows.HIT_COLUMNS)
        hits = rows.hits(picked, frequencies.keys())
        hits.sort(key=lambda hit: (-rarity(hit, frequencies, counted.total), hit.chunk.id))
        return Hits(
            hits=tuple(hits[: limit * _OVERFETCH]),
            frequencies=frequencies,
            chunks=counted.total,
            average_length=counted.average_length,
        )

    async def _around(self, chunk: Chunk, tenant: str, reach: int) -> pa.Table:
        await self._newest(tenant)
        return await self._find(tenant, rows.near(chunk, reach=reach), ["key", "chunk"])

    async def _find(self, tenant: str, where: str, columns: list[str]) -> pa.Table:
        table = await self._table(tenant)
        return await table.query().where(where).select(columns).to_arrow()

    async def _newest(self, tenant: str) -> "lancedb.AsyncTable":
        """The table as it is now; one look at the storage serves whoever asks at the same time."""
        table = await self._table(tenant)
        async with self._locks[tenant]:
            if time.monotonic() - self._looked.get(tenant, -_LOOK_SECONDS) >= _LOOK_SECONDS:
                await table.checkout_latest()  # type: ignore[no-untyped-call] # published so
                self._looked[tenant] = time.monotonic()
        return table

    async def _table(self, tenant: str) -> "lancedb.AsyncTable":
        """The tenant's table, made with its indexes where there is none."""
        async with self._locks[tenant]:
            if tenant not in self._tables:
                self._tables[tenant] = await self._opened(tenant)
            return self._tables[tenant]

    async def _opened(self, tenant: str) -> "lancedb.AsyncTable":
        # Loading it takes seconds and starts a thread, so nobody pays who does not use it.
        library = await asyncio.to_thread(import_module, "lancedb")
        connection: lancedb.AsyncConnection = await library.connect_async(
            self._url, storage_options=self._options or None
        )
        name = f"{rows.digest(tenant)}-{rows.digest(self.version)[:8]}"
        table = await connection.create_table(name, schema=rows.SCHEMA, exist_ok=True)
        there = {column for index in await table.list_indices() for column in index.columns}
        for column in _INDEXES.keys() - there:
            kind: Any = getattr(library.index, _INDEXES[column])
            await table.create_index(column, config=kind(), replace=True)
        return table

    async def _reading(self, tenant: str, work: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(self._reading_seconds):
                return await self._tried(tenant, work, times=_READ_TRIES)
        except (*_BROKEN, TimeoutError) as error:
            raise IndexUnavailable("the search index cannot be read") from error

    async def _writing(
        self, tenant: str, work: Callable[["lancedb.AsyncTable"], Awaitable[object]]
    ) -> None:
        async def once() -> object:
            self._looked.pop(tenant, None)
            return await work(await self._newest(tenant))

        try:
            async with asyncio.timeout(self._writing_seconds):
                await self._tried(tenant, once, times=_WRITE_TRIES)
        except (*_BROKEN, TimeoutError) as error:
            raise IndexUnavailable("the search index cannot be written") from error

    async def _tried(self, tenant: str, work: Callable[[], Awaitable[T]], *, times: int) -> T:
        """Do ``work``, again where another process was first."""
        for attempt in range(times - 1):
            try:
                return await work()
            except _BROKEN:
                self._looked.pop(tenant, None)
                await asyncio.sleep(_pause(attempt))
        return await work()


def _pause(attempt: int) -> float:
    """Seconds to wait, so that rivals meet less often."""
    return random.uniform(0, 0.05 * 2 ** min(attempt, 5))  # noqa: S311 - keeps no secret


async def _replace(table: "lancedb.AsyncTable", found: pa.Table, pins: str) -> None:
    """One commit that leaves exactly ``found`` of these versions."""
    merge = table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
    await merge.when_not_matched_by_source_delete(pins).execute(found)
