"""What each message shows is found by who sees it and by why they may read it."""

import pytest

from bot.storage.catalogue import SqlCatalogue
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.database import Database
from bot.storage.deliveries import SqlDeliveries
from bot.storage.directory import StoredDirectory
from bot.storage.showing import Audience, SqlShowing
from bot.storage.tasks import SqlTasks
from rag.errors import UnknownTask
from rag.values import Place, Request, Status
from tests.bot.storage.samples import NOON, at, report, request, source

ROOM, ALONE = Audience(home="T1", room="C1"), Audience(home="T1", principal="alice")


@pytest.fixture
def shown(database: Database) -> SqlShowing:
    return SqlShowing(database, clock=lambda: NOON)


async def _show(
    database: Database, asked: Request, *sources: str, home: str = "T1", final: bool = True
) -> None:
    """A task whose message shows these, or is about to."""
    await SqlTasks(database).enqueue(asked)
    deliveries = SqlDeliveries(database, clock=lambda: NOON)
    named = {"tenant": asked.tenant, "task": asked.task, "kind": "answer"}
    await deliveries.intend(**named, channel=asked.place.channel or "D1")
    await deliveries.placed(**named, ts=f"1.{asked.task}")
    shown = SqlShowing(database)
    await shown.begin(tenant=asked.tenant, task=asked.task, home=home, sources=sources)
    if final:
        await deliveries.updated(**named, lease=None)


async def test_each_audience_finds_its_own_tenants_messages(
    database: Database, shown: SqlShowing
) -> None:
    await _show(database, request("t1", channel="C1"), "b", "a")
    await _show(database, request("t2"), "a")
    await _show(database, request("t3", channel="C1", principal="bob"), "a", final=False)
    await _show(database, request("t4", tenant="acme", channel="C1"), "a")
    await _show(database, request("t5", channel="C1"), "a", home="T2")
    assert await shown.audiences(tenant="demo", home="T1") == (ROOM, ALONE)
    in_room = await shown.seen_by(ROOM, tenant="demo")
    assert [(one.task, one.source, one.channel, one.ts) for one in in_room] == [
        ("t1", "a", "C1", "1.t1"),
        ("t1", "b", "C1", "1.t1"),
    ]
    assert [one.task for one in await shown.seen_by(ALONE, tenant="demo")] == ["t2"]
    assert [one.task for one in await shown.of_source(tenant="demo", source="a")] == [
        "t1",
        "t2",
        "t5",
    ]


async def test_a_change_of_members_finds_what_they_may_read_by_it(
    database: Database, shown: SqlShowing
) -> None:
    catalogue = SqlCatalogue(database, StoredDirectory(database))
    for ident, reader in (("by-room", "channel:C9"), ("by-group", "group:S1"), ("open", "")):
        await catalogue.put(source(ident, *filter(None, [reader])))
    await _show(database, request("t1", channel="C1"), "by-room")
    await _show(database, request("t2", channel="C9"), "open")
    await _show(database, request("t3"), "by-group")
    in_room = await shown.in_room(tenant="demo", home="T1", room="C9")
    assert [one.task for one in in_room] == ["t2", "t1"]
    assert [one.task for one in await shown.of_group(tenant="demo", home="T1", group="S1")] == [
        "t3"
    ]
    assert await shown.of_group(tenant="acme", home="T1", group="S1") == ()


async def test_what_was_taken_back_is_shown_no_more_and_said_again_to_nobody(
    database: Database, shown: SqlShowing
) -> None:
    asked = request("t1", channel="C1")
    await _show(database, asked, "handbook")
    checkpoints = SqlCheckpoints(database)
    held = await checkpoints.open(asked)
    await checkpoints.save(held, "report", report(asked).model_dump_json())
    await SqlTasks(database).finish(tenant="demo", lease=held, status=Status.ANSWERED)
    assert (await _turns(database)) == ["七天后须再次确认。"]
    assert await shown.end(tenant="demo", task="t1")
    assert not await shown.end(tenant="demo", task="t1")
    assert await shown.seen_by(ROOM, tenant="demo") == ()
    assert await shown.audiences(tenant="demo", home="T1") == ()
    assert (await _turns(database)) == [""]
    await shown.begin(tenant="demo", task="t1", home="T1", sources=["handbook"])
    assert len(await shown.seen_by(ROOM, tenant="demo")) == 1


async def _turns(database: Database) -> list[str]:
    turns = await SqlTasks(database).turns(
        tenant="demo",
        conversation="thread",
        principal="alice",
        place=Place(channel="C1"),
        before=at(5),
    )
    return [turn.reply for turn in turns]


async def test_it_goes_with_its_task(database: Database, shown: SqlShowing) -> None:
    await _show(database, request("t1"), "a")
    await SqlTasks(database).forget(tenant="demo", principal="alice")
    assert await shown.audiences(tenant="demo", home="T1") == ()
    with pytest.raises(UnknownTask):
        await shown.begin(tenant="demo", task="t1", home="T1", sources=["a"])


async def test_a_room_with_another_id_is_found_with_what_was_asked_and_shown_there(
    database: Database, shown: SqlShowing
) -> None:
    for ident, tenant, thread in (("t1", "demo", "C1:1.5"), ("t2", "acme", "C1:1.5")):
        asked = request(ident, tenant=tenant, channel="C1")
        await _show(database, asked.model_copy(update={"conversation": thread}), "a")
    beside = request("t3", channel="C12").model_copy(update={"conversation": "C12:1.5"})
    await _show(database, beside, "a")
    await shown.renumber(tenant="demo", room="C1", to="C9NEW")
    audiences = await shown.audiences(tenant="demo", home="T1")
    assert [one.room for one in audiences] == ["C12", "C9NEW"]
    (moved,) = await shown.in_room(tenant="demo", home="T1", room="C9NEW")
    assert (moved.task, moved.channel, moved.ts) == ("t1", "C9NEW", "1.t1")
    kept = [await SqlTasks(database).get(tenant="demo", task=task) for task in ("t1", "t3")]
    assert [stored.conversation for stored in kept] == ["C9NEW:1.5", "C12:1.5"]
    assert await shown.seen_by(ROOM, tenant="acme")
