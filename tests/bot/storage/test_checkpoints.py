"""Stage results come back as they were saved, or not at all."""

import json
from typing import Any

import pytest
from sqlalchemy import Connection, Table, select, update

from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.database import Database
from bot.storage.errors import UnknownTenant, WrittenByAnother
from bot.storage.rows import sha256
from bot.storage.tables import checkpoints, tasks
from bot.storage.task_rows import CHECKPOINT_SCHEMA, OLDEST_CHECKPOINT, TaskState
from bot.storage.tasks import SqlTasks
from rag.errors import CheckpointTampered, TaskExists, UnknownTask
from rag.values import Status, Turn
from tests.bot.storage.samples import at, lease, report, request

DOCUMENT = report(request()).model_dump_json()


async def _overwrite(database: Database, table: Table, **values: Any) -> None:
    statement = update(table).where(table.c.tenant == "demo").values(**values)
    await database.write(lambda connection: connection.execute(statement).rowcount)


async def test_a_document_comes_back_to_the_byte(database: Database) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(request())
    assert await kept.load("t1", "report") is None
    await kept.save(held, "report", DOCUMENT)
    assert await kept.load("t1", "report") == DOCUMENT


async def test_the_first_result_stays(database: Database) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(request())
    assert await kept.save(held, "plan", "1") == "1"
    assert await kept.save(held, "plan", "2") == "1"
    assert await kept.load("t1", "plan") == "1"
    assert await kept.stages("t1") == ("plan",)


async def test_stages_are_in_the_order_they_were_saved(database: Database) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(request())
    for stage in ("authorize", "plan", "index", "answer"):
        await kept.save(held, stage, "{}")
    assert await kept.stages("t1") == ("authorize", "plan", "index", "answer")


async def test_opening_the_same_question_again_is_nothing(database: Database) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(request())
    await kept.save(held, "plan", "{}")
    later = request(minutes=5).model_copy(update={"turns": (Turn(task="t0", question="?"),)})
    await kept.open(later)
    assert await kept.request("t1") == request()
    assert await kept.stages("t1") == ("plan",)


@pytest.mark.parametrize(
    "other",
    [
        request(question="Another question?"),
        request(principal="bob"),
        request(channel="C1"),
        request(tenant="acme"),
        request().model_copy(update={"source_ids": ("handbook",)}),
        request().model_copy(update={"parent_id": "t0"}),
    ],
)
async def test_another_question_cannot_take_the_id(database: Database, other: Any) -> None:
    kept = SqlCheckpoints(database)
    await kept.open(request())
    with pytest.raises(TaskExists):
        await kept.open(other)
    assert await kept.request("t1") == request()


async def test_an_unknown_task_is_said(database: Database) -> None:
    kept = SqlCheckpoints(database)
    for call in (kept.load("t9", "plan"), kept.save(lease("t9"), "plan", "{}")):
        with pytest.raises(UnknownTask):
            await call
    for asked in (kept.stages("t9"), kept.request("t9")):
        with pytest.raises(UnknownTask):
            await asked
    with pytest.raises(UnknownTenant):
        await kept.open(request(tenant="nobody"))


async def test_opening_lets_a_queued_or_failed_task_run_but_no_other(database: Database) -> None:
    kept, known = SqlCheckpoints(database), SqlTasks(database)
    await known.enqueue(request())
    held = await kept.open(request())
    assert (await known.get(tenant="demo", task="t1")).state is TaskState.RUNNING
    for status, after in [
        (Status.FAILED, TaskState.RUNNING),
        (Status.ANSWERED, TaskState.DONE),
        (Status.CLARIFY, TaskState.WAITING),
    ]:
        await known.finish(tenant="demo", lease=held, status=status)
        held = await kept.open(request())
        assert (await known.get(tenant="demo", task="t1")).state is after
    await known.cancel(tenant="demo", task="t1")
    await kept.open(request())
    assert (await known.get(tenant="demo", task="t1")).state is TaskState.CANCELLED


