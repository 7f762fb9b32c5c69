"""Where documents come from: watched folders, the bytes each was read from, and when."""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, delete, select, update

from bot.sources.folders import Folder, Original
from bot.storage.database import Database
from bot.storage.deletions import Deletions
from bot.storage.rows import instant, sha256, stamp, upsert
from bot.storage.tables import folders, originals, refreshes, sources


class SqlOrigins:
    """The folders and originals of every tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def watch(self, folder: Folder) -> None:
        """Look after a folder from now on, with these readers for files that are new."""
        noted = self._database.deletions
        await self._database.write(partial(_watch, folder=folder, noted=noted))

    async def leave(self, *, tenant: str, root: str) -> bool:
        """Look for new files below ``root`` no more; False where nobody did."""
        statement = delete(folders).where(folders.c.tenant == tenant, folders.c.root == root)
        return await self._database.write(
            lambda connection: connection.execute(statement).rowcount > 0
        )

    async def folders(self, *, tenant: str) -> tuple[Folder, ...]:
        """Every watched folder, in the order of their roots."""
        return await self._database.read(partial(_folders, tenant=tenant))

    async def originals(self, *, tenant: str) -> dict[str, str]:
        """Digests by source, of those whose newest snapshot was made from them."""
        statement = (
            select(originals.c.source, originals.c.digest)
            .join(sources, sources.c.id == originals.c.source)
            .where(originals.c.tenant == tenant, sources.c.tenant == tenant)
            .where(sources.c.snapshot == originals.c.snapshot)
        )
        return await self._database.read(
            lambda connection: {row.source: row.digest for row in connection.execute(statement)}
        )

    async def original(self, *, tenant: str, source_id: str) -> str | None:
        """The digest that a source's newest snapshot was made from."""
        statement = (
            select(originals.c.digest)
            .join(sources, sources.c.id == originals.c.source)
            .where(originals.c.tenant == tenant, sources.c.tenant == tenant)
            .where(sources.c.snapshot == originals.c.snapshot, sources.c.id == source_id)
        )
        return await self._database.read(
            lambda connection: connection.execute(statement).scalar_one_or_none()
        )

    async def made(self, found: Sequence[Original], *, tenant: str) -> None:
        """Note from which bytes versions were made. What is no source any more is passed over."""
        await self._database.write(partial(_made, found=found, tenant=tenant))

    async def read_anew(self, *, tenant: str, source_id: str) -> None:
        """Let the next refresh read a source's file though it has not changed."""
        statement = delete(originals).where(
            originals.c.tenant == tenant, originals.c.source == source_id
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def refreshed(self, *, tenant: str) -> dict[str, datetime]:
        """When each watched folder, by its root, and all rows, as "", were last refreshed."""
        statement = select(refreshes.c.what, refreshes.c.at).where(refreshes.c.tenant == tenant)
        return await self._database.read(
            lambda connection: {row.what: instant(row.at) for row in connection.execute(statement)}
        )

    async def note_refreshed(self, what: Sequence[str], *, tenant: str, at: datetime) -> None:
        """These were refreshed to their end."""

        def work(connection: Connection) -> None:
            for name in what:
                row = {"tenant": tenant, "what": name, "at": stamp(at)}
                upsert(connection, refreshes, row)

        await self._database.write(work)


def folder_id(folder: Folder) -> str:
    """A folder's name in rows and logs, which tells nothing of its path."""
    return sha256(json.dumps([folder.root, folder.prefix.strip("/")]))


def _watch(connection: Connection, *, folder: Folder, noted: Deletions) -> None:
    ident = folder_id(folder)
    named = [folders.c.tenant == folder.tenant, folders.c.id == ident]
    before = connection.execute(select(folders.c.read_by).where(*named)).scalar_one_or_none()
    upsert(
        connection,
        folders,
        {
            "tenant": folder.tenant,
            "id": ident,
            "root": folder.root,
            "prefix": folder.prefix.strip("/"),
            "read_by": json.dumps(folder.readers),
        },
    )
    lost = [name for name in json.loads(before or "[]") if name not in folder.readers]
    if lost:
        noted.note(connection, tenant=folder.tenant, kind="folder", ids=[ident, *lost])


def lose_readers(connection: Connection, *, tenant: str, ident: str, lost: Sequence[str]) -> None:
    """Take readers from a watched folder, as a restored record has it."""
    named = [folders.c.tenant == tenant, folders.c.id == ident]
    held = connection.execute(select(folders.c.read_by).where(*named)).scalar_one_or_none()
    left = [name for name in json.loads(held or "[]") if name not in lost]
    connection.execute(update(folders).where(*named).values(read_by=json.dumps(left)))


def _folders(connection: Connection, *, tenant: str) -> tuple[Folder, ...]:
    statement = select(folders).where(folders.c.tenant == tenant)
    found = [
        Folder(
            root=row.root,
            tenant=tenant,
            readers=tuple(json.loads(row.read_by)),
            prefix=row.prefix,
        )
        for row in connection.execute(statement)
    ]
    return tuple(sorted(found, key=lambda folder: (folder.root, folder.prefix)))


def _made(connection: Connection, *, found: Sequence[Original], tenant: str) -> None:
    ids = [one.source_id for one in found]
    there = select(sources.c.id).where(sources.c.tenant == tenant, sources.c.id.in_(ids))
    known = set(connection.execute(there).scalars())
    for one in found:
        if one.source_id in known:
            row = {"source": one.source_id, "digest": one.digest, "snapshot": one.snapshot}
            upsert(connection, originals, {"tenant": tenant, **row})
