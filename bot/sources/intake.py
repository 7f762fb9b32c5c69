"""Brings a source to its newest readable version and holds it there: `rag.ports.Intake`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path, PurePath

from bot.loaders.chunking import FINDINGS_VERSION, cut, findings
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.loading import Loading
from bot.loaders.outlining import has_lines
from bot.loaders.registry import MARKDOWN
from bot.sources.enriched import Enriched
from bot.sources.enriched import Kind as Made
from bot.sources.ingest import Ingest
from bot.sources.originals import Originals, lost, name_of
from bot.sources.table_sources import TableSources
from bot.sources.web_addresses import is_address
from bot.tables.queries import is_table
from bot.tables.read_only import unreadable
from rag.errors import IdentityMismatch, LimitExceeded
from rag.text.chunk.cutting import Text
from rag.values import CHUNKING, Chunk, Kind, Pinned, Source


class Prepared(Text):
    """A version that is stored and only lacks being searchable."""

    tenant: str
    chunks: tuple[Chunk, ...]


class SourceIntake:
    """Pins sources; several may be pinned at once, each version is ingested once."""

    def __init__(self, parts: Ingest) -> None:
        self._parts = parts
        self._originals = Originals(parts.files, parts.origins, limits=parts.limits)
        self._tables = TableSources(
            databases=parts.databases,
            origins=parts.origins,
            snapshots=parts.snapshots,
            chunks=parts.chunks,
            limits=parts.limits,
            now=parts.now,
        )

    async def pin(self, source: Source) -> Pinned:
        """Ingest what is new or changed. Raises `SourceUnreadable`, `IdentityMismatch`."""
        return (await self.pin_all([source]))[0]

    async def pin_all(self, sources: Sequence[Source]) -> list[Pinned]:
        """Pin many at once, made searchable in one commit a tenant.

        Raises `SourceUnreadable` for the first that cannot be read.
        """
        prepared = [await self._prepare(source) for source in sources]
        for tenant in {source.tenant for source in sources}:
            await self._index([one for one in prepared if one and one.tenant == tenant], tenant)
        pinned = []
        for source, one in zip(sources, prepared, strict=True):
            sha = one.snapshot if one else str(source.snapshot)
            at = self._parts.now()
            if sha != source.snapshot:
                await self._parts.catalogue.ingested(
                    tenant=source.tenant, source_id=source.id, snapshot=sha, at=at
                )
            updated = source.updated_at if sha == source.snapshot else at
            pinned.append(source.pinned_at(sha, updated))
        return pinned

    async def take(self, source: Source, loaded: Loaded) -> Pinned:
        """Make ``loaded`` the newest version of a source whose entry is recorded.

        Raises `SourceUnreadable` for what is over a limit.
        """
        stored, at = await self._store(source, loaded), self._parts.now()
        await self._index([stored], source.tenant)
        await self._parts.catalogue.ingested(
            tenant=source.tenant, source_id=source.id, snapshot=stored.snapshot, at=at
        )
        return source.pinned_at(stored.snapshot, at)

    async def verify(self, pinned: Pinned) -> None:
        """Raise `IdentityMismatch` when catalogue or row no longer say what was pinned."""
        found = await self._parts.catalogue.get(tenant=pinned.tenant, source_ids=[pinned.source_id])
        same = (pinned.tenant, pinned.kind, pinned.ref, pinned.title)
        if not found or same != (found[0].tenant, found[0].kind, found[0].ref, found[0].title):
            raise IdentityMismatch(
                f"source {pinned.source_id} is no longer what it was",
                source_id=pinned.source_id,
                title=pinned.title,
            )
        if is_table(found[0]):
            await self._tables.check(found[0])
        elif pinned.kind is Kind.EXTERNAL:
            await self._parts.external(found[0])

    async def preview(self, source: Source, loaded: Loaded | None = None) -> tuple[Chunk, ...]:
        """The chunks that ``loaded``, or its present text, would be cut into; nothing is stored.

        Raises `SourceUnreadable`.
        """
        if loaded is None:
            source, loaded = await self._fresh(source)
        return await self._chunks(_of(source, loaded.text), loaded, source)

    async def find(self, source: Source) -> Enriched | None:
        """What is found in its newest version; None where its text is no longer that one.

        Raises `SourceUnreadable`.
        """
        _, loaded = await self._fresh(source)
        if name_of(loaded.text) != source.snapshot:
            return None
        return await asyncio.to_thread(_found, loaded)

    async def _prepare(self, source: Source) -> Prepared | None:
        """Store the present version; None when the recorded one stands and is searchable."""
        loaded = await self._loaded(source)
        sha = name_of(loaded.text) if loaded else str(source.snapshot)
        if sha == source.snapshot and loaded and await self._moved(source, loaded):
            return await self._kept(source)
        if sha == source.snapshot and await self._searchable(source, sha):
            return None
        if loaded is None:
            return await self._kept(source) or await self._store(*await self._fresh(source))
        return await self._store(source, loaded)

    async def _moved(self, source: Source, loaded: Loaded) -> bool:
        """Whether the recorded text stands elsewhere in its original by now; noted where it does.

        What runs goes on with the places it has met.
        """
        if has_lines(loaded):
            return False
        chunks = await self._chunks(_of(source, loaded.text), loaded, source)
        version = {"tenant": source.tenant, "source_id": source.id}
        return await self._parts.chunks.move(chunks, **version, snapshot=str(source.snapshot))

    async def _kept(self, source: Source) -> Prepared | None:
        """The recorded version as it was cut; None where it is to be cut anew."""
        sha = str(source.snapshot)
        kept = await self._parts.chunks.load(
            tenant=source.tenant, source_id=source.id, snapshot=sha
        )
        text = await self._parts.snapshots.get(sha) if kept else ""
        of = _of(source, text)
        return Prepared(**of.model_dump(), tenant=source.tenant, chunks=kept) if kept else None

    async def _fresh(self, source: Source) -> tuple[Source, Loaded]:
        """The present text, read whatever is known of it; the recorded one where it is gone."""
        if is_table(source):
            return source, await self._tables.again(source)
        file = source.kind is Kind.DOCUMENT and not is_address(source.ref)
        loaded = await (self._read(source) if file else self._loaded(source))
        if loaded is not None:
            return source, loaded
        text = await self._parts.snapshots.get(str(source.snapshot))
        return _without_chunking(source), Loading.plain(text, name=_file_name(source))

    async def _read(self, source: Source) -> Loaded | None:
        """The text of a source's file, with nothing noted; None where the file is gone."""
        try:
            return await self._originals.again(source)
        except (FileUnreadable, LimitExceeded) as error:
            gone = await asyncio.to_thread(lost, Path(source.ref))
            if source.snapshot and gone:
                return None
            raise unreadable(source, str(error)) from error

    async def _searchable(self, source: Source, sha: str) -> bool:
        return await self._parts.search.holds(
            tenant=source.tenant, source_id=source.id, snapshot=sha
        )

    async def _store(self, source: Source, loaded: Loaded) -> Prepared:
        sha = await self._parts.snapshots.put(loaded.text)
        of = _of(source, loaded.text)
        chunks = await self._chunks(of, loaded, source)
        found = await asyncio.to_thread(_found, loaded)
        version = {"tenant": source.tenant, "source_id": source.id, "snapshot": sha}
        if not await self._parts.chunks.store(chunks, **version, found=found):
            # Another process, or another release, was first: what it cut is what counts.
            chunks = await self._parts.chunks.load(**version)
        return Prepared(**of.model_dump(), tenant=source.tenant, chunks=chunks)

    async def _chunks(self, of: Text, loaded: Loaded, source: Source) -> tuple[Chunk, ...]:
        try:
            return await asyncio.to_thread(self._cut, of, loaded, source)
        except (FileUnreadable, LimitExceeded) as error:
            raise unreadable(source, str(error)) from error

    def _cut(self, of: Text, loaded: Loaded, source: Source) -> tuple[Chunk, ...]:
        count, limits = self._parts.count_tokens, self._parts.limits
        return cut(of, loaded, source=source, count_tokens=count, limits=limits)

    async def _index(self, prepared: Sequence[Prepared], tenant: str) -> None:
        chunks = [chunk for one in prepared for chunk in one.chunks]
        if chunks:
            await self._parts.search.add(tenant=tenant, chunks=chunks)

    async def _loaded(self, source: Source) -> Loaded | None:
        """The present version; None where the recorded one is known to be it."""
        if source.kind is Kind.DOCUMENT:
            return await self._document(source)
        if is_table(source):
            return await self._tables.load(source)
        read = self._parts.external if source.kind is Kind.EXTERNAL else self._parts.internal
        text = await read(source)
        most = self._parts.limits.document_characters
        if len(text) > most:
            raise unreadable(source, f"more than {most:,} characters (document_characters)")
        return Loaded(format=MARKDOWN.name, text=text)

    async def _document(self, source: Source) -> Loaded | None:
        """As `_loaded`, for a file or a page. Where it is gone, the recorded version stands."""
        paged = is_address(source.ref)
        try:
            return await (self._parts.pages(source) if paged else self._originals.read(source))
        except (FileUnreadable, LimitExceeded) as error:
            if not paged and source.snapshot and await asyncio.to_thread(lost, Path(source.ref)):
                return None
            raise unreadable(source, str(error)) from error


def _found(loaded: Loaded) -> Enriched:
    document = findings(loaded).model_dump_json()
    return Enriched(kind=Made.FOUND, version=FINDINGS_VERSION, document=document)


def _without_chunking(source: Source) -> Source:
    """For a text whose file is gone: what its owner wanted may suit the lost format alone."""
    kept = {key: value for key, value in source.metadata.items() if key != CHUNKING}
    return source.model_copy(update={"metadata": kept})


def _of(source: Source, text: str) -> Text:
    return Text(source_id=source.id, snapshot=name_of(text), title=source.title, text=text)


def _file_name(source: Source) -> str:
    """What tells which kind of text it is; rows and notes are Markdown."""
    return PurePath(source.ref).name if source.kind is Kind.DOCUMENT else "row.md"
