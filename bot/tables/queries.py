"""Tables of other people's databases: what is asked of them, and how it is read page by page.

No cursor stays open and no page is large: each is a statement of its own, which begins after
the last key of the page before.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, Self

import sqlalchemy as sa
from pydantic import Field, model_validator
from sqlalchemy.exc import SQLAlchemyError

from rag.values import Kind, Source, Value

TABLE = "table"
"""Metadata key of an external source: the table that it is, as `TableQuery` is written."""

TENANT = "tenant"
"""A name that every query may bind; its value is the source's tenant."""

_FIRST, _MOST = 50, 1_000  # rows of a page
_PAGE = 1_000_000  # characters that a page shall hold, as far as the last one tells
_TOGETHER = 200  # keys asked for at once


class TableQuery(Value):
    """What an external source reads: ``query`` gives its rows, ``key`` names each of them.

    ``version`` is a column that grows with each change of a row. With ``text`` each row is a
    text of its own below ``title``, else all are lines of one table. ``rows`` is how many are
    read at most, in the order of their keys.
    """

    query: str = Field(min_length=1)
    key: str = Field(min_length=1)
    version: str = ""
    title: str = ""
    text: str = ""
    parameters: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    rows: int = Field(default=20_000, gt=0, le=100_000)

    @model_validator(mode="after")
    def _every_parameter_is_bound(self) -> Self:
        try:
            wanted = set(sa.text(self.query).compile().params)
        except SQLAlchemyError as error:
            raise ValueError("the query cannot be read") from error
        if missing := sorted(wanted - {*self.parameters, TENANT}):
            raise ValueError(f"the query wants parameters: {', '.join(missing)}")
        if spare := sorted(set(self.parameters) - wanted):
            raise ValueError(f"the query has no parameters: {', '.join(spare)}")
        return self

    def name(self, tenant: str) -> str:
        """Another one for whatever is asked differently."""
        asked = [tenant, self.model_dump(mode="json")]
        return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def table_of(source: Source) -> TableQuery | None:
    """The table that a source is; None where it is one row. Raises `ValidationError`."""
    told = source.metadata.get(TABLE)
    return None if told is None else TableQuery.model_validate(told)


def is_table(source: Source) -> bool:
    """Whether an external source is a table and not one row."""
    return source.kind is Kind.EXTERNAL and TABLE in source.metadata


class Look(NamedTuple):
    """How many rows have a key, and the newest version, None where none is told."""

    rows: int
    newest: Any


class Asked:
    """A table's statements on one database. Every method blocks and raises SQLAlchemy's errors."""

    def __init__(self, table: TableQuery, engine: sa.Engine, *, tenant: str) -> None:
        self._engine = engine
        names = dict.fromkeys(name for name in (table.key, table.version) if name)
        inner = sa.text(table.query.strip().rstrip(";"))
        values = {TENANT: tenant, **table.parameters}
        bound = {name: values[name] for name in inner.compile().params}
        self._given = (
            inner.bindparams(**bound)
            .columns(*(sa.column(name) for name in names))
            .subquery("given")
        )
        self._key = self._given.c[table.key]
        self._version = self._given.c[table.version] if table.version else None

    def look(self) -> Look:
        """At the whole table, without its rows."""
        newest = sa.null() if self._version is None else sa.func.max(self._version)
        with self._engine.connect() as connection:
            rows, last = connection.execute(sa.select(sa.func.count(self._key), newest)).one()
        return Look(rows, last)

    def rows(self, since: Any = None) -> Iterator[Mapping[str, Any]]:
        """The rows in the order of their keys; with ``since`` those of that version or a newer."""
        chosen = sa.select(sa.text("given.*")).select_from(self._given)
        if since is not None and self._version is not None:
            chosen = chosen.where(self._version >= since)
        yield from self._paged(chosen)

    def every_key(self) -> Iterator[Any]:
        """All keys in their order."""
        for row in self._paged(sa.select(self._key)):
            yield row[self._key.name]

    def named(self, keys: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
        """The rows of these keys."""
        chosen = sa.select(sa.text("given.*")).select_from(self._given)
        for start in range(0, len(keys), _TOGETHER):
            yield from self._paged(chosen.where(self._key.in_(keys[start : start + _TOGETHER])))

    def _paged(self, chosen: sa.Select[Any]) -> Iterator[Mapping[str, Any]]:
        size, after = _FIRST, None
        ordered = chosen.where(self._key.is_not(None)).order_by(self._key)
        while True:
            below = ordered if after is None else ordered.where(self._key > after)
            with self._engine.connect() as connection:
                found = connection.execute(below.limit(size))
                page = [dict(zip(found.keys(), row, strict=True)) for row in found]
            yield from page
            if len(page) < size:
                return
            after, size = page[-1][self._key.name], _fitting(page)


def _fitting(page: Sequence[Mapping[str, Any]]) -> int:
    """How many rows such as these make a page."""
    held = sum(len(value) for row in page for value in row.values() if isinstance(value, str))
    return max(1, min(_MOST, _PAGE * len(page) // max(held, 1)))
