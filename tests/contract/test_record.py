"""What `rag` may rely on, whoever keeps the record."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from rag.errors import LeaseLost, SnapshotTampered, TaskExists, UnknownTask
from rag.ports import Lease
from rag.values import Place, SourceStatus
from tests.bot.storage.samples import NOON, TEXT, request, source
from tests.contract.conftest import Opened, Record

SOURCES = (
    source("all", title="All").model_copy(update={"snapshot": "a" * 64, "updated_at": NOON}),
    source("alices", "alice"),
    source("gone", status=SourceStatus.WITHDRAWN),
)


@pytest.fixture
async def record(opened: Opened) -> AsyncIterator[Record]:
    async with opened(SOURCES) as found:
        yield found


@pytest.mark.parametrize("text", ["", TEXT, "a\x00b", "🧾 ﬁ"])
async def test_a_snapshot_comes_back_by_the_name_it_got(record: Record, text: str) -> None:
    name = await record.snapshots.put(text)
    assert await record.snapshots.put(text) == name
    assert await record.snapshots.get(name) == text


async def test_a_snapshot_nobody_put_is_an_error(record: Record) -> None:
    with pytest.raises(SnapshotTampered):
        await record.snapshots.get("0" * 64)


async def test_a_stage_is_loaded_as_it_was_saved(record: Record) -> None:
    held = await record.checkpoints.open(request())
    assert await record.checkpoints.load("t1", "plan") is None
    for stage, document in [("plan", '{"a": 1}'), ("index", '{"借用": "\\u0000"}')]:
        assert await record.checkpoints.save(held, stage, document) == document
        assert await record.checkpoints.load("t1", stage) == document
    assert await record.checkpoints.load("t1", "answer") is None


async def test_all_that_was_saved_is_had_at_once(record: Record) -> None:
    held = await record.checkpoints.open(request())
    await record.checkpoints.open(request(task="t2"))
    assert await record.checkpoints.saved("t1") == {}
    documents = {"plan": '{"a": 1}', "index": '{"借用": "\\u0000"}'}
    for stage, document in documents.items():
        await record.checkpoints.save(held, stage, document)
    assert await record.checkpoints.saved("t1") == documents
    assert await record.checkpoints.saved("t2") == {}


async def test_the_first_result_of_a_stage_is_the_one_that_counts(record: Record) -> None:
    first = await record.checkpoints.open(request())
    assert await record.checkpoints.save(first, "answer", '{"a": 1}') == '{"a": 1}'
    assert await record.checkpoints.save(first, "answer", '{"a": 2}') == '{"a": 1}'
    again = await record.checkpoints.open(request())
    assert await record.checkpoints.save(again, "answer", '{"a": 3}') == '{"a": 1}'
    assert await record.checkpoints.load("t1", "answer") == '{"a": 1}'


async def test_whoever_took_a_task_up_last_alone_may_save(record: Record) -> None:
    first = await record.checkpoints.open(request())
    await record.checkpoints.save(first, "plan", "{}")
    second = await record.checkpoints.open(request())
    assert second.number == first.number + 1
    for stage in ("plan", "answer"):
        with pytest.raises(LeaseLost):
            await record.checkpoints.save(first, stage, '{"stale": true}')
    assert await record.checkpoints.load("t1", "answer") is None
    await record.checkpoints.save(second, "answer", "{}")


async def test_a_lease_is_one_holders_alone(record: Record) -> None:
    taken = await asyncio.gather(*(record.checkpoints.open(request()) for _ in range(8)))
    assert sorted(lease.number for lease in taken) == list(range(1, 9))


async def test_a_task_id_belongs_to_one_question(record: Record) -> None:
    held = await record.checkpoints.open(request())
    await record.checkpoints.save(held, "plan", "{}")
    await record.checkpoints.open(request())
    assert await record.checkpoints.load("t1", "plan") == "{}"
    with pytest.raises(TaskExists):
        await record.checkpoints.open(request(question="Something else?"))


async def test_permitted_is_what_the_readers_say(record: Record) -> None:
    alice = await record.catalogue.permitted(tenant="demo", principal="alice", place=Place())
    bob = await record.catalogue.permitted(tenant="demo", principal="bob", place=Place())
    assert {entry.id for entry in alice.sources} == {"all", "alices"}
    assert {entry.id for entry in bob.sources} == {"all"}
    assert not alice.withheld
    assert not alice.outsider
    assert alice.fingerprint != bob.fingerprint


async def test_get_gives_whole_sources_of_the_tenant_alone(record: Record) -> None:
    wanted = ["gone", "none", "all"]
    found = await record.catalogue.get(tenant="demo", source_ids=wanted)
    assert sorted(found, key=lambda entry: entry.id) == [SOURCES[0], SOURCES[2]]
    assert await record.catalogue.get(tenant="acme", source_ids=wanted) == ()


async def test_a_room_nobody_knows_hears_nothing(record: Record) -> None:
    found = await record.catalogue.permitted(
        tenant="demo", principal="alice", place=Place(channel="C-unknown")
    )
    assert found.sources == ()
    assert found.withheld


async def test_nothing_is_loaded_or_saved_for_a_task_nobody_opened(record: Record) -> None:
    with pytest.raises(UnknownTask):
        await record.checkpoints.load("nobody", "plan")
    with pytest.raises(UnknownTask):
        await record.checkpoints.saved("nobody")
    with pytest.raises(UnknownTask):
        await record.checkpoints.save(Lease(task="nobody", number=1), "plan", "{}")
