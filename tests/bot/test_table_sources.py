"""Tables of another database as sources: read in pages, then only what changed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.database_urls import parse_url
from bot.tables.queries import TABLE
from bot.tables.read_only import Databases
from rag.errors import SourceUnreadable
from rag.values import Kind, Limits, Source
from tests.bot.reading import TENANT, Reading, reading, steps

QUERY = "SELECT sku, name, price, changed FROM prices WHERE region = :region"
EU = {"query": QUERY, "parameters": {"region": "EU"}, "key": "sku", "version": "changed"}
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Shop:
    """A company's database with prices, and what was asked of it."""

    def __init__(self, url: str) -> None:
        self._engine = sa.create_engine(parse_url(url))
        self.databases = Databases(lambda _tenant: url, seconds=2.0)
        self.say("CREATE TABLE prices (sku TEXT, name TEXT, price TEXT, region TEXT, changed INT)")

    def say(self, statement: str, *rows: dict[str, Any]) -> None:
        with self._engine.begin() as connection:
            connection.execute(sa.text(statement), rows or None)

    def add(self, *numbers: int, changed: int | None = None) -> None:
        """Rows of those numbers; versions are the numbers unless told."""
        rows = [
            {"sku": f"A-{n}", "name": f"Lamp {n}", "price": f"{n} EUR", "changed": changed or n}
            for n in numbers
        ]
        self.say("INSERT INTO prices VALUES (:sku, :name, :price, 'EU', :changed)", *rows)

    def close(self) -> None:
        self._engine.dispose()
        self.databases.close()


@pytest.fixture
def shop(record_url: str) -> Iterator[Shop]:
    """One on SQLite and one on PostgreSQL."""
    opened = Shop(record_url)
    yield opened
    opened.close()


class Hours:
    """A clock that is put forward by hand."""

    def __init__(self) -> None:
        self.at = NOON

    def __call__(self) -> datetime:
        return self.at

    def pass_by(self, hours: int) -> None:
        self.at += timedelta(hours=hours)


def _table(**changes: Any) -> Source:
    return Source(
        id="prices",
        tenant=TENANT,
        title="Prices",
        kind=Kind.EXTERNAL,
        ref="prices",
        readers=("everyone",),
        metadata={TABLE: {**EU, **changes}},
    )


@asynccontextmanager
async def _open(
    shop: Shop, folder: Path, *, limits: Limits | None = None, now: Hours | None = None
) -> AsyncIterator[Reading]:
    async with reading(
        folder, databases=shop.databases, limits=limits, now=now or Hours()
    ) as parts:
        yield parts


async def _bring(parts: Reading, source: Source | None = None) -> tuple[str, str]:
    done = await steps(parts.importer.add_rows([source or _table()]))
    return done["prices"]


async def _refresh(parts: Reading) -> tuple[str, str]:
    return (await steps(parts.refresher.refresh(tenant=TENANT)))["prices"]


async def _rows(parts: Reading) -> dict[str, str]:
    """The recorded rows by their keys, each cut out of the snapshot by its locator."""
    source, text = await parts.source("prices"), await parts.text("prices")
    chunks = await parts.chunks.load(
        tenant=TENANT, source_id="prices", snapshot=str(source.snapshot)
    )
    places = {place for chunk in chunks for place in chunk.locators}
    return {place.row: text[place.start : place.end] for place in places}


async def test_a_row_is_quoted_and_found_again_by_its_key(shop: Shop, tmp_path: Path) -> None:
    shop.add(*range(1, 121))
    shop.say("INSERT INTO prices VALUES ('U-1', 'Lamp 1', '9 USD', 'US', 1)")
    async with _open(shop, tmp_path / "data") as parts:
        assert await _bring(parts) == ("added", "120 rows, 120 new or changed, 0 gone")
        rows = await _rows(parts)
        assert rows["A-77"] == "A-77 | Lamp 77 | 77 EUR"
        assert len(rows) == 120
        assert "U-1" not in rows
        hit, *_ = (await parts.find("Lamp 77", "prices")).hits
        assert hit.chunk.content_type == "table"
        assert hit.chunk.table_header == "sku | name | price"
        assert "A-77" in [place.row for place in hit.chunk.locators]


