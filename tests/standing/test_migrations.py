"""A migration only adds, so that the version before it goes on while the new one starts.

What takes something away is a contract: its revision names the oldest schema whose version
bears it, and its script says in ``CONTRACT`` why nobody needs what is gone.
"""

import importlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Inspector, inspect

from bot.database_urls import sqlite_url
from bot.storage.engine import open_engine
from bot.storage.migrate import migrate, order, revisions

STEPS = list(pairwise(revisions()))
SCRIPTS = Path(__file__).parents[2] / "bot" / "storage" / "migrations" / "versions"


def _seen(url: str) -> Inspector:
    engine = open_engine(url, connections=1, busy_seconds=10)
    try:
        return inspect(engine)
    finally:
        engine.dispose()


def _rules(seen: Inspector, table: str) -> dict[str, Any]:
    """What restricts the rows of a table, but for its columns."""
    return {
        "key": seen.get_pk_constraint(table)["constrained_columns"],
        "unique": sorted(str(one["column_names"]) for one in seen.get_unique_constraints(table)),
        "unique indexes": sorted(
            str(one["column_names"]) for one in seen.get_indexes(table) if one["unique"]
        ),
        "foreign": sorted(str(one["constrained_columns"]) for one in seen.get_foreign_keys(table)),
        "checks": sorted(str(one["sqltext"]) for one in seen.get_check_constraints(table)),
    }


def _columns(seen: Inspector, table: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: {**one, "type": str(one["type"])} for one in seen.get_columns(table)}


@pytest.mark.parametrize(("before", "after"), STEPS)
def test_a_migration_only_adds(tmp_path: Path, before: str, after: str) -> None:
    if order(after)[1] > order(before)[1]:
        pytest.skip(f"{after} is a contract")
    url = sqlite_url(tmp_path / "footnote.db")
    migrate(url, to=before)
    old = _seen(url)
    tables = old.get_table_names()
    columns = {table: _columns(old, table) for table in tables}
    rules = {table: _rules(old, table) for table in tables}
    migrate(url, to=after)
    new = _seen(url)
    for table in tables:
        now = _columns(new, table)
        assert {name: now.get(name) for name in columns[table]} == columns[table]
        assert _rules(new, table) == rules[table]
        added = [one for name, one in now.items() if name not in columns[table]]
        assert all(one["nullable"] or one["default"] is not None for one in added), added


@pytest.mark.parametrize(("before", "after"), STEPS)
def test_a_revision_is_the_next_number_and_forgets_no_contract(before: str, after: str) -> None:
    assert order(after)[0] == order(before)[0] + 1
    assert order(after)[1] >= order(before)[1]
    if order(after)[1] > order(before)[1]:
        (script,) = SCRIPTS.glob(f"{order(after)[0]:04d}_*.py")
        module = importlib.import_module(f"bot.storage.migrations.versions.{script.stem}")
        assert module.CONTRACT


def test_numbers_have_four_digits() -> None:
    assert all(len(revision) in (4, 9) for revision in revisions())
