"""Ingested versions of sources: which snapshots a source had, and the chunks cut from each."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import AwareDatetime
from sqlalchemy import Connection, delete, exists, insert, literal, select, update

from bot.sources.enriched import Enriched, Kind, proposed_to
from bot.storage.database import Database
from bot.storage.enrichments import documents_of, keep_row
from bot.storage.rows import CROSSES_TENANTS, insert_new, instant, stamp, utc_now
from bot.storage.snapshots import SqlSnapshots
from bot.storage.tables import checkpoints, chunks, snapshots, sources, versions
from rag.ports import Clock, Snapshots
from rag.values import Chunk, Locator, Value

TAKEN_FROM_ELSEWHERE = frozenset({"text", "title"})
"""Fields of a chunk that are not stored with it: cut from the snapshot, read from the source."""


Erase = Callable[[Sequence[str]], None]
"""Deletes what these snapshots keep outside SQL, inside the transaction that deletes their rows."""


def nothing_elsewhere(_names: Sequence[str]) -> None:
    """What there is to erase where every text lies in SQL."""


class Version(Value):
    """One ingested version of a source. ``chunks`` counts them."""

    snapshot: str
    chunks: int
    ingested_at: AwareDatetime


class SqlChunks:
    """Chunks by (tenant, source, snapshot). Only offsets are stored, so a text has one copy."""

    def __init__(
        self,
        database: Database,
        *,
        clock: Clock = utc_now,
        texts: Snapshots | None = None,
        erase: Erase = nothing_elsewhere,
    ) -> None:
        self._database = database
        self._clock = clock
        self._texts = texts or SqlSnapshots(database)
        self._erase = erase

    async def store(
        self,
        chunks: Sequence[Chunk],
        *,
        tenant: str,
        source_id: str,
        snapshot: str,
        found: Enriched | None = None,
    ) -> bool:
        """Store all chunks of one version; False, and nothing done, when it is stored already.

        ``found`` is kept with them, all or nothing.
        The snapshot and the source must be in the record (RecordConflict otherwise).
        """
        if any((chunk.source_id, chunk.snapshot) != (source_id, snapshot) for chunk in chunks):
            raise ValueError("every chunk must be cut from the snapshot it is stored for")
        version = {"tenant": tenant, "source": source_id, "snapshot": snapshot}
        at = stamp(self._clock())

        def work(connection: Connection) -> bool:
            new = _store(connection, version=version, cut=chunks, at=at)
            if new and found:
                keep_row(connection, made=found, version=version, at=at)
            return new

        return await self._database.write(work)

    async def move(
        self, chunks: Sequence[Chunk], *, tenant: str, source_id: str, snapshot: str
    ) -> bool:
        """Put these in the place of a version's chunks where the text stands elsewhere by now.

        False, and nothing done, when it stands where the record says, or was never stored.
        """
        version = {"tenant": tenant, "source": source_id, "snapshot": snapshot}
        return await self._database.write(partial(_move, version=version, cut=chunks))

    async def load(self, *, tenant: str, source_id: str, snapshot: str) -> tuple[Chunk, ...]:
        """The chunks of one version in their order; none when it was never stored.

        Raises SnapshotTampered when the snapshot no longer matches its name.
        """
        pieces, title, proposed = await self._database.read(
            partial(_load, tenant=tenant, source_id=source_id, snapshot=snapshot)
        )
        if not pieces:
            return ()
        text = await self._texts.get(snapshot)
        whole = tuple(_whole(piece, text=text, title=title) for piece in pieces)
        return proposed_to(whole, proposed)

    async def stored(self, *, tenant: str, source_id: str, snapshot: str) -> bool:
        """Whether that version's chunks are in the record."""
        found = await self.versions(tenant=tenant, source_id=source_id)
        return any(version.snapshot == snapshot for version in found)

    async def versions(self, *, tenant: str, source_id: str) -> tuple[Version, ...]:
        """Every version of a source, the newest first."""
        return await self._database.read(partial(_versions, tenant=tenant, source_id=source_id))

    async def purge_superseded(self, *, tenant: str, before: datetime) -> int:
        """Delete versions ingested before ``before`` that no source shows and no task mentions."""

        def work(connection: Connection) -> int:
            old = purge_versions(connection, tenant=tenant, before=stamp(before), erase=self._erase)
            if old:
                self._database.deletions.note(
                    connection, tenant=tenant, kind="versions", ids=[stamp(before)]
                )
            return old

        gone = await self._database.write(work)
        await self._database.scrub()
        return gone


def _store(
    connection: Connection, *, version: dict[str, str], cut: Sequence[Chunk], at: str
) -> bool:
    if not insert_new(connection, versions, {**version, "chunks": len(cut), "ingested_at": at}):
        return False
    _write(connection, version=version, cut=cut)
    return True


