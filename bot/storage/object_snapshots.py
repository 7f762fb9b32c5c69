"""Full texts on object storage, with a row in SQL for each.

The row without bytes says that the text lies elsewhere. It comes first and goes
together with the object, inside one transaction: whoever puts the same text
meanwhile waits for that transaction and then stores the object anew.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from sqlalchemy import Connection, select

from bot.storage.database import Database
from bot.storage.rows import insert_new, sha256
from bot.storage.snapshots import decode, encode
from bot.storage.tables import snapshots
from rag.errors import UnknownSnapshot

_ELSEWHERE = b""


class Objects(Protocol):
    """Bytes by name. Calls block and raise `StoreUnavailable`."""

    def put_new(self, name: str, body: bytes) -> bool: ...

    def put(self, name: str, body: bytes) -> None: ...

    def get(self, name: str) -> bytes | None: ...

    def remove(self, names: Sequence[str]) -> None: ...


class ObjectSnapshots:
    """`rag.ports.Snapshots` on object storage. Texts already in SQL are read from there."""

    def __init__(self, database: Database, objects: Objects) -> None:
        self._database = database
        self._objects = objects

    async def put(self, text: str) -> str:
        """Store ``text`` and return its SHA-256; storing it again does nothing."""
        body = encode(text)
        name = sha256(body)
        row = {"sha256": name, "body": _ELSEWHERE}
        await self._database.write(partial(insert_new, table=snapshots, values=row))
        await asyncio.to_thread(self._put, name, body)
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

    def _put(self, name: str, body: bytes) -> None:
        """Store the object; one that is there already is kept only when it is whole."""
        if self._objects.put_new(_path(name), body):
            return
        if self._objects.get(_path(name)) != body:
            self._objects.put(_path(name), body)


def _row(connection: Connection, *, name: str) -> bytes | None:
    statement = select(snapshots.c.body).where(snapshots.c.sha256 == name)
    body = connection.execute(statement).scalar_one_or_none()
    return None if body is None else bytes(body)


def _path(name: str) -> str:
    """Where a snapshot lies: spread over 256 folders."""
    return f"snapshots/{name[:2]}/{name}"
