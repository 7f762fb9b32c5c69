"""Many sources brought in at once: a folder, a catalogue file, or all there are once more.

Each way yields one `Step` a source, so that a caller can show progress. A file
that is broken fails alone; an outage ends the import, and the next one goes on
from what is recorded.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeVar

from bot.folders import PATH, ROOT, Folder, described, refuse_other_roots, survey
from bot.loaders.files import FileUnreadable, inside, read_bytes
from bot.loaders.loaded import Loaded
from rag.errors import LimitExceeded, SourceUnreadable
from rag.values import Limits, Pinned, Source, Value

_BATCH = 48  # sources that become searchable in one commit


class Outcome(StrEnum):
    """What became of one source."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    REMOVED = "removed"


class Step(Value):
    """One source is dealt with: ``done`` of ``total``. ``reason`` where there is one to give."""

    done: int
    total: int
    source_id: str
    outcome: Outcome
    reason: str = ""


class CatalogueWriter(Protocol):
    """Where entries are looked up, put and removed."""

    async def list(self, *, tenant: str) -> tuple[Source, ...]: ...

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]: ...

    async def put_all(self, sources: Sequence[Source]) -> tuple[str, ...]: ...

    async def remove(self, *, tenant: str, source_id: str) -> bool: ...


class ManyPins(Protocol):
    """Brings many sources to their newest versions. Raises `SourceUnreadable` for the first."""

    async def pin_all(self, sources: Sequence[Source]) -> list[Pinned]: ...


class SearchRemover(Protocol):
    """Where a removed source leaves search."""

    async def remove(self, *, tenant: str, source_id: str, snapshot: str | None = None) -> None: ...


class Files(Protocol):
    """Makes text of a file's content. Raises `FileUnreadable`, `LimitExceeded`."""

    async def load(self, data: bytes, *, name: str) -> Loaded: ...


T = TypeVar("T")
Done = tuple[str, Outcome, str]
Resolve = Callable[[str, str], Awaitable[str]]
"""(tenant, a reader as people write it) to the reader as rights name it."""


