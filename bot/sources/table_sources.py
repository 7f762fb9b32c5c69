"""Sources that are tables of another database: only what changed since the last look is read.

Rows as new as the newest one seen are read again at each look, as more may have come in the
same instant. Rows that are gone show in the number of keys, which are then compared. What
neither tells, such as a change that kept its old version, shows once a day, when all is read.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ParamSpec, Protocol, TypeVar

from pydantic import ValidationError

from bot.errors import TableUnreadable
from bot.loaders.loaded import Loaded
from bot.sources.folders import Original
from bot.sources.originals import name_of
from bot.sources.steps import Done, Outcome
from bot.tables.layout import recorded
from bot.tables.marks import Mark, marked, said_of, thawed
from bot.tables.queries import Asked, TableQuery, is_table, table_of
from bot.tables.read_only import Databases, translated, unreadable
from bot.tables.reading import Reading, TableReader
from rag.ports import Clock
from rag.values import Chunk, Limits, Source

_WHOLE = timedelta(days=1)  # after which every row is read again

P = ParamSpec("P")
V = TypeVar("V")


class Origin(Protocol):
    """From what the newest version of a source was made."""

    async def original(self, *, tenant: str, source_id: str) -> str | None: ...


class Origins(Origin, Protocol):
    """Where that is noted."""

    async def made(self, found: Sequence[Original], *, tenant: str) -> None: ...


class Snapshots(Protocol):
    """Where full texts are kept."""

    async def get(self, sha256: str) -> str: ...


class Chunks(Protocol):
    """Where a version's chunks are kept."""

    async def load(self, *, tenant: str, source_id: str, snapshot: str) -> tuple[Chunk, ...]: ...


@dataclass(frozen=True, kw_only=True)
class TableSources:
    """Reads tables, beside what is recorded of them. Every method raises `SourceUnreadable`."""

    databases: Databases
    origins: Origins
    snapshots: Snapshots
    chunks: Chunks
    limits: Limits
    now: Clock

    async def load(self, source: Source) -> Loaded | None:
        """The table as it is; None where the recorded version is known to be it."""
        reader, mark = await self._reader(source), await self._mark(source)
        if mark is None or not self._goes_on(mark, reader):
            before = await self._recorded(source) if source.snapshot else {}
            return await self._noted(source, await _read(source, reader.whole, before))
        news = await _read(source, reader.since, thawed(mark.newest))
        if news.none(mark):
            return None
        before = await self._recorded(source)
        return await self._noted(source, await _read(source, reader.merged, before, news, mark))

    async def again(self, source: Source) -> Loaded:
        """All of the table as it is; nothing of it is noted."""
        reader = await self._reader(source)
        return (await _read(source, reader.whole)).loaded

    async def check(self, source: Source) -> None:
        """That the table can be read."""
        reader = await self._reader(source)
        await _read(source, reader.asked.look)

    async def _reader(self, source: Source) -> TableReader:
        table = _table(source)
        return TableReader(
            table=table,
            asked=await _read(source, self._asked, source, table),
            name=table.name(source.tenant),
            most=self.limits.document_characters,
            now=self.now,
        )

    def _asked(self, source: Source, table: TableQuery) -> Asked:
        return Asked(table, self.databases.engine(source), tenant=source.tenant)

    async def _mark(self, source: Source) -> Mark | None:
        if source.snapshot is None:
            return None
        return marked(await self.origins.original(tenant=source.tenant, source_id=source.id))

    def _goes_on(self, mark: Mark, reader: TableReader) -> bool:
        """Whether what is newer than the mark is all there is to read."""
        tells = bool(mark.newest) and not mark.cut_short and mark.name == reader.name
        return tells and self.now() - mark.whole_at < _WHOLE

    async def _recorded(self, source: Source) -> dict[str, str]:
        """The rows of the recorded version by their keys."""
        sha = str(source.snapshot)
        named = {"tenant": source.tenant, "source_id": source.id}
        chunks = await self.chunks.load(**named, snapshot=sha)
        return recorded(await self.snapshots.get(sha), chunks)

    async def _noted(self, source: Source, reading: Reading) -> Loaded:
        """That this version was made by this reading, for when it is the newest one."""
        kept = reading.mark.model_dump_json()
        sha = name_of(reading.loaded.text)
        made = Original(source_id=source.id, digest=kept, snapshot=sha)
        await self.origins.made([made], tenant=source.tenant)
        return reading.loaded


async def counted(origins: Origin, entry: Source, done: Done) -> Done:
    """What became of a source; of a table, with what its reading has found."""
    if done.outcome is Outcome.FAILED or not is_table(entry):
        return done
    mark = marked(await origins.original(tenant=entry.tenant, source_id=entry.id))
    changed = done.outcome is not Outcome.UNCHANGED
    reason = said_of(mark, changed=changed) if mark else ""
    return done.model_copy(update={"reason": reason})


def _table(source: Source) -> TableQuery:
    try:
        table = table_of(source)
    except ValidationError as error:
        raise unreadable(source, "its table entry is not one") from error
    if table is None:
        raise unreadable(source, "it is no table")
    return table


async def _read(source: Source, work: Callable[P, V], *given: P.args, **named: P.kwargs) -> V:
    """What ``work`` gives, which blocks."""
    try:
        with translated(source):
            return await asyncio.to_thread(work, *given, **named)
    except TableUnreadable as error:
        raise unreadable(source, str(error)) from error
