"""One hostile value wherever a value goes to SQL or to the search index."""

import asyncio
from pathlib import Path

import sqlalchemy as sa

from bot.database_urls import sqlite_url
from bot.sources.external import ExternalRows
from bot.storage.catalogue import SqlCatalogue
from bot.tables.read_only import Databases
from rag.errors import SourceUnreadable, UnknownSnapshot
from rag.ports import Index, Scope, Snapshots
from rag.text.tokenise import terms
from rag.values import Chunk, Kind, Source

TENANT = "demo"
_GROWING = {"audience_changes", "audit", "deletions", "tombstones"}
BODY = "Fifty members are the limit."


class Articles:
    """A company's own database with one article, read as external sources are."""

    def __init__(self, path: Path) -> None:
        self._engine = sa.create_engine(sqlite_url(path))
        self._databases = Databases(lambda _tenant: sqlite_url(path))
        self._rows = ExternalRows(self._databases)
        self._say("CREATE TABLE articles (id TEXT, tenant TEXT, title TEXT, body TEXT)")
        self._add("atlas", TENANT, "Atlas", BODY)
        self._shape = self._schema()

    async def wrong_with(self, value: str) -> list[str]:
        """What is not as it should be when ``value`` is a reference, a title and a tenant."""
        found = await self._absent(value)
        self._add(value, TENANT, value, f"body of {value}")
        try:
            found += await self._present(value)
        finally:
            self._say("DELETE FROM articles WHERE id = :id", id=value)
        if self._schema() != self._shape or self._count() != 1:
            found.append("the company's database is another one")
        return found

    async def _absent(self, value: str) -> list[str]:
        told = await self._read(ref=value, title="Atlas")
        elsewhere = await self._read(ref="atlas", title="Atlas", tenant=value)
        return [
            f"{value!r} names a row that is not there"
            for one in (told, elsewhere)
            if one is not None
        ]

    async def _present(self, value: str) -> list[str]:
        wanted = [await self._read(ref=value, title=value), await self._read("atlas", "Atlas")]
        return [] if wanted == [f"body of {value}", BODY] else [f"{wanted} were read"]

    async def _read(self, ref: str, title: str, tenant: str = TENANT) -> str | None:
        source = Source(id="x", tenant=tenant, title=title, kind=Kind.EXTERNAL, ref=ref)
        try:
            return await self._rows.read(source)
        except SourceUnreadable:
            return None

    def _add(self, *row: str) -> None:
        names = dict(zip(("id", "tenant", "title", "body"), row, strict=True))
        self._say("INSERT INTO articles VALUES (:id, :tenant, :title, :body)", **names)

    def _say(self, statement: str, **values: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(sa.text(statement), values)

    def _count(self) -> int:
        with self._engine.connect() as connection:
            return int(connection.execute(sa.text("SELECT count(*) FROM articles")).scalar_one())

    def _schema(self) -> list[str]:
        with self._engine.connect() as connection:
            named = connection.execute(sa.text("SELECT sql FROM sqlite_master ORDER BY name"))
            return [str(row[0]) for row in named]

    def close(self) -> None:
        """Give the connections back."""
        self._databases.close()
        self._engine.dispose()


async def wrong_in_the_record(catalogue: SqlCatalogue, engine: sa.Engine, value: str) -> list[str]:
    """A source named, titled and owned like ``value`` is kept as it is, and found alone."""
    given = {"id": value, "title": value, "ref": value, "owner": value, "tags": (value,)}
    source = Source(tenant=TENANT, kind=Kind.DOCUMENT, readers=("everyone",), **given)
    before = await asyncio.to_thread(_counts, engine)
    await catalogue.put(source)
    found = await catalogue.get(tenant=TENANT, source_ids=[source.id])
    elsewhere = await catalogue.get(tenant=value, source_ids=[source.id])
    await catalogue.remove(tenant=TENANT, source_id=source.id)
    after = await asyncio.to_thread(_counts, engine)
    wrong = [] if found == (source,) and not elsewhere else [f"{found} came back for {value!r}"]
    return wrong if before == after else [*wrong, f"rows were {before}, are {after}"]


def _counts(engine: sa.Engine) -> dict[str, int]:
    """Rows by table, those left out that grow by every change."""
    with engine.connect() as connection:
        names = set(sa.inspect(connection).get_table_names()) - _GROWING
        counting = {name: sa.select(sa.func.count()).select_from(sa.table(name)) for name in names}
        return {name: connection.execute(counting[name]).scalar_one() for name in sorted(names)}


async def wrong_with_snapshot(snapshots: Snapshots, name: str) -> list[str]:
    """A snapshot's name that is no hash names nothing."""
    try:
        text = await snapshots.get(name)
    except UnknownSnapshot:
        return []
    return [f"snapshot {name!r} is {text[:40]!r}"]


async def wrong_with_query(index: Index, scope: Scope, query: str, *, needle: str) -> list[str]:
    """No query fails, and none keeps a word beside it from being found."""
    beside = await found_by(index, scope, f"{needle} {query}")
    wrong = [] if any(needle in chunk.text for chunk in beside) else [f"{query!r} hides {needle!r}"]
    found = {(chunk.source_id, chunk.snapshot) for chunk in await found_by(index, scope, query)}
    return wrong if found <= set(scope.pins) else [*wrong, f"{query!r} finds what is out of scope"]


async def found_by(index: Index, scope: Scope, query: str) -> list[Chunk]:
    """What a query finds."""
    words = tuple(dict.fromkeys(terms(query)))
    return [hit.chunk for hit in (await index.search(terms=words, scope=scope, limit=10)).hits]
