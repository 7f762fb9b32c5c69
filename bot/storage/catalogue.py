"""Which sources exist and who may use them where."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, delete, exists, literal, select, update

from bot.audience import EVERYONE, Directory, Member, Standing, may_read, may_speak_in, room_may_see
from bot.storage import catalogue_rows as rows
from bot.storage.chunks import Erase, erase_unheld, nothing_elsewhere
from bot.storage.database import Database
from bot.storage.deletions import Deletions
from bot.storage.errors import UnknownSource, UnknownTenant
from bot.storage.failures import clear_failure
from bot.storage.rows import instant, sha256, stamp, upsert, utc_now
from bot.storage.tables import checkpoints, sources, tenants, tombstones, versions
from rag.ports import Clock, Permitted
from rag.values import CHUNKING, Place, Source, SourceStatus


class SqlCatalogue:
    """`rag.ports.Catalogue` in SQL, and the ways a source enters, changes and leaves it.

    Who people are and who is in a room is asked of ``directory`` at every
    decision; what follows from it is decided by `bot.audience`.
    """

    def __init__(
        self,
        database: Database,
        directory: Directory,
        *,
        clock: Clock = utc_now,
        erase: Erase = nothing_elsewhere,
    ) -> None:
        self._database = database
        self._directory = directory
        self._clock = clock
        self._erase = erase

    async def permitted(self, *, tenant: str, principal: str, place: Place) -> Permitted:
        """The sources ``principal`` may use in a reply seen at ``place``."""
        names = await self._database.read(partial(rows.collective_names, tenant=tenant))
        member = await self._directory.member(tenant=tenant, principal=principal, readers=names)
        if member.standing is Standing.OUTSIDER:
            return Permitted(outsider=True)
        own = await self._readable(tenant, member)
        if place.channel is None:
            return _permitted(own, member)
        room = await self._directory.room(tenant=tenant, channel=place.channel, readers=names)
        present = may_speak_in(room, member)
        seen = tuple(source for source in own if present and room_may_see(source, room))
        return _permitted(seen, member, withheld=room.outsiders)

    async def _readable(self, tenant: str, member: Member) -> tuple[Source, ...]:
        names = {member.principal, EVERYONE, *member.belongs}
        found = await self._database.read(partial(rows.sources_read_by, tenant=tenant, names=names))
        return tuple(
            source
            for source in found
            if source.status is not SourceStatus.WITHDRAWN and may_read(source, member)
        )

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]:
        """The sources of these ids in the order given; unknown ids are left out."""
        return await self._database.read(
            partial(rows.sources_by_id, tenant=tenant, source_ids=source_ids)
        )

    async def list(self, *, tenant: str) -> tuple[Source, ...]:
        """Every source of the tenant in the order of their ids."""
        return await self._database.read(partial(rows.every_source, tenant=tenant))

    async def put(self, source: Source) -> bool:
        """Add or replace a source with its readers; whether anything changed.

        A ``snapshot`` of None keeps the recorded version. Raises UnknownTenant.
        """
        return bool(await self.put_all([source]))

    async def put_all(self, sources: Sequence[Source]) -> tuple[str, ...]:
        """As `put` for several sources, all or none; the ids of those that changed."""
        noted = self._database.deletions
        return await self._database.write(partial(_put_all, entries=sources, noted=noted))

    async def ingested(self, *, tenant: str, source_id: str, snapshot: str, at: datetime) -> None:
        """Record the newest version of a source, which ends what failed. Raises UnknownSource."""
        named = {"tenant": tenant, "source_id": source_id}

        def work(connection: Connection) -> None:
            _change(connection, **named, values={"snapshot": snapshot, "updated_at": stamp(at)})
            clear_failure(connection, **named)

        await self._database.write(work)

    async def set_status(self, *, tenant: str, source_id: str, status: SourceStatus) -> None:
        """Give a source another status. Raises UnknownSource."""
        await self._database.write(
            partial(
                _set_status,
                tenant=tenant,
                source_id=source_id,
                status=status,
                noted=self._database.deletions,
            )
        )

    async def set_readers(self, *, tenant: str, source_id: str, readers: Sequence[str]) -> None:
        """Replace a source's readers. Raises UnknownSource."""
        await self._database.write(
            partial(
                _set_readers,
                tenant=tenant,
                source_id=source_id,
                names=tuple(readers),
                noted=self._database.deletions,
            )
        )

    async def remove(self, *, tenant: str, source_id: str, because: str = "") -> bool:
        """Delete a source and every text only it held, quotes in finished stages included.

        False when it was not there. What remains is a tombstone with the instant, and
        ``because``, which is empty where a person wanted it gone.
        """
        grave = {"removed_at": stamp(self._clock()), "because": because}

        def work(connection: Connection) -> bool:
            named = {"tenant": tenant, "source_id": source_id}
            if not remove_source(connection, **named, grave=grave, erase=self._erase):
                return False
            self._database.deletions.note(connection, tenant=tenant, kind="source", ids=[source_id])
            return True

        removed = await self._database.write(work)
        await self._database.scrub()
        return removed

    async def removed(self, *, tenant: str) -> dict[str, datetime]:
        """The ids of removed sources and when each was removed."""
        return await self._database.read(partial(_tombstones, tenant=tenant))

    async def quoting(self, *, tenant: str, source_id: str) -> tuple[str, ...]:
        """The tasks of which a saved stage mentions a version of the source."""
        return await self._database.read(partial(_quoting, tenant=tenant, source_id=source_id))

    async def kept_out(self, *, tenant: str) -> frozenset[str]:
        """The ids of removed sources that a person wanted gone."""
        return await self._database.read(partial(_kept_out, tenant=tenant))