async def test_any_changed_character_is_refused(database: Database) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(request())
    await kept.save(held, "report", DOCUMENT)
    for place in range(0, len(DOCUMENT), max(1, len(DOCUMENT) // 100)):
        flipped = chr(ord(DOCUMENT[place]) ^ 1)
        document = DOCUMENT[:place] + flipped + DOCUMENT[place + 1 :]
        await _overwrite(database, checkpoints, document=document)
        with pytest.raises(CheckpointTampered):
            await kept.load("t1", "report")


async def test_a_document_cannot_change_places(database: Database) -> None:
    kept = SqlCheckpoints(database)
    for task in ("t1", "t2"):
        held = await kept.open(request(task))
        await kept.save(held, "report", f'"{task}"')

    def swap(connection: Connection) -> None:
        rows = connection.execute(select(checkpoints).where(checkpoints.c.tenant == "demo")).all()
        content = {row.task: (row.document, row.sha256) for row in rows}
        for task, other in (("t1", "t2"), ("t2", "t1")):
            document, digest = content[other]
            connection.execute(
                update(checkpoints)
                .where(checkpoints.c.tenant == "demo", checkpoints.c.task == task)
                .values(document=document, sha256=digest)
            )

    await database.write(swap)
    with pytest.raises(CheckpointTampered):
        await kept.load("t1", "report")


async def _written_by(database: Database, schema: int) -> None:
    """Let the saved plan be one of another schema, whole."""
    whole = sha256(json.dumps(["demo", "t1", "plan", schema, "{}"]))
    await _overwrite(database, checkpoints, schema_version=schema, document="{}", sha256=whole)


async def test_a_newer_versions_result_is_left_to_that_version(database: Database) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(request())
    await kept.save(held, "plan", "1")
    await _written_by(database, CHECKPOINT_SCHEMA + 1)
    with pytest.raises(WrittenByAnother):
        await kept.load("t1", "plan")
    with pytest.raises(WrittenByAnother):
        await kept.save(held, "plan", "2")


async def test_a_result_of_a_schema_long_past_is_made_anew(database: Database) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(request())
    await kept.save(held, "plan", "1")
    await _written_by(database, OLDEST_CHECKPOINT - 1)
    assert await kept.load("t1", "plan") is None
    assert await kept.save(held, "plan", "2") == "2"


async def test_a_request_of_another_versions_shape_is_an_outage(database: Database) -> None:
    kept = SqlCheckpoints(database)
    await kept.open(request())
    whole = sha256(json.dumps(["demo", "t1", '{"from": "tomorrow"}']))
    await _overwrite(database, tasks, request='{"from": "tomorrow"}', sha256=whole)
    with pytest.raises(WrittenByAnother):
        await kept.request("t1")


async def test_an_edited_schema_version_is_refused(database: Database) -> None:
    kept = SqlCheckpoints(database)
    held = await kept.open(request())
    await kept.save(held, "plan", "{}")
    await _overwrite(database, checkpoints, schema_version=0)
    with pytest.raises(CheckpointTampered):
        await kept.load("t1", "plan")


async def test_an_edited_request_is_refused(database: Database) -> None:
    kept = SqlCheckpoints(database)
    await kept.open(request())
    forged = request(principal="bob").model_dump_json()
    await _overwrite(database, tasks, request=forged)
    with pytest.raises(CheckpointTampered):
        await kept.request("t1")
    with pytest.raises(CheckpointTampered):
        await SqlTasks(database).list(tenant="demo")
    with pytest.raises(CheckpointTampered):
        await kept.open(request())


async def test_another_process_reads_what_was_saved(migrated_url: str, database: Database) -> None:
    held = await SqlCheckpoints(database).open(request(minutes=1))
    await SqlCheckpoints(database).save(held, "plan", DOCUMENT)
    other = Database(migrated_url)
    assert await SqlCheckpoints(other).load("t1", "plan") == DOCUMENT
    assert (await SqlCheckpoints(other).request("t1")).asked_at == at(1)
    await other.close()