async def test_only_rows_of_a_newer_version_are_read_until_a_day_has_passed(
    shop: Shop, tmp_path: Path
) -> None:
    hours = Hours()
    shop.add(*range(1, 9))
    async with _open(shop, tmp_path / "data", now=hours) as parts:
        await _bring(parts)
        shop.say("UPDATE prices SET price = 'unseen' WHERE sku = 'A-3'")
        shop.say("UPDATE prices SET price = 'new', changed = 20 WHERE sku = 'A-5'")
        assert await _refresh(parts) == ("changed", "8 rows, 1 new or changed, 0 gone")
        rows = await _rows(parts)
        assert (rows["A-3"], rows["A-5"]) == ("A-3 | Lamp 3 | 3 EUR", "A-5 | Lamp 5 | new")
        assert await _refresh(parts) == ("unchanged", "")
        hours.pass_by(24)
        assert await _refresh(parts) == ("changed", "8 rows, 1 new or changed, 0 gone")
        assert (await _rows(parts))["A-3"] == "A-3 | Lamp 3 | unseen"


async def test_what_comes_late_in_the_newest_version_and_what_goes_is_noticed(
    shop: Shop, tmp_path: Path
) -> None:
    shop.add(*range(1, 9))
    async with _open(shop, tmp_path / "data") as parts:
        await _bring(parts)
        shop.say("UPDATE prices SET price = 'same instant' WHERE sku = 'A-8'")
        assert (await _refresh(parts))[0] == "changed"
        assert (await _rows(parts))["A-8"].endswith("same instant")
        shop.say("DELETE FROM prices WHERE sku IN ('A-2', 'A-8')")
        assert await _refresh(parts) == ("changed", "6 rows, 0 new or changed, 2 gone")
        shop.add(100, changed=1)
        assert await _refresh(parts) == ("changed", "7 rows, 1 new or changed, 0 gone")
        assert set(await _rows(parts)) == {"A-1", "A-3", "A-4", "A-5", "A-6", "A-7", "A-100"}


async def test_read_in_part_or_whole_it_is_the_same_version(shop: Shop, tmp_path: Path) -> None:
    shop.add(*range(1, 130))
    async with _open(shop, tmp_path / "one") as parts:
        await _bring(parts)
        shop.say("DELETE FROM prices WHERE sku = 'A-9'")
        shop.add(*range(200, 260))
        await _refresh(parts)
        in_part = (await parts.source("prices")).snapshot
    async with _open(shop, tmp_path / "other") as parts:
        await _bring(parts)
        assert (await parts.source("prices")).snapshot == in_part


async def test_without_a_version_column_every_row_is_compared(shop: Shop, tmp_path: Path) -> None:
    shop.add(*range(1, 9))
    async with _open(shop, tmp_path / "data") as parts:
        await _bring(parts, _table(version=""))
        assert (await _refresh(parts))[0] == "unchanged"
        shop.say("UPDATE prices SET price = 'seen' WHERE sku = 'A-3'")
        assert await _refresh(parts) == ("changed", "8 rows, 1 new or changed, 0 gone")


async def test_a_table_that_is_too_long_is_read_in_part_and_that_is_said(
    shop: Shop, tmp_path: Path
) -> None:
    shop.add(*range(1, 9))
    async with _open(shop, tmp_path / "data") as parts:
        told = "5 rows, 5 new or changed, 0 gone; only the first 5 rows were read"
        assert await _bring(parts, _table(rows=5)) == ("added", told)
        assert await _refresh(parts) == ("unchanged", "only the first 5 rows were read")
    async with _open(shop, tmp_path / "small", limits=Limits(document_characters=100)) as parts:
        outcome, reason = await _bring(parts)
        assert outcome == "added"
        assert "only the first 3 rows were read" in reason


async def test_rows_with_texts_are_sections_below_their_titles(shop: Shop, tmp_path: Path) -> None:
    shop.say("CREATE TABLE notes (id INT, subject TEXT, body TEXT, area TEXT)")
    body = "Lamps go back within 30 days.\r\n\r\n```\nopen fence"
    rows = [
        {"id": 10, "subject": "Returns", "body": body},
        {"id": 9, "subject": "Repairs", "body": "Repairs take a week."},
    ]
    shop.say("INSERT INTO notes VALUES (:id, :subject, :body, 'service')", *rows)
    table = {"query": "SELECT * FROM notes", "key": "id", "title": "subject", "text": "body"}
    source = _table().model_copy(update={"metadata": {TABLE: table}})
    async with _open(shop, tmp_path / "data") as parts:
        await _bring(parts, source)
        text = await parts.text("prices")
        assert text.startswith("Repairs\n\narea: service\n\nRepairs take a week.\n\nReturns\n")
        hit, *_ = (await parts.find("go back within 30 days", "prices")).hits
        assert hit.chunk.heading_path == ("Returns",)
        assert [text[start:end] for start, end in hit.chunk.headings] == ["Returns"]
        assert [place.row for place in hit.chunk.locators] == ["10"]
        first, second = await parts.intake.preview(await parts.source("prices"))
        assert (first.heading_path, second.locators) == (("Repairs",), hit.chunk.locators)


