"""Rows of `sources` and `readers` as values and back."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, or_, select

from bot.audience import CHANNEL, GROUP
from bot.storage.rows import instant_or_none, stamp, upsert
from bot.storage.tables import chunks, readers, sources, tombstones, versions
from rag.values import Kind, Source, SourceStatus


def collective_names(connection: Connection, *, tenant: str) -> frozenset[str]:
    """The channel and group names among the readers of any source of the tenant."""
    collective = or_(readers.c.reader.startswith(CHANNEL), readers.c.reader.startswith(GROUP))
    statement = select(readers.c.reader).where(readers.c.tenant == tenant, collective).distinct()
    return frozenset(connection.execute(statement).scalars())


def every_source(connection: Connection, *, tenant: str) -> tuple[Source, ...]:
    """All sources of the tenant in the order of their ids."""
    return _read(connection, tenant, [])


def sources_read_by(
    connection: Connection, *, tenant: str, names: Iterable[str]
) -> tuple[Source, ...]:
    """The sources that list one of ``names`` among their readers, in the order of their ids."""
    listed = select(readers.c.source).where(
        readers.c.tenant == tenant, readers.c.reader.in_(sorted(names))
    )
    return _read(connection, tenant, [sources.c.id.in_(listed)])


def sources_by_id(
    connection: Connection, *, tenant: str, source_ids: Sequence[str]
) -> tuple[Source, ...]:
    """The sources of these ids in the order given; unknown ids are left out."""
    found = _read(connection, tenant, [sources.c.id.in_(source_ids)])
    by_id = {source.id: source for source in found}
    return tuple(by_id[key] for key in dict.fromkeys(source_ids) if key in by_id)


def write_source(connection: Connection, source: Source) -> bool:
    """Add or replace a source with its readers; whether anything changed.

    A version it does not name stays the one recorded.
    """
    before = sources_by_id(connection, tenant=source.tenant, source_ids=[source.id])
    after = _settled(source, before)
    if before == (after,):
        return False
    upsert(connection, sources, _row(after))
    key = {"tenant": source.tenant, "source": source.id}
    connection.execute(
        delete(readers).where(readers.c.tenant == source.tenant, readers.c.source == source.id)
    )
    names = [{**key, "reader": name, "position": place} for place, name in enumerate(after.readers)]
    if names:
        connection.execute(insert(readers), names)
    connection.execute(
        delete(tombstones).where(
            tombstones.c.tenant == source.tenant, tombstones.c.source == source.id
        )
    )
    return True


def forget_cut(connection: Connection, source: Source) -> None:
    """Delete the chunks of a source's newest version, so that it is cut anew; its text stays."""
    for table in (chunks, versions):
        connection.execute(
            delete(table).where(
                table.c.tenant == source.tenant,
                table.c.source == source.id,
                table.c.snapshot == source.snapshot,
            )
        )


def _settled(source: Source, before: Sequence[Source]) -> Source:
    """``source`` with each reader once, and with the recorded version unless it names one."""
    changes: dict[str, Any] = {"readers": tuple(dict.fromkeys(source.readers))}
    if source.snapshot is None and before:
        changes |= {"snapshot": before[0].snapshot, "updated_at": before[0].updated_at}
    return source.model_copy(update=changes)


def _read(
    connection: Connection, tenant: str, conditions: Sequence[ColumnElement[bool]]
) -> tuple[Source, ...]:
    chosen = select(sources).where(sources.c.tenant == tenant, *conditions)
    # Sorted here: databases disagree about the order of texts.
    rows = sorted(connection.execute(chosen), key=lambda row: str(row.id))
    ids = select(sources.c.id).where(sources.c.tenant == tenant, *conditions)
    names: dict[str, list[str]] = {}
    for source, reader in connection.execute(
        select(readers.c.source, readers.c.reader)
        .where(readers.c.tenant == tenant, readers.c.source.in_(ids))
        .order_by(readers.c.source, readers.c.position)
    ):
        names.setdefault(source, []).append(reader)
    return tuple(_source(row, tuple(names.get(row.id, ()))) for row in rows)


def _source(row: Row[Any], names: tuple[str, ...]) -> Source:
    fields = dict(row._mapping)
    return Source(
        **fields
        | {
            "kind": Kind(row.kind),
            "status": SourceStatus(row.status),
            "tags": tuple(json.loads(row.tags)),
            "metadata": json.loads(fields["metadata"]),
            "updated_at": instant_or_none(row.updated_at),
            "readers": names,
        }
    )


def _row(source: Source) -> dict[str, Any]:
    fields = source.model_dump(exclude={"readers"})
    return fields | {
        "kind": source.kind.value,
        "status": source.status.value,
        "tags": json.dumps(source.tags),
        "metadata": json.dumps(source.metadata),
        "updated_at": stamp(source.updated_at) if source.updated_at else None,
    }