def _permitted(
    permitted: tuple[Source, ...], member: Member, *, withheld: bool = False
) -> Permitted:
    return Permitted(
        sources=permitted, fingerprint=fingerprint(permitted, member), withheld=withheld
    )


def fingerprint(permitted: Sequence[Source], member: Member) -> str:
    """A name of the rights in force: another version, status, reader or standing changes it."""
    rights = [
        [source.id, source.snapshot, source.status.value, sorted(source.readers)]
        for source in sorted(permitted, key=lambda source: source.id)
    ]
    return sha256(json.dumps([member.standing.value, rights]))


def _put_all(
    connection: Connection, *, entries: Sequence[Source], noted: Deletions
) -> tuple[str, ...]:
    for tenant in {source.tenant for source in entries}:
        statement = select(tenants.c.tenant).where(tenants.c.tenant == tenant)
        if connection.execute(statement).first() is None:
            raise UnknownTenant(f"there is no tenant {tenant!r}")
    return tuple(source.id for source in entries if _put(connection, source, noted))


def _put(connection: Connection, source: Source, noted: Deletions) -> bool:
    """Write it, and note the rights that it takes away; whether anything changed."""
    before = rows.sources_by_id(connection, tenant=source.tenant, source_ids=[source.id])
    if not rows.write_source(connection, source):
        return False
    for known in before:
        lost = [name for name in known.readers if name not in source.readers]
        if lost:
            ids = [source.id, *lost]
            noted.note(connection, tenant=source.tenant, kind="readers", ids=ids)
        _note_withdrawal(connection, known, source.status, noted)
        if known.metadata.get(CHUNKING) != source.metadata.get(CHUNKING):
            rows.forget_cut(connection, known)
    return True


def _note_withdrawal(
    connection: Connection, before: Source, status: SourceStatus, noted: Deletions
) -> None:
    if status is SourceStatus.WITHDRAWN and before.status is not SourceStatus.WITHDRAWN:
        noted.note(connection, tenant=before.tenant, kind="withdrawn", ids=[before.id])


def _set_status(
    connection: Connection, *, tenant: str, source_id: str, status: SourceStatus, noted: Deletions
) -> None:
    before = rows.sources_by_id(connection, tenant=tenant, source_ids=[source_id])
    _change(connection, tenant=tenant, source_id=source_id, values={"status": status.value})
    _note_withdrawal(connection, before[0], status, noted)


def _change(connection: Connection, *, tenant: str, source_id: str, values: dict[str, Any]) -> None:
    statement = update(sources).where(sources.c.tenant == tenant, sources.c.id == source_id)
    if not connection.execute(statement.values(**values)).rowcount:
        raise UnknownSource(f"there is no source {source_id!r} in tenant {tenant!r}")


def _set_readers(
    connection: Connection,
    *,
    tenant: str,
    source_id: str,
    names: tuple[str, ...],
    noted: Deletions,
) -> None:
    found = rows.sources_by_id(connection, tenant=tenant, source_ids=[source_id])
    if not found:
        raise UnknownSource(f"there is no source {source_id!r} in tenant {tenant!r}")
    _put(connection, found[0].model_copy(update={"readers": names}), noted)


def remove_source(
    connection: Connection,
    *,
    tenant: str,
    source_id: str,
    grave: Mapping[str, str],
    erase: Erase,
) -> bool:
    """Delete a source and every text only it held; False when it was not there.

    ``grave`` is what its tombstone says.
    """
    held = select(versions.c.snapshot).where(
        versions.c.tenant == tenant, versions.c.source == source_id
    )
    names = connection.execute(held).scalars().all()
    clear_failure(connection, tenant=tenant, source_id=source_id)
    statement = delete(sources).where(sources.c.tenant == tenant, sources.c.id == source_id)
    if not connection.execute(statement).rowcount:
        return False
    gone = erase_unheld(connection, names)
    for name in gone:
        _forget_quotes(connection, tenant=tenant, snapshot=name)
    bury(connection, tenant=tenant, source_id=source_id, grave=grave)
    erase(gone)
    return True


def bury(connection: Connection, *, tenant: str, source_id: str, grave: Mapping[str, str]) -> None:
    """Let a tombstone stand for a source that is gone."""
    upsert(connection, tombstones, {"tenant": tenant, "source": source_id, **grave})


def _forget_quotes(connection: Connection, *, tenant: str, snapshot: str) -> None:
    """Delete the stage results that mention a snapshot, as they may quote it."""
    connection.execute(
        delete(checkpoints).where(
            checkpoints.c.tenant == tenant, checkpoints.c.document.contains(snapshot)
        )
    )


def _tombstones(connection: Connection, *, tenant: str) -> dict[str, datetime]:
    statement = select(tombstones.c.source, tombstones.c.removed_at)
    found = connection.execute(statement.where(tombstones.c.tenant == tenant))
    return {row.source: instant(row.removed_at) for row in found}


def _kept_out(connection: Connection, *, tenant: str) -> frozenset[str]:
    statement = select(tombstones.c.source).where(tombstones.c.because == "")
    found = connection.execute(statement.where(tombstones.c.tenant == tenant))
    return frozenset(found.scalars())


def _quoting(connection: Connection, *, tenant: str, source_id: str) -> tuple[str, ...]:
    held = exists().where(
        versions.c.tenant == tenant,
        versions.c.source == source_id,
        checkpoints.c.document.like(literal("%") + versions.c.snapshot + literal("%")),
    )
    statement = select(checkpoints.c.task).where(checkpoints.c.tenant == tenant, held).distinct()
    return tuple(connection.execute(statement).scalars())
