"""Deletions as the record knows them, in the transaction that deletes."""

import secrets
from collections.abc import Callable, Iterator, Sequence

from sqlalchemy import Connection, select

from bot.audience import Change, ChangeKind
from bot.storage.change_rows import note_change
from bot.storage.deletion_log import Deletion, DeletionKind, DeletionLog
from bot.storage.rows import CROSSES_TENANTS, insert_new, stamp, utc_now
from bot.storage.tables import deletions
from rag.ports import Clock

_IDS_AT_ONCE = 500
_READ_BY_FEWER = ("source", "withdrawn", "readers")


def random_id() -> str:
    """32 hexadecimal digits (128 random bits)."""
    return secrets.token_hex(16)


class Deletions:
    """Notes what is deleted, in ``log`` and in the record."""

    def __init__(
        self,
        log: DeletionLog | None = None,
        *,
        clock: Clock = utc_now,
        new_id: Callable[[], str] = random_id,
    ) -> None:
        self._log = log or DeletionLog()
        self._clock = clock
        self._new_id = new_id

    def note(
        self, connection: Connection, *, tenant: str, kind: DeletionKind, ids: Sequence[str]
    ) -> None:
        """Call it in the transaction that deletes, as its last act.

        Raises `StoreUnavailable` when the log cannot be written.
        """
        for start in range(0, len(ids), _IDS_AT_ONCE):
            deletion = Deletion(
                id=self._new_id(),
                at=self._clock(),
                tenant=tenant,
                kind=kind,
                ids=tuple(ids[start : start + _IDS_AT_ONCE]),
            )
            self._log.append(deletion, lambda: tuple(every(connection)))
            keep(connection, deletion)


def keep(connection: Connection, deletion: Deletion) -> bool:
    """Let the record know of it; False when it did already.

    Messages that show a source which fewer people may read are looked at afterwards.
    """
    values = {
        "tenant": deletion.tenant,
        "id": deletion.id,
        "at": stamp(deletion.at),
        "document": deletion.model_dump_json(),
    }
    fresh = insert_new(connection, deletions, values)
    if fresh and deletion.kind in _READ_BY_FEWER:
        change = Change(
            id=deletion.id, kind=ChangeKind.SOURCE, about=deletion.ids[0], at=deletion.at
        )
        note_change(connection, change, tenant=deletion.tenant)
    return fresh


def every(connection: Connection) -> Iterator[Deletion]:
    """All that the record knows of, over all tenants, in the order of time."""
    statement = select(deletions.c.document).order_by(deletions.c.at)
    named = {CROSSES_TENANTS: "the log is the whole record's"}
    for document in connection.execute(statement, execution_options=named).scalars():
        yield Deletion.model_validate_json(document)
