"""What is deleted is written down first, and done again to a record that does not know of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.audience import Standing
from bot.sources.folders import Folder
from bot.storage.catalogue import SqlCatalogue
from bot.storage.database import Database
from bot.storage.deletion_log import Deletion, DeletionLog, line, read_logs
from bot.storage.deletions import Deletions
from bot.storage.directory import StoredDirectory
from bot.storage.errors import DeletionLogDamaged
from bot.storage.origins import SqlOrigins
from bot.storage.people import Person, SqlPeople
from bot.storage.reapplying import known, reapply
from bot.storage.task_rows import TaskState
from bot.storage.tasks import SqlTasks
from bot.storage.tenants import SqlTenants
from rag.errors import StoreUnavailable, UnknownTask
from rag.values import SourceStatus
from tests.bot.storage.predicates import watched
from tests.bot.storage.samples import NOON, at, request, source


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log" / "deletions.log"


@pytest.fixture
async def database(migrated_url: str, path: Path) -> AsyncIterator[Database]:
    """A migrated database that notes its deletions at ``path``."""
    opened = Database(migrated_url, deletions=Deletions(DeletionLog(path)))
    with watched() as offences:
        await SqlTenants(opened).create("demo")
        yield opened
    await opened.close()
    assert offences == []


def catalogue_of(database: Database) -> SqlCatalogue:
    return SqlCatalogue(database, StoredDirectory(database))


async def everything(database: Database) -> None:
    """A little of all that can be deleted."""
    catalogue = catalogue_of(database)
    await catalogue.put_all([source("removed"), source("withdrawn"), source("shared", "a", "b")])
    people = SqlPeople(database)
    for name in ("gone", "lowered", "stays"):
        await people.put(Person(tenant="demo", principal=name))
    tasks = SqlTasks(database)
    await tasks.enqueue(request("forgotten", principal="gone"))
    await tasks.enqueue(request("cancelled"))
    await tasks.enqueue(request("kept", minutes=1))


async def delete_all(database: Database) -> None:
    catalogue = catalogue_of(database)
    await catalogue.remove(tenant="demo", source_id="removed")
    await catalogue.set_status(tenant="demo", source_id="withdrawn", status=SourceStatus.WITHDRAWN)
    await catalogue.set_readers(tenant="demo", source_id="shared", readers=["b", "c"])
    people = SqlPeople(database)
    await people.put(Person(tenant="demo", principal="gone", active=False))
    await people.put(Person(tenant="demo", principal="lowered", standing=Standing.GUEST))
    tasks = SqlTasks(database)
    await tasks.forget(tenant="demo", principal="gone")
    await tasks.cancel(tenant="demo", task="cancelled")


async def test_each_deletion_is_one_line_with_ids_alone(database: Database, path: Path) -> None:
    await everything(database)
    assert [deletion.kind for deletion in read_logs([path])] == ["begun"]
    await delete_all(database)
    logged = read_logs([path])
    assert [(deletion.kind, deletion.ids) for deletion in logged] == [
        ("begun", ("demo",)),
        ("source", ("removed",)),
        ("withdrawn", ("withdrawn",)),
        ("readers", ("shared", "a")),
        ("person", ("gone", "full", "gone")),
        ("person", ("lowered", "guest", "active")),
        ("tasks", ("forgotten",)),
        ("cancelled", ("cancelled",)),
    ]
    assert logged == await known(database)
    assert path.stat().st_mode & 0o077 == 0
    assert "借用" not in path.read_text("utf-8")


async def test_nothing_is_noted_where_nothing_was_deleted(database: Database, path: Path) -> None:
    catalogue = catalogue_of(database)
    await catalogue.put(source("s", "a"))
    await catalogue.put(source("s", "a", "b"))
    await catalogue.set_readers(tenant="demo", source_id="s", readers=["a", "b", "c"])
    await catalogue.remove(tenant="demo", source_id="never there")
    await SqlTasks(database).forget(tenant="demo", principal="nobody")
    await SqlTasks(database).cancel(tenant="demo", task="never there")
    assert [deletion.kind for deletion in read_logs([path])] == ["begun"]


async def test_what_cannot_be_written_down_is_not_deleted(database: Database, path: Path) -> None:
    await everything(database)
    path.unlink()
    path.mkdir()  # no file can be there
    with pytest.raises(StoreUnavailable, match="deletion log"):
        await catalogue_of(database).remove(tenant="demo", source_id="removed")
    with pytest.raises(StoreUnavailable):
        await SqlTasks(database).forget(tenant="demo", principal="gone")
    assert await catalogue_of(database).get(tenant="demo", source_ids=["removed"])
    assert await SqlTasks(database).get(tenant="demo", task="forgotten")


async def test_a_new_log_begins_with_all_that_the_record_knows(
    database: Database, path: Path
) -> None:
    await everything(database)
    await delete_all(database)
    before = read_logs([path])
    path.unlink()
    await catalogue_of(database).remove(tenant="demo", source_id="shared")
    assert read_logs([path])[:-1] == before


async def test_doing_it_again_deletes_what_came_back(database: Database, path: Path) -> None:
    logged = await _after_coming_back(database, path)
    done = await reapply(database, logged)
    assert done.deletions == len(logged)
    assert set(done.tasks) == {"forgotten", "never there", "cancelled"}
    found = {entry.id: entry for entry in await catalogue_of(database).list(tenant="demo")}
    assert set(found) == {"withdrawn", "shared"}
    assert found["withdrawn"].status is SourceStatus.WITHDRAWN
    assert found["shared"].readers == ("b",)
    people = SqlPeople(database)
    gone = await people.get(tenant="demo", principal="gone")
    lowered = await people.get(tenant="demo", principal="lowered")
    assert gone is not None
    assert not gone.active
    assert lowered is not None
    assert lowered.standing is Standing.GUEST
    tasks = SqlTasks(database)
    with pytest.raises(UnknownTask):
        await tasks.get(tenant="demo", task="forgotten")
    assert (await tasks.get(tenant="demo", task="cancelled")).state is TaskState.CANCELLED
    assert (await tasks.get(tenant="demo", task="kept")).state is TaskState.QUEUED
    assert (await known(database))[: len(logged)] == logged  # older than the tenant itself
    assert await reapply(database, logged) == done.model_copy(update={"deletions": 0, "tasks": ()})


async def test_a_source_that_a_backup_does_not_know_stays_away_too(database: Database) -> None:
    gone = Deletion(id="1", at=NOON, tenant="demo", kind="source", ids=("added later",))
    await reapply(database, [gone])
    assert await catalogue_of(database).kept_out(tenant="demo") == {"added later"}


async def test_the_readers_that_a_watched_folder_lost_stay_lost(
    database: Database, path: Path
) -> None:
    origins = SqlOrigins(database)
    wide = Folder(root="/docs", tenant="demo", readers=("a", "b"))
    await origins.watch(wide)
    await origins.watch(wide.model_copy(update={"readers": ("b",)}))
    (lost,) = (one for one in read_logs([path]) if one.kind == "folder")
    await origins.watch(wide)  # as the backup has it
    await reapply(database, [lost.model_copy(update={"id": "again"})])
    assert [folder.readers for folder in await origins.folders(tenant="demo")] == [("b",)]


async def _after_coming_back(database: Database, path: Path) -> tuple[Deletion, ...]:
    """The log of a record that is as it was before, as after a restored backup."""
    logged = tuple(
        Deletion(id=str(number), at=at(number), tenant="demo", kind=kind, ids=ids)
        for number, (kind, ids) in enumerate(
            [
                ("source", ("removed",)),
                ("withdrawn", ("withdrawn",)),
                ("readers", ("shared", "a")),
                ("person", ("gone", "full", "gone")),
                ("person", ("lowered", "guest", "active")),
                ("tasks", ("forgotten", "never there")),
                ("cancelled", ("cancelled",)),
                ("versions", (NOON.isoformat(),)),
            ]
        )
    )
    await everything(database)
    path.write_bytes(b"".join(map(line, logged)))
    return read_logs([path])


async def test_of_a_tenant_that_is_not_there_there_is_nothing_to_delete(
    database: Database,
) -> None:
    foreign = Deletion(id="1", at=NOON, tenant="acme", kind="source", ids=("handbook",))
    assert (await reapply(database, [foreign])).deletions == 0


def test_a_line_that_was_cut_off_is_none_and_a_damaged_one_is_an_error(path: Path) -> None:
    one = Deletion(id="1", at=NOON, tenant="demo", kind="source", ids=("a",))
    two = one.model_copy(update={"id": "2", "at": at(1)})
    path.parent.mkdir(parents=True)
    path.write_bytes(line(one) + line(two)[:20])
    assert read_logs([path]) == (one,)
    DeletionLog(path).append(two, tuple)
    assert read_logs([path, path]) == (one, two)
    path.write_bytes(b'{"id": 1}\n' + line(one))
    with pytest.raises(DeletionLogDamaged, match="line 1"):
        read_logs([path])
