"""Many sources brought in at once: a folder or a catalogue file.

Each way yields one `Step` a source, so that a caller can show progress. A file
that is broken fails alone; an outage ends the import, and the next one goes on
from what is recorded.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from bot.loaders.files import FileUnreadable, inside, read_bytes
from bot.loaders.loaded import Caution, Loaded
from bot.sources.failing import Failures, noted
from bot.sources.folders import Folder, Original, described, digest, refuse_other_roots, survey
from bot.sources.known import Known
from bot.sources.steps import Count, Done, Outcome, Step, batches, ended, pinned_as
from bot.sources.table_sources import counted
from bot.sources.told import refuse_circles
from handlers.blocks.texts import say
from rag.errors import LimitExceeded, SourceUnreadable
from rag.values import CHUNKING, Limits, Pinned, Source

_NEVER_READ = "never read"  # why a broken file's entry went: it may come back by itself


class CatalogueWriter(Protocol):
    """Where entries are looked up, put and removed."""

    async def list(self, *, tenant: str) -> tuple[Source, ...]: ...

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]: ...

    async def put_all(self, sources: Sequence[Source]) -> tuple[str, ...]: ...

    async def remove(self, *, tenant: str, source_id: str, because: str = "") -> bool: ...

    async def quoting(self, *, tenant: str, source_id: str) -> tuple[str, ...]: ...


class ManyPins(Protocol):
    """Brings many sources to their newest versions. Raises `SourceUnreadable` for the first."""

    async def pin_all(self, sources: Sequence[Source]) -> list[Pinned]: ...


class SearchRemover(Protocol):
    """Where a removed source leaves search."""

    async def remove(self, *, tenant: str, source_id: str, snapshot: str | None = None) -> None: ...

    async def holds(self, *, tenant: str, source_id: str, snapshot: str) -> bool: ...

    async def shred(self, *, tenant: str) -> None: ...


class Origins(Protocol):
    """Where watched folders, and the bytes that documents were read from, are noted."""

    async def watch(self, folder: Folder) -> None: ...

    async def originals(self, *, tenant: str) -> dict[str, str]: ...

    async def original(self, *, tenant: str, source_id: str) -> str | None: ...

    async def made(self, found: Sequence[Original], *, tenant: str) -> None: ...


class Files(Protocol):
    """Makes text of the file of a source. Raises `FileUnreadable`, `LimitExceeded`."""

    async def load(self, data: bytes, *, name: str, tenant: str, source_id: str) -> Loaded: ...


Resolve = Callable[[str, str], Awaitable[str]]
"""(tenant, a reader as people write it) to the reader as rights name it."""


Forget = Callable[[Sequence[str]], Awaitable[None]]
"""Deletes the working contexts of these tasks, which may hold what a removed source said."""


async def kept_for_a_while(_tasks: Sequence[str]) -> None:
    """What there is to forget where working contexts are not ours to reach: they expire."""


@dataclass(frozen=True, kw_only=True)
class Importer:
    """All that importing writes to."""

    catalogue: CatalogueWriter
    intake: ManyPins
    search: SearchRemover
    files: Files
    origins: Origins
    failures: Failures
    resolve: Resolve
    limits: Limits
    forget: Forget = kept_for_a_while

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
        # Read anew whatever it was read from before: so a person undoes what was changed since.
        known = replace(await self.known(tenant), digests={})
        refuse_other_roots(folder, known.sources, found.files)
        await self.origins.watch(folder)
        files = [(folder, path) for path in found.files]
        count = Count(len(files) + len(found.skipped))
        for path, reason in found.skipped:
            yield count.step(ended(folder.source_id(path), Outcome.SKIPPED, reason))
        for batch in batches(files):
            for done in await self.bring(batch, known):
                yield count.step(done)

    async def add_rows(self, sources: Sequence[Source]) -> AsyncIterator[Step]:
        """The sources of a catalogue file. An entry stays when its text cannot be read now."""
        count = Count(len(sources))
        for tenant in dict.fromkeys(source.tenant for source in sources):
            named = [await self._named(source) for source in sources if source.tenant == tenant]
            known = await self.known(tenant)
            refuse_circles(named, known.links)
            for batch in batches(named):
                for done in await self.ingest(batch, known):
                    yield count.step(done)

    async def remove(self, *, tenant: str, source_id: str, because: str = "") -> bool:
        """Take a source out of the record and out of search; False when it was not there.

        Where no more are to follow, the caller shreds what search's files still hold. Search
        first: after a kill in between, the source is still there to be removed again. And
        last: whoever pinned it in between has made it searchable.
        """
        quoting = await self.catalogue.quoting(tenant=tenant, source_id=source_id)
        await self.search.remove(tenant=tenant, source_id=source_id)
        removed = await self.catalogue.remove(tenant=tenant, source_id=source_id, because=because)
        await self.search.remove(tenant=tenant, source_id=source_id)
        await self.forget(quoting)
        return removed

    async def known(self, tenant: str) -> Known:
        """What the record holds of a tenant."""
        digests = await self.origins.originals(tenant=tenant)
        return Known.of(await self.catalogue.list(tenant=tenant), digests)

    async def _named(self, source: Source) -> Source:
        names = [await self.resolve(source.tenant, reader) for reader in source.readers]
        return source.model_copy(update={"readers": tuple(names)})

    async def bring(self, batch: Sequence[tuple[Folder, str]], known: Known) -> list[Done]:
        """Read, record and ingest those of some files that are not yet recorded as they are.

        One without a version that fails leaves no entry.
        """
        seen = await asyncio.to_thread(_digests, batch, self.limits)
        same = [await self._stands(known.same(*file, seen[file])) for file in batch]
        fresh = [file for file, done in zip(batch, same, strict=True) if done is None]
        sources, failed, warned = await self._described(fresh, known)
        brought = await self._ingest(sources, known) if sources else []
        done = [_warned(one, warned) for one in brought]
        for one in done:
            before = known.sources.get(one.source_id)
            if one.outcome is Outcome.FAILED and (before is None or before.snapshot is None):
                await self.catalogue.remove(
                    tenant=sources[0].tenant, source_id=one.source_id, because=_NEVER_READ
                )
        digests = {folder.source_id(path): seen[folder, path] for folder, path in fresh}
        await self._note(done, digests, tenant=batch[0][0].tenant)
        every = [*(one for one in same if one), *failed, *done]
        await noted(self.failures, every, tenant=batch[0][0].tenant)
        return every

    async def _described(
        self, batch: Sequence[tuple[Folder, str]], known: Known
    ) -> tuple[list[Source], list[Done], dict[str, str]]:
        """The entries of those that can be read, those that cannot, and what to know of them."""
        sources: list[Source] = []
        failed: list[Done] = []
        warned: dict[str, str] = {}
        for folder, path in batch:
            source_id = folder.source_id(path)
            try:
                entry, loaded = await self._entry(folder, path, known.sources.get(source_id))
                known.link(entry)
            except (FileUnreadable, LimitExceeded, ValueError) as error:
                failed.append(ended(source_id, Outcome.FAILED, _reason(error)))
            else:
                sources.append(entry)
                warned[source_id] = "; ".join(map(words_of, loaded.cautions))
        return sources, failed, warned

    async def _entry(
        self, folder: Folder, path: str, known: Source | None
    ) -> tuple[Source, Loaded]:
        place = await asyncio.to_thread(inside, Path(folder.root), path)
        data = await asyncio.to_thread(read_bytes, place, limits=self.limits)
        named = {"tenant": folder.tenant, "source_id": folder.source_id(path)}
        loaded = await self.files.load(data, name=place.name, **named)
        entry = await asyncio.to_thread(
            described, folder, path, known=known, loaded=loaded, limits=self.limits
        )
        return entry, loaded

    async def _stands(self, source: Source | None) -> Done | None:
        """That nothing is to be done for a source whose version is searchable."""
        if source is None or source.snapshot is None:
            return None
        named = {"tenant": source.tenant, "source_id": source.id}
        if not await self.search.holds(**named, snapshot=source.snapshot):
            return None
        return ended(source.id, Outcome.UNCHANGED)

    async def _note(self, done: Sequence[Done], digests: Mapping[str, str], *, tenant: str) -> None:
        """Let the record know what was read, so that it is not read again."""
        made = [
            Original(source_id=one.source_id, digest=digests[one.source_id], snapshot=one.snapshot)
            for one in done
            if one.snapshot and digests[one.source_id]
        ]
        if made:
            await self.origins.made(made, tenant=tenant)

    async def ingest(self, batch: Sequence[Source], known: Known) -> list[Done]:
        """Record and ingest some sources of one tenant, in their order."""
        done = await self._ingest(batch, known)
        await noted(self.failures, done, tenant=batch[0].tenant)
        return done

    async def _ingest(self, batch: Sequence[Source], known: Known) -> list[Done]:
        changed = await self.catalogue.put_all(batch)
        ids = [source.id for source in batch]
        entries = await self.catalogue.get(tenant=batch[0].tenant, source_ids=ids)
        await self._forget_old_chunks(entries, known)
        try:
            pinned = await self.intake.pin_all(entries)
        except SourceUnreadable:
            done = [await self._alone(entry, known, changed) for entry in entries]
        else:
            done = [
                pinned_as(pin, known.sources.get(entry.id), changed)
                for entry, pin in zip(entries, pinned, strict=True)
            ]
        return [await counted(self.origins, *one) for one in zip(entries, done, strict=True)]

    async def _forget_old_chunks(self, entries: Sequence[Source], known: Known) -> None:
        """Take what has another title or is cut in another way out of search, to be put in anew."""
        for entry in entries:
            before = known.sources.get(entry.id)
            if before and before.snapshot and _indexed_by(before) != _indexed_by(entry):
                await self.search.remove(
                    tenant=entry.tenant, source_id=entry.id, snapshot=before.snapshot
                )

    async def _alone(self, entry: Source, known: Known, changed: Sequence[str]) -> Done:
        try:
            pinned = await self.intake.pin_all([entry])
        except SourceUnreadable as error:
            return ended(entry.id, Outcome.FAILED, str(error))
        return pinned_as(pinned[0], known.sources.get(entry.id), changed)


def _warned(done: Done, warned: Mapping[str, str]) -> Done:
    """With what its owner should know of a version that is new."""
    if done.outcome not in (Outcome.ADDED, Outcome.CHANGED):
        return done
    return done.model_copy(update={"reason": warned[done.source_id]})


def words_of(caution: Caution) -> str:
    """A caution in a few English words."""
    return say(f"caution_{caution.value}", language="en")


def _digests(batch: Sequence[tuple[Folder, str]], limits: Limits) -> dict[tuple[Folder, str], str]:
    return {
        (folder, path): digest(Path(folder.root), path, limits=limits) for folder, path in batch
    }


def _reason(error: Exception) -> str:
    if isinstance(error, FileUnreadable | LimitExceeded):
        return str(error)
    return "its path does not make a usable id (at most 300 characters)"


def _indexed_by(source: Source) -> tuple[str, object]:
    """What search rows are made from beside the text."""
    return source.title, source.metadata.get(CHUNKING)
