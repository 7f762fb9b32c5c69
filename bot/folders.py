"""Whole folders and catalogue files as sources: idempotent, with progress, each fault alone."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.catalogue_file import Entry
from bot.loaders.describe import front_matter, language_in, title_of
from bot.loaders.files import SUFFIXES, FileUnreadable, inside, read_text
from rag.errors import LimitExceeded, SourceUnreadable
from rag.values import Kind, Limits, Pinned, Source, SourceStatus, Value

_BATCH = 50
_ROOT = "root"  # the metadata key that says which folder a document came from

Progress = Callable[[int, int], None]
"""Told how many sources are done, and how many there are."""


class SourceRecord(Protocol):
    """Where catalogue entries are read and put."""

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]: ...

    async def put_all(self, sources: Sequence[Source]) -> tuple[str, ...]: ...

    async def list(self, *, tenant: str) -> tuple[Source, ...]: ...


@dataclass(frozen=True, kw_only=True)
class Importing:
    """What importing needs. ``reader`` turns a reader as typed into one as stored."""

    record: SourceRecord
    pin_all: Callable[[Sequence[Source]], Awaitable[list[Pinned]]]
    reader: Callable[[str], Awaitable[str]]
    limits: Limits
    progress: Progress


class Imported(Value):
    """What an import did, by source id or path; ``failed`` pairs one with the reason."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()


class Folder(Value):
    """A folder to import: every supported file below ``root``, ids from relative paths."""

    tenant: str
    root: Path
    readers: tuple[str, ...]
    prefix: str = ""
    owner: str = ""


async def add_folder(folder: Folder, importing: Importing) -> Imported:
    """Make every supported file below the folder a source.

    A file that cannot be read, and an id that another folder holds, fail alone.
    """
    root = folder.root.resolve()
    found, skipped = await asyncio.to_thread(_files, root)
    readers = tuple([await importing.reader(name) for name in folder.readers])
    sources, failed = [], []
    for path in found:
        try:
            sources.append(
                await asyncio.to_thread(_source, folder, root, path, readers, importing.limits)
            )
        except (FileUnreadable, LimitExceeded) as error:
            failed.append((path.relative_to(root).as_posix(), str(error)))
    known = await _known(importing.record, sources)
    clashing = [source for source in sources if _clashes(source, known.get(source.id))]
    failed += [(source.id, "another folder has this id; give --prefix") for source in clashing]
    kept = [source for source in sources if source not in clashing]
    done = await _import(kept, known, importing)
    return done.model_copy(update={"skipped": skipped, "failed": (*done.failed, *failed)})


async def add_entries(entries: Sequence[Entry], base: Path, importing: Importing) -> Imported:
    """Make every entry of a catalogue file a source; documents lie below the file's folder."""
    sources, failed = [], []
    for entry in entries:
        readers = tuple([await importing.reader(name) for name in entry.readers])
        changes: dict[str, object] = {"readers": readers}
        try:
            if entry.kind is Kind.DOCUMENT:
                changes["ref"] = str(inside(base, entry.ref))
        except FileUnreadable as error:
            failed.append((entry.id, str(error)))
            continue
        sources.append(Source.model_validate({**entry.model_dump(), **changes}))
    known = await _known(importing.record, sources)
    done = await _import(sources, known, importing)
    return done.model_copy(update={"failed": (*done.failed, *failed)})


async def refresh(tenant: str, importing: Importing) -> Imported:
    """Look at every source again; a document whose file has vanished becomes withdrawn."""
    sources = await importing.record.list(tenant=tenant)
    gone = {source.id for source in sources if await asyncio.to_thread(_vanished, source)}
    withdrawn = [
        source.model_copy(update={"status": SourceStatus.WITHDRAWN})
        for source in sources
        if source.id in gone and source.status is not SourceStatus.WITHDRAWN
    ]
    if withdrawn:
        await importing.record.put_all(withdrawn)
    kept = [source for source in sources if source.id not in gone]
    done = await _import(kept, {source.id: source for source in sources}, importing)
    return done.model_copy(update={"skipped": tuple(sorted(gone))})


