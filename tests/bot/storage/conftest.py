"""A fresh, migrated database a test: once on SQLite and once on PostgreSQL."""

from collections.abc import AsyncIterator

import pytest

from bot.storage.database import Database
from bot.storage.tenants import SqlTenants
from tests.bot.storage.predicates import watched

TENANTS = ("acme", "demo")


@pytest.fixture
def url(record_url: str) -> str:
    """The URL of an empty database."""
    return record_url


@pytest.fixture
async def database(migrated_url: str) -> AsyncIterator[Database]:
    """A migrated database with two tenants; no statement may touch one without naming it."""
    opened = Database(migrated_url)
    with watched() as offences:
        for tenant in TENANTS:
            await SqlTenants(opened).create(tenant)
        yield opened
    await opened.close()
    assert offences == []
