"""A desk with an empty record, which is migrated once and then copied."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.database_urls import sqlite_url
from bot.storage.migrate import ensure
from tests.bot.installing.desk import Desk, opened


@pytest.fixture(scope="package")
def empty_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("record") / "footnote.db"
    ensure(sqlite_url(path))
    return path


@pytest.fixture
async def desk(tmp_path: Path, empty_record: Path) -> AsyncIterator[Desk]:
    async with opened(tmp_path, empty_record) as made:
        yield made
