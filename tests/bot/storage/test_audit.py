"""Entries say who did what, are never changed, and are no place for words."""

from datetime import datetime
from functools import partial

import pytest
from pydantic import ValidationError
from sqlalchemy import Connection, update

from bot.storage.audit import OURSELVES, SqlAudit
from bot.storage.database import Database
from bot.storage.tables import audit
from rag.errors import FootnoteError
from tests.bot.storage.samples import NOON, at


@pytest.fixture
def kept(database: Database) -> SqlAudit:
    return SqlAudit(database, clock=lambda: NOON)


async def test_an_entry_is_the_tenants_own_and_comes_back(kept: SqlAudit) -> None:
    assert await kept.note(tenant="demo", who="alice", what="readers-set", about=["doc", "bob"])
    (noted,) = await kept.list(tenant="demo")
    assert (noted.at, noted.who, noted.what, noted.about) == (
        NOON,
        "alice",
        "readers-set",
        ("doc", "bob"),
    )
    assert await kept.list(tenant="acme") == ()


async def test_what_is_done_again_is_noted_once(kept: SqlAudit) -> None:
    for fresh in (True, False):
        noted = await kept.note(tenant="demo", who=OURSELVES, what="answer-withdrawn", once="t1")
        assert noted is fresh
    assert await kept.note(tenant="acme", who=OURSELVES, what="answer-withdrawn", once="t1")
    assert len(await kept.list(tenant="demo")) == 1


@pytest.mark.parametrize(
    ("who", "what", "about"),
    [("", "readers-set", ()), ("alice", "Readers set", ()), ("alice", "set", ("a title here",))],
)
async def test_words_are_refused(
    kept: SqlAudit, who: str, what: str, about: tuple[str, ...]
) -> None:
    with pytest.raises(ValidationError):
        await kept.note(tenant="demo", who=who, what=what, about=about)


async def test_the_database_refuses_a_change(kept: SqlAudit, database: Database) -> None:
    await kept.note(tenant="demo", who="alice", what="readers-set")

    def change(connection: Connection) -> None:
        connection.execute(update(audit).where(audit.c.tenant == "demo").values(who="bob"))

    with pytest.raises(FootnoteError):
        await database.amend(change)
    assert [noted.who for noted in await kept.list(tenant="demo")] == ["alice"]


def _same(moment: datetime) -> datetime:
    return moment


async def test_entries_past_their_time_go(database: Database) -> None:
    for moment in (NOON, at(5)):
        clocked = SqlAudit(database, clock=partial(_same, moment))
        for tenant in ("demo", "acme"):
            await clocked.note(tenant=tenant, who="alice", what="readers-set")
    assert await clocked.purge(tenant="demo", before=at(3)) == 1
    assert [noted.at for noted in await clocked.list(tenant="demo")] == [at(5)]
    assert len(await clocked.list(tenant="acme")) == 2