_SQL = "does not take its query"
WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"key": "nosuch"}, _SQL),
    ({"key": "name"}, "some rows share it"),
    ({"version": "nosuch"}, _SQL),
    ({"text": "nosuch"}, "gives no column nosuch"),
    ({"query": "SELECT sku, changed FROM absent", "parameters": {}}, _SQL),
    ({"query": "DELETE FROM prices RETURNING *", "parameters": {}}, _SQL),
    (
        {"query": "WITH d AS (DELETE FROM prices RETURNING *) SELECT * FROM d", "parameters": {}},
        _SQL,
    ),
    ({"query": "SELECT * FROM prices; DROP TABLE prices", "parameters": {}}, _SQL),
    ({"query": "SELECT * FROM prices WHERE sku = 'none'", "parameters": {}}, "holds no rows"),
    ({"query": ""}, "table entry"),
)


async def test_a_query_that_is_wrong_or_writes_fails_alone_with_its_reason(
    shop: Shop, tmp_path: Path
) -> None:
    shop.add(1, 2)
    shop.say("UPDATE prices SET name = 'same'")
    async with _open(shop, tmp_path / "data") as parts:
        for changes, why in WRONG:
            outcome, reason = await _bring(parts, _table(**changes))
            assert outcome == "failed"
            assert why in reason
        assert await _bring(parts) == ("changed", "2 rows, 2 new or changed, 0 gone")


async def test_a_database_that_is_away_is_never_answered_from_the_last_version(
    shop: Shop, tmp_path: Path
) -> None:
    shop.add(1, 2)
    async with _open(shop, tmp_path / "data") as parts:
        await _bring(parts)
        pinned = await parts.intake.pin(await parts.source("prices"))
        await parts.intake.verify(pinned)
        shop.say("ALTER TABLE prices RENAME TO away")
        with pytest.raises(SourceUnreadable):
            await parts.intake.pin(await parts.source("prices"))
        with pytest.raises(SourceUnreadable):
            await parts.intake.verify(pinned)


async def test_two_that_read_at_once_make_one_version(shop: Shop, tmp_path: Path) -> None:
    shop.add(*range(1, 9))
    async with _open(shop, tmp_path / "data") as parts:
        await _bring(parts)
        shop.add(20)
        source = await parts.source("prices")
        pins = await asyncio.gather(*(parts.intake.pin(source) for _ in range(4)))
        assert len({pin.snapshot for pin in pins}) == 1
        assert len(await parts.chunks.versions(tenant=TENANT, source_id="prices")) == 2


async def test_keys_and_versions_may_be_of_any_kind_that_orders_rows(
    postgres_url: str, tmp_path: Path
) -> None:
    shop = Shop(postgres_url)
    shop.say(
        """CREATE TABLE fees (id uuid DEFAULT gen_random_uuid(), "Fee" numeric(8, 2), open bool,
        scan bytea DEFAULT 'x', at timestamptz DEFAULT clock_timestamp(), day date)"""
    )
    shop.say("INSERT INTO fees (\"Fee\", open, day) VALUES (4.5, true, '2026-01-02')")
    table = {"query": "SELECT * FROM fees", "key": "id", "version": "at"}
    source = _table().model_copy(update={"metadata": {TABLE: table}})
    async with _open(shop, tmp_path / "data") as parts:
        await _bring(parts, source)
        shop.say('INSERT INTO fees ("Fee") VALUES (7)')
        assert await _refresh(parts) == ("changed", "2 rows, 1 new or changed, 0 gone")
        assert await _refresh(parts) == ("unchanged", "")
        rows = await _rows(parts)
        assert {text.removeprefix(key) for key, text in rows.items()} == {
            " | 4.50 | True |  | 2026-01-02",
            " | 7.00",
        }
    shop.close()
