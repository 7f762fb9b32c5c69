"""Full texts on object storage, with a row in SQL for each.

The row without bytes says that the text lies elsewhere. It comes first and goes
together with the object, inside one transaction: whoever puts the same text
meanwhile waits for that transaction and then stores the object anew.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Protocol

from sqlalchemy import Connection, delete, select

from bot.storage.database import Database
from bot.storage.rows import insert_new, sha256
from bot.storage.snapshots import decode, encode
from bot.storage.tables import snapshots
from rag.errors import UnknownSnapshot

_ELSEWHERE = b""
_FOLDER = "snapshots"


class Objects(Protocol):
    """Bytes by name. Calls block and raise `StoreUnavailable`."""

    def keep(self, name: str, body: bytes) -> None: ...

    def get(self, name: str) -> bytes | None: ...

    def remove(self, names: Sequence[str]) -> None: ...


class ListedObjects(Objects, Protocol):
    """Objects that can be listed."""

    def older(self, prefix: str, before: datetime) -> list[str]: ...


class ObjectSnapshots:
    """`rag.ports.Snapshots` on object storage. Texts already in SQL are read from there."""

    def __init__(self, database: Database, objects: ListedObjects) -> None:
        self._database = database
        self._objects = objects

    async def put(self, text: str) -> str:
        """Store ``text`` and return its SHA-256; storing it again does nothing."""
        body = encode(text)
        name = sha256(body)
        row = {"sha256": name, "body": _ELSEWHERE}
        await self._database.write(partial(insert_new, table=snapshots, values=row))
        await asyncio.to_thread(self._objects.keep, _path(name), body)
        return name

    async def get(self, sha256: str) -> str:
        """The text of that hash. Raises UnknownSnapshot, SnapshotTampered, StoreUnavailable."""
        body = await self._database.read(partial(_row, name=sha256))
        if body is None:
            raise UnknownSnapshot(f"snapshot {sha256} is not in the record")
        if body == _ELSEWHERE:
            body = await asyncio.to_thread(self._objects.get, _path(sha256))
        if body is None:
            raise UnknownSnapshot(f"snapshot {sha256} is not on the object storage")
        return decode(sha256, body)

    def erase(self, names: Sequence[str]) -> None:
        """Delete these objects. Called in the transaction that deletes their rows."""
        self._objects.remove([_path(name) for name in names])

    async def sweep(self, before: datetime) -> int:
        """Delete the objects stored before ``before`` that no row names; how many there were.

        One is left behind where a process died between the row and the object, or where a
        text came back while its source was going.
        """
        listed = await asyncio.to_thread(self._objects.older, _FOLDER, before)
        swept = 0
        for name in [path.rpartition("/")[2] for path in listed]:
            swept += await self._database.write(partial(self._sweep, name=name))
        return swept

    def _sweep(self, connection: Connection, *, name: str) -> bool:
        """Hold the name by a row of our own meanwhile, so that nobody counts on the object."""
        if not insert_new(connection, snapshots, {"sha256": name, "body": _ELSEWHERE}):
            return False
        self._objects.remove([_path(name)])
        connection.execute(delete(snapshots).where(snapshots.c.sha256 == name))
        return True


def _row(connection: Connection, *, name: str) -> bytes | None:
    statement = select(snapshots.c.body).where(snapshots.c.sha256 == name)
    body = connection.execute(statement).scalar_one_or_none()
    return None if body is None else bytes(body)


def _path(name: str) -> str:
    """Where a snapshot lies: spread over 256 folders."""
    return f"{_FOLDER}/{name[:2]}/{name}"
