"""Finds statements on a tenant's table that bind no tenant."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event

from bot.storage.rows import CROSSES_TENANTS
from bot.storage.tables import TENANT_TABLES


def unbound(statement: str) -> list[str]:
    """The tenant tables ``statement`` touches without comparing or setting their tenant."""
    return [table for table in sorted(TENANT_TABLES) if _touches_unbound(statement, table)]


def _touches_unbound(statement: str, table: str) -> bool:
    named = rf'"?{table}"?'
    inserted = re.search(rf"INSERT INTO {named} \(([^)]*)\)", statement)
    if inserted and "tenant" not in re.split(r"[,\s]+", inserted.group(1)):
        return True
    uses = re.findall(rf"(?:FROM|JOIN|UPDATE|,)\s+{named}(?=[\s,)]|$)", _without_lists(statement))
    bound = re.findall(rf"{named}\.tenant = (?:\?|%|\$|:|\w+\.tenant)", statement)
    return len(uses) > len(bound)


def _without_lists(statement: str) -> str:
    """``statement`` without column lists, in which a column may be called like a table."""
    return re.sub(
        r"SELECT .*? FROM|INSERT INTO \S+ \([^)]*\)|RETURNING .*",
        lambda found: "FROM" if found.group().startswith("SELECT") else "",
        statement,
        flags=re.DOTALL,
    )


@contextmanager
def watched() -> Iterator[list[str]]:
    """Collect offending statements, of any engine, while the block runs."""
    offences: list[str] = []

    def check(connection: Connection, cursor: object, statement: str, *rest: Any) -> None:
        context = rest[1]
        options = context.execution_options if context is not None else {}
        if CROSSES_TENANTS not in options and unbound(statement):
            offences.append(statement)

    event.listen(Engine, "before_cursor_execute", check)
    try:
        yield offences
    finally:
        event.remove(Engine, "before_cursor_execute", check)
