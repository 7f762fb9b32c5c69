"""A change of who reads is known to every process, and looked at by one."""

from datetime import datetime, timedelta

import pytest

from bot.audience import Change, ChangeKind
from bot.storage.catalogue import SqlCatalogue
from bot.storage.changes import TAKEN, SqlChanges
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from rag.values import SourceStatus
from tests.bot.storage.samples import NOON, source


class Wall:
    """A clock that goes when told to."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def kept(database: Database, wall: Wall) -> SqlChanges:
    return SqlChanges(database, clock=wall)


def _joined(ident: str = "e1", kind: ChangeKind = ChangeKind.ROOM) -> Change:
    return Change(id=ident, kind=kind, about="C1", at=NOON)


async def test_whoever_noted_a_change_looks_at_it_and_others_only_later(
    kept: SqlChanges, wall: Wall
) -> None:
    assert await kept.note(_joined(), tenant="demo")
    assert not await kept.note(_joined(), tenant="demo")
    assert await kept.take(tenant="demo", home="T1", limit=5) == ()
    wall.now += TAKEN + timedelta(seconds=1)
    assert await kept.take(tenant="acme", home="T1", limit=5) == ()
    assert await kept.take(tenant="demo", home="T1", limit=5) == (_joined(),)
    assert await kept.take(tenant="demo", home="T1", limit=5) == ()
    assert await kept.waiting(tenant="demo") == (_joined(),)
    await kept.looked(_joined(), tenant="demo")
    wall.now += TAKEN + timedelta(seconds=1)
    assert await kept.take(tenant="demo", home="T1", limit=5) == ()


async def test_what_slack_said_lately_is_recent_looked_at_or_not(
    kept: SqlChanges, wall: Wall
) -> None:
    for kind in ChangeKind:
        await kept.note(_joined(kind.value, kind), tenant="demo")
    await kept.looked(_joined("room"), tenant="demo")
    wall.now += timedelta(seconds=50)
    recent = await kept.recent(tenant="demo", seconds=60.0)
    assert [change.id for change in recent] == ["group", "person", "room"]
    assert await kept.recent(tenant="demo", seconds=40.0) == ()
    assert await kept.recent(tenant="acme", seconds=60.0) == ()


async def test_only_what_is_done_and_old_goes(kept: SqlChanges) -> None:
    for ident in ("done", "open"):
        await kept.note(_joined(ident), tenant="demo")
    await kept.looked(_joined("done"), tenant="demo")
    assert await kept.clean(tenant="demo", before=NOON) == 0
    assert await kept.clean(tenant="demo", before=NOON + timedelta(seconds=1)) == 1
    assert [change.id for change in await kept.waiting(tenant="demo")] == ["open"]


@pytest.mark.parametrize("way", ["readers", "status", "removed", "put"])
async def test_a_source_that_loses_a_right_is_a_change(
    database: Database, kept: SqlChanges, way: str
) -> None:
    catalogue = SqlCatalogue(database, StoredDirectory(database))
    await catalogue.put(source("memo", "alice", "bob"))
    await catalogue.set_readers(tenant="demo", source_id="memo", readers=("alice", "bob", "eve"))
    assert await kept.waiting(tenant="demo") == ()
    named = {"tenant": "demo", "source_id": "memo"}
    if way == "readers":
        await catalogue.set_readers(**named, readers=("alice",))
    elif way == "status":
        await catalogue.set_status(**named, status=SourceStatus.WITHDRAWN)
    elif way == "removed":
        await catalogue.remove(**named)
    else:
        await catalogue.put(source("memo", "alice"))
    (change,) = await kept.take(tenant="demo", home="T1", limit=5)
    assert (change.kind, change.about) == (ChangeKind.SOURCE, "memo")


async def test_a_change_of_one_installation_is_left_to_it(kept: SqlChanges) -> None:
    theirs = _joined().model_copy(update={"home": "T2"})
    assert await kept.hand_on(theirs, tenant="demo")
    assert not await kept.hand_on(theirs, tenant="demo")
    assert await kept.take(tenant="demo", home="T1", limit=5) == ()
    assert await kept.take(tenant="demo", home="T2", limit=5) == (theirs,)
