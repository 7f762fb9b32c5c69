"""Reviewed knowledge: one person writes, another approves, only then is it read."""

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from typing import Any

from pydantic import AwareDatetime
from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from bot.storage.database import Database
from bot.storage.errors import SelfApproval, UnknownTenant, UnknownVersion
from bot.storage.rows import instant, instant_or_none, stamp, utc_now
from bot.storage.tables import knowledge, tenants
from rag.ports import Clock
from rag.values import Value

SCHEME = "knowledge"


class KnowledgeState(StrEnum):
    """PENDING awaits a second person; REPLACED was approved until a newer version was."""

    PENDING = "pending"
    APPROVED = "approved"
    REPLACED = "replaced"


class Knowledge(Value):
    """One version of a piece of knowledge; versions count from 1."""

    tenant: str
    key: str
    version: int
    title: str
    text: str
    writer: str
    written_at: AwareDatetime
    approver: str | None = None
    approved_at: AwareDatetime | None = None
    state: KnowledgeState = KnowledgeState.PENDING


class SqlKnowledge:
    """Every version of every piece of knowledge, with who wrote and who approved it."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def write(self, *, tenant: str, key: str, title: str, text: str, writer: str) -> int:
        """Add a version that awaits approval; its number. Raises UnknownTenant."""
        piece = Knowledge(
            tenant=tenant,
            key=key,
            version=1,
            title=title,
            text=text,
            writer=writer,
            written_at=self._clock(),
        )
        return await self._database.write(partial(_write, piece=piece))

    async def approve(self, *, tenant: str, key: str, version: int, approver: str) -> Knowledge:
        """Let a pending version be read, in place of the one approved before.

        Raises SelfApproval, UnknownVersion.
        """
        approval = {"approver": approver, "approved_at": stamp(self._clock())}
        return await self._database.write(
            partial(approve_version, tenant=tenant, key=key, version=version, approval=approval)
        )

    async def read(self, *, tenant: str, key: str) -> Knowledge | None:
        """The approved version of a key, None when there is none."""
        approved = knowledge.c.state == KnowledgeState.APPROVED.value
        found = await self._select(tenant, [knowledge.c.key == key, approved])
        return found[0] if found else None

    async def history(self, *, tenant: str, key: str) -> tuple[Knowledge, ...]:
        """Every version of a key, the newest first."""
        return await self._select(tenant, [knowledge.c.key == key])

    async def list(self, *, tenant: str) -> tuple[Knowledge, ...]:
        """Every version of every key, by key and the newest first."""
        return await self._select(tenant, [])

    async def _select(
        self, tenant: str, conditions: Sequence[ColumnElement[bool]]
    ) -> tuple[Knowledge, ...]:
        return await self._database.read(partial(_select, tenant=tenant, conditions=conditions))


def knowledge_ref(tenant: str, key: str) -> str:
    """The ``ref`` of an internal source."""
    return f"{SCHEME}:{tenant}:{key}"


def key_of(ref: str, tenant: str) -> str | None:
    """The key in a ``ref`` of this tenant; None for any other text."""
    prefix = knowledge_ref(tenant, "")
    return ref.removeprefix(prefix) if ref.startswith(prefix) and ref != prefix else None


def _write(connection: Connection, *, piece: Knowledge) -> int:
    known = select(tenants.c.tenant).where(tenants.c.tenant == piece.tenant)
    if connection.execute(known).first() is None:
        raise UnknownTenant(f"there is no tenant {piece.tenant!r}")
    last = select(func.coalesce(func.max(knowledge.c.version), 0)).where(
        knowledge.c.tenant == piece.tenant, knowledge.c.key == piece.key
    )
    version = int(connection.execute(last).scalar_one()) + 1
    row = piece.model_dump(exclude={"approver", "approved_at"})
    changes = {
        "version": version,
        "written_at": stamp(piece.written_at),
        "state": piece.state.value,
    }
    connection.execute(insert(knowledge).values(**row | changes))
    return version


def find_version(
    connection: Connection, *, tenant: str, key: str, version: int
) -> Knowledge | None:
    """That version of a key, None when there is none."""
    conditions = [knowledge.c.key == key, knowledge.c.version == version]
    found = _select(connection, tenant=tenant, conditions=conditions)
    return found[0] if found else None


def is_outdated(connection: Connection, piece: Knowledge) -> bool:
    """Whether a newer version than this one is approved."""
    newer = (
        knowledge.c.tenant == piece.tenant,
        knowledge.c.key == piece.key,
        knowledge.c.version > piece.version,
        knowledge.c.state == KnowledgeState.APPROVED.value,
    )
    return connection.execute(select(knowledge.c.version).where(*newer)).first() is not None


def approve_version(
    connection: Connection, *, tenant: str, key: str, version: int, approval: dict[str, str]
) -> Knowledge:
    """Let a pending version be read, unless a newer one is read already.

    Raises SelfApproval, UnknownVersion.
    """
    this_key = [knowledge.c.tenant == tenant, knowledge.c.key == key]
    approved = knowledge.c.state == KnowledgeState.APPROVED.value
    # Whoever approves another version at the same moment waits, and then sees this one.
    connection.execute(select(knowledge.c.version).where(*this_key).with_for_update())
    found = find_version(connection, tenant=tenant, key=key, version=version)
    if found is None or found.state is not KnowledgeState.PENDING:
        raise UnknownVersion(f"{key!r} has no pending version {version}")
    if is_outdated(connection, found):
        raise UnknownVersion(f"a newer version of {key!r} than {version} is approved already")
    if found.writer == approval["approver"]:
        raise SelfApproval("knowledge is approved by another person than its writer")
    replaced = {"state": KnowledgeState.REPLACED.value}
    connection.execute(update(knowledge).where(*this_key, approved).values(**replaced))
    connection.execute(
        update(knowledge)
        .where(*this_key, knowledge.c.version == version)
        .values(state=KnowledgeState.APPROVED.value, **approval)
    )
    return _select(
        connection, tenant=tenant, conditions=[*this_key, knowledge.c.version == version]
    )[0]


def _select(
    connection: Connection, *, tenant: str, conditions: Sequence[ColumnElement[bool]]
) -> tuple[Knowledge, ...]:
    statement = select(knowledge).where(knowledge.c.tenant == tenant, *conditions)
    rows = connection.execute(statement.order_by(knowledge.c.key, knowledge.c.version.desc()))
    return tuple(_piece(row) for row in rows)


def _piece(row: Row[Any]) -> Knowledge:
    return Knowledge(
        tenant=row.tenant,
        key=row.key,
        version=row.version,
        title=row.title,
        text=row.text,
        writer=row.writer,
        written_at=instant(row.written_at),
        approver=row.approver,
        approved_at=instant_or_none(row.approved_at),
        state=KnowledgeState(row.state),
    )