@dataclass(frozen=True, kw_only=True)
class Importer:
    """All that importing writes to."""

    catalogue: CatalogueWriter
    intake: ManyPins
    search: SearchRemover
    files: Files
    resolve: Resolve
    limits: Limits

    async def add_folder(
        self, root: Path, *, tenant: str, readers: Sequence[str], prefix: str = ""
    ) -> AsyncIterator[Step]:
        """Every supported file below ``root``; files that vanished stay as they are.

        Raises `WrongUsage` (no folder; an id taken by another folder), and what
        the record and search raise.
        """
        base = await asyncio.to_thread(root.resolve)
        found = await asyncio.to_thread(survey, base)
        names = tuple([await self.resolve(tenant, reader) for reader in readers])
        folder = Folder(root=str(base), tenant=tenant, readers=names, prefix=prefix)
        known = {source.id: source for source in await self.catalogue.list(tenant=tenant)}
        refuse_other_roots(folder, known, found.files)
        files = [(folder, path) for path in found.files]
        count = _Count(len(files) + len(found.skipped))
        for path, reason in found.skipped:
            yield count.step((folder.source_id(path), Outcome.SKIPPED, reason))
        for batch in _batches(files):
            for done in await self._files(batch, known):
                yield count.step(done)

    async def add_rows(self, sources: Sequence[Source]) -> AsyncIterator[Step]:
        """The sources of a catalogue file. An entry stays when its text cannot be read now."""
        count = _Count(len(sources))
        for tenant in dict.fromkeys(source.tenant for source in sources):
            named = [await self._named(source) for source in sources if source.tenant == tenant]
            known = {source.id: source for source in await self.catalogue.list(tenant=tenant)}
            for batch in _batches(named):
                for done in await self._ingest(batch, known):
                    yield count.step(done)

    async def refresh(self, *, tenant: str) -> AsyncIterator[Step]:
        """Every source of the tenant read again.

        A file that vanished from a folder which is still there takes its source
        along; a folder that is gone takes nothing.
        """
        sources = await self.catalogue.list(tenant=tenant)
        known = {source.id: source for source in sources}
        count = _Count(len(sources))
        gone, files, others = await asyncio.to_thread(_sorted_by_origin, sources)
        for source in gone:
            await self.remove(tenant=tenant, source_id=source.id)
            yield count.step((source.id, Outcome.REMOVED, "its file is gone"))
        for batch in _batches(files):
            for done in await self._files(batch, known):
                yield count.step(done)
        for rest in _batches(others):
            for done in await self._ingest(rest, known):
                yield count.step(done)

    async def remove(self, *, tenant: str, source_id: str) -> bool:
        """Take a source out of the record and out of search; False when it was in neither."""
        removed = await self.catalogue.remove(tenant=tenant, source_id=source_id)
        await self.search.remove(tenant=tenant, source_id=source_id)
        return removed

    async def _named(self, source: Source) -> Source:
        names = [await self.resolve(source.tenant, reader) for reader in source.readers]
        return source.model_copy(update={"readers": tuple(names)})

    async def _files(
        self, batch: Sequence[tuple[Folder, str]], known: dict[str, Source]
    ) -> list[Done]:
        """Read, record and ingest some files; a new one that fails leaves no entry."""
        sources, failed = await self._described(batch, known)
        done = await self._ingest(sources, known) if sources else []
        for source, (source_id, outcome, _) in zip(sources, done, strict=True):
            if outcome is Outcome.FAILED and source_id not in known:
                await self.catalogue.remove(tenant=source.tenant, source_id=source_id)
        return [*failed, *done]

    async def _described(
        self, batch: Sequence[tuple[Folder, str]], known: dict[str, Source]
    ) -> tuple[list[Source], list[Done]]:
        sources: list[Source] = []
        failed: list[Done] = []
        for folder, path in batch:
            source_id = folder.source_id(path)
            try:
                sources.append(await self._entry(folder, path, known.get(source_id)))
            except (FileUnreadable, LimitExceeded, ValueError) as error:
                failed.append((source_id, Outcome.FAILED, _reason(error)))
        return sources, failed

    async def _entry(self, folder: Folder, path: str, known: Source | None) -> Source:
        place = await asyncio.to_thread(inside, Path(folder.root), path)
        data = await asyncio.to_thread(read_bytes, place, limits=self.limits)
        loaded = await self.files.load(data, name=place.name)
        return await asyncio.to_thread(described, folder, path, known=known, loaded=loaded)

    async def _ingest(self, batch: Sequence[Source], known: dict[str, Source]) -> list[Done]:
        """Record and ingest some sources of one tenant, in their order."""
        changed = await self.catalogue.put_all(batch)
        ids = [source.id for source in batch]
        entries = await self.catalogue.get(tenant=batch[0].tenant, source_ids=ids)
        await self._forget_old_titles(entries, known)
        try:
            pinned = await self.intake.pin_all(entries)
        except SourceUnreadable:
            return [await self._alone(entry, known, changed) for entry in entries]
        return [
            (entry.id, _outcome(pin, known.get(entry.id), changed), "")
            for entry, pin in zip(entries, pinned, strict=True)
        ]

    async def _forget_old_titles(self, entries: Sequence[Source], known: dict[str, Source]) -> None:
        """Take renamed sources out of search, so that pinning indexes them under the new title."""
        for entry in entries:
            before = known.get(entry.id)
            if before and before.snapshot and before.title != entry.title:
                await self.search.remove(
                    tenant=entry.tenant, source_id=entry.id, snapshot=before.snapshot
                )

    async def _alone(self, entry: Source, known: dict[str, Source], changed: Sequence[str]) -> Done:
        try:
            pinned = await self.intake.pin_all([entry])
        except SourceUnreadable as error:
            return entry.id, Outcome.FAILED, str(error)
        return entry.id, _outcome(pinned[0], known.get(entry.id), changed), ""


class _Count:
    """Numbers the steps of one import."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def step(self, done: Done) -> Step:
        self._done += 1
        source_id, outcome, reason = done
        return Step(
            done=self._done,
            total=self._total,
            source_id=source_id,
            outcome=outcome,
            reason=reason,
        )


def _outcome(pinned: Pinned, before: Source | None, changed: Sequence[str]) -> Outcome:
    if before is None:
        return Outcome.ADDED
    same = pinned.snapshot == before.snapshot and pinned.source_id not in changed
    return Outcome.UNCHANGED if same else Outcome.CHANGED


def _reason(error: Exception) -> str:
    if isinstance(error, FileUnreadable | LimitExceeded):
        return str(error)
    return "its path does not make a usable id (at most 300 characters)"


def _sorted_by_origin(
    sources: Sequence[Source],
) -> tuple[list[Source], list[tuple[Folder, str]], list[Source]]:
    """Vanished files, files of folders, and all other sources. Blocks."""
    gone: list[Source] = []
    files: list[tuple[Folder, str]] = []
    others: list[Source] = []
    for source in sources:
        root, path = source.metadata.get(ROOT), source.metadata.get(PATH)
        if not (isinstance(root, str) and isinstance(path, str) and Path(root).is_dir()):
            others.append(source)
        elif not Path(source.ref).exists():
            gone.append(source)
        else:
            prefix = source.id.removesuffix(path).strip("/")
            folder = Folder(root=root, tenant=source.tenant, readers=source.readers, prefix=prefix)
            files.append((folder, path))
    return gone, files, others


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