def _move(connection: Connection, *, version: dict[str, str], cut: Sequence[Chunk]) -> bool:
    stored = _stored(
        connection,
        tenant=version["tenant"],
        source_id=version["source"],
        snapshot=version["snapshot"],
    )
    if not stored or _places(stored) == _places(cut):
        return False
    connection.execute(_of(delete(chunks), chunks, version))
    connection.execute(_of(update(versions), versions, version).values(chunks=len(cut)))
    _write(connection, version=version, cut=cut)
    return True


def _of(statement: Any, table: Any, version: Mapping[str, str]) -> Any:
    """The statement for one version's rows alone."""
    return statement.where(*(table.c[name] == value for name, value in version.items()))


def _places(cut: Sequence["Chunk | Cut"]) -> list[Locator]:
    """Where a text stands, however it is cut."""
    return list(dict.fromkeys(place for chunk in cut for place in chunk.locators))


def _write(connection: Connection, *, version: dict[str, str], cut: Sequence[Chunk]) -> None:
    rows = [
        {
            **version,
            "ordinal": chunk.ordinal,
            "document": chunk.model_dump_json(exclude=set(TAKEN_FROM_ELSEWHERE)),
        }
        for chunk in cut
    ]
    if rows:
        connection.execute(insert(chunks), rows)


def _load(
    connection: Connection, *, tenant: str, source_id: str, snapshot: str
) -> "tuple[tuple[Cut, ...], str, Sequence[str]]":
    """The stored chunks of a version, the source's present title, and what a model proposed."""
    stored = _stored(connection, tenant=tenant, source_id=source_id, snapshot=snapshot)
    if not stored:
        return (), "", ()
    title = connection.execute(
        select(sources.c.title).where(sources.c.tenant == tenant, sources.c.id == source_id)
    ).scalar_one()
    version = {"tenant": tenant, "source": source_id, "snapshot": snapshot}
    return stored, title, documents_of(connection, Kind.PROPOSED, version=version)


def _stored(
    connection: Connection, *, tenant: str, source_id: str, snapshot: str
) -> "tuple[Cut, ...]":
    documents = connection.execute(
        select(chunks.c.document)
        .where(chunks.c.tenant == tenant)
        .where(chunks.c.source == source_id, chunks.c.snapshot == snapshot)
        .order_by(chunks.c.ordinal)
    ).scalars()
    # A newer version beside this one may keep more of a chunk: that is left out.
    return tuple(Cut.model_validate_json(document, extra="ignore") for document in documents)


class Cut(Value):
    """A chunk as it is stored: all of `rag.values.Chunk` but its text and its title."""

    id: str
    source_id: str
    snapshot: str
    ordinal: int
    start: int
    end: int
    lines: tuple[int, int]
    page: int | None = None
    heading_path: tuple[str, ...] = ()
    headings: tuple[tuple[int, int], ...] = ()
    locators: tuple[Locator, ...] = ()
    table_header: str = ""
    leads: tuple[str, ...] = ()
    caption: str = ""
    content_type: str = "text"


def _whole(piece: Cut, *, text: str, title: str) -> Chunk:
    return Chunk(**dict(piece), title=title, text=text[piece.start : piece.end])


def _versions(connection: Connection, *, tenant: str, source_id: str) -> tuple[Version, ...]:
    rows = connection.execute(
        select(versions.c.snapshot, versions.c.chunks, versions.c.ingested_at)
        .where(versions.c.tenant == tenant, versions.c.source == source_id)
        .order_by(versions.c.ingested_at.desc(), versions.c.snapshot)
    )
    return tuple(
        Version(snapshot=row.snapshot, chunks=row.chunks, ingested_at=instant(row.ingested_at))
        for row in rows
    )


def purge_versions(connection: Connection, *, tenant: str, before: str, erase: Erase) -> int:
    shown = exists().where(
        sources.c.tenant == tenant,
        sources.c.id == versions.c.source,
        sources.c.snapshot == versions.c.snapshot,
    )
    mentioned = exists().where(
        checkpoints.c.tenant == tenant,
        checkpoints.c.document.like(literal("%") + versions.c.snapshot + literal("%")),
    )
    statement = delete(versions).where(
        versions.c.tenant == tenant, versions.c.ingested_at < before, ~shown, ~mentioned
    )
    old = connection.execute(statement.returning(versions.c.snapshot)).scalars().all()
    erase(erase_unheld(connection, old))
    return len(old)


def erase_unheld(connection: Connection, names: Sequence[str]) -> tuple[str, ...]:
    """Delete those of the snapshots ``names`` that no version of any source holds any more."""
    held = exists().where(versions.c.snapshot == snapshots.c.sha256)
    gone = []
    for name in names:
        statement = (
            delete(snapshots)
            .where(snapshots.c.sha256 == name, ~held)
            .execution_options(**{CROSSES_TENANTS: "a text shared by tenants stays for the others"})
        )
        if connection.execute(statement).rowcount:
            gone.append(name)
    return tuple(gone)