def _files(root: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Supported files in the order of their paths, and the relative paths of the others."""
    found, skipped = [], []
    for path in sorted(_walk(root)):
        if path.suffix.lower() in SUFFIXES:
            found.append(path)
        else:
            skipped.append(path.relative_to(root).as_posix())
    return found, tuple(skipped)


def _walk(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root, followlinks=False):
        names[:] = [name for name in names if not name.startswith(".")]
        yield from (Path(folder) / name for name in files if not name.startswith("."))


def _source(
    folder: Folder, root: Path, path: Path, readers: tuple[str, ...], limits: Limits
) -> Source:
    text = read_text(path, limits=limits)
    said = front_matter(text)
    relative = path.relative_to(root).as_posix()
    return Source(
        id=f"{folder.prefix}{relative}",
        tenant=folder.tenant,
        title=title_of(text, path.stem),
        kind=Kind.DOCUMENT,
        ref=str(path),
        readers=readers,
        owner=said.owner or folder.owner,
        status=said.status or SourceStatus.CURRENT,
        effective_from=said.effective_from,
        effective_until=said.effective_until,
        review_by=said.review_by,
        tags=said.tags,
        language=said.language or language_in(text),
        metadata={_ROOT: str(root)},
    )


def _vanished(source: Source) -> bool:
    return source.kind is Kind.DOCUMENT and not Path(source.ref).exists()


async def _known(record: SourceRecord, sources: Sequence[Source]) -> dict[str, Source]:
    known: dict[str, Source] = {}
    for tenant in {source.tenant for source in sources}:
        ids = [source.id for source in sources if source.tenant == tenant]
        for start in range(0, len(ids), 500):
            batch = await record.get(tenant=tenant, source_ids=ids[start : start + 500])
            known |= {source.id: source for source in batch}
    return known


def _clashes(source: Source, known: Source | None) -> bool:
    return known is not None and known.ref != source.ref


async def _import(
    sources: Sequence[Source], known: dict[str, Source], importing: Importing
) -> Imported:
    added, changed, unchanged, failed = [], [], [], []
    importing.progress(0, len(sources))
    for start in range(0, len(sources), _BATCH):
        batch = sources[start : start + _BATCH]
        put = set(await importing.record.put_all(batch))
        pinned, broken = await _pin(await _recorded(batch, importing.record), importing)
        failed += broken
        for source in batch:
            before, now = known.get(source.id), pinned.get(source.id)
            if now is None:
                continue
            if before is None or before.snapshot is None:
                added.append(source.id)
            elif source.id in put or before.snapshot != now.snapshot:
                changed.append(source.id)
            else:
                unchanged.append(source.id)
        importing.progress(min(start + _BATCH, len(sources)), len(sources))
    return Imported(
        added=tuple(added),
        changed=tuple(changed),
        unchanged=tuple(unchanged),
        failed=tuple(failed),
    )


async def _recorded(batch: Sequence[Source], record: SourceRecord) -> list[Source]:
    """The batch as recorded, with the version each has been ingested in."""
    recorded: list[Source] = []
    for tenant in sorted({source.tenant for source in batch}):
        ids = [source.id for source in batch if source.tenant == tenant]
        recorded += await record.get(tenant=tenant, source_ids=ids)
    return recorded


async def _pin(
    batch: Sequence[Source], importing: Importing
) -> tuple[dict[str, Pinned], list[tuple[str, str]]]:
    """The batch pinned at once; where one is broken, each alone, so that it fails alone."""
    try:
        together = await importing.pin_all(batch)
    except SourceUnreadable:
        pass
    else:
        return {pinned.source_id: pinned for pinned in together}, []
    alone: dict[str, Pinned] = {}
    failed: list[tuple[str, str]] = []
    for source in batch:
        try:
            alone[source.id] = (await importing.pin_all([source]))[0]
        except SourceUnreadable as error:
            failed.append((source.id, str(error)))
    return alone, failed
