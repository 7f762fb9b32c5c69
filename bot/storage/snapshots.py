"""Full texts by their SHA-256."""

from functools import partial

from sqlalchemy import Connection, select

from bot.storage.database import Database
from bot.storage.rows import insert_new, sha256
from bot.storage.tables import snapshots
from rag.errors import SnapshotTampered, StoreUnavailable, UnknownSnapshot


class SqlSnapshots:
    """`rag.ports.Snapshots` in SQL. A text is stored once, whoever brings it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, text: str) -> str:
        """Store ``text`` and return its SHA-256; storing it again does nothing."""
        body = encode(text)
        name = sha256(body)
        row = {"sha256": name, "body": body}
        await self._database.write(partial(insert_new, table=snapshots, values=row))
        return name

    async def get(self, sha256: str) -> str:
        """The text of that hash. Raises UnknownSnapshot, SnapshotTampered."""
        return await self._database.read(partial(_verified_text, name=sha256))


def _verified_text(connection: Connection, name: str) -> str:
    statement = select(snapshots.c.body).where(snapshots.c.sha256 == name)
    body = connection.execute(statement).scalar_one_or_none()
    if body is None:
        raise UnknownSnapshot(f"snapshot {name} is not in the record")
    if not body and name != sha256(b""):
        raise StoreUnavailable(f"snapshot {name} lies on an object storage that is not set")
    return decode(name, bytes(body))


def decode(name: str, body: bytes) -> str:
    """The text of a snapshot's bytes, checked against its name. Raises SnapshotTampered."""
    if sha256(body) != name:
        raise SnapshotTampered(f"snapshot {name} no longer matches its name")
    return body.decode("utf-8", "surrogatepass")


def encode(text: str) -> bytes:
    """The bytes a snapshot is stored and named by; any Python string survives them."""
    return text.encode("utf-8", "surrogatepass")
