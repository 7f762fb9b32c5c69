"""A change of who reads as the record keeps it, for whoever makes it in a transaction of theirs."""

from typing import Any

from sqlalchemy import Connection

from bot.audience import Change
from bot.storage.rows import insert_new, stamp
from bot.storage.tables import audience_changes


def note_change(connection: Connection, change: Change, *, tenant: str) -> None:
    """Store a change in the transaction that makes it; whoever takes it first looks."""
    insert_new(connection, audience_changes, row_of(change, tenant))


def row_of(change: Change, tenant: str) -> dict[str, Any]:
    """The row of a change that nobody has taken yet."""
    return {
        "tenant": tenant,
        "id": change.id,
        "kind": change.kind.value,
        "about": change.about,
        "at": stamp(change.at),
        "home": change.home,
    }
