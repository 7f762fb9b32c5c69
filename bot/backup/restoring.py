"""Restores a backup so that what was deleted since stays deleted and nothing is answered twice.

Nobody may work on the record meanwhile. On SQLite everything is done beside the data
and put in its place at the end; on PostgreSQL it is done in a database that is empty,
or that the operator has just filled, before any process is pointed at it.
"""

import asyncio
import shutil
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.backup.archive import DUMP, QUEUE, RECORD, is_sqlite, read_manifest
from bot.database_urls import parse_url, sqlite_url
from bot.errors import BackupUnusable, WrongUsage
from bot.questions.asking import Brief
from bot.queue.backlog import Backlog, task_of
from bot.queue.durable import Job, Queue
from bot.queue.engine import inserting_engine, system_url
from bot.queue.lines import ANSWERING, line
from bot.queue.tables import prepare
from bot.settings import Settings, child_environment
from bot.storage import copying, dumping, migrate
from bot.storage.database import Database
from bot.storage.deletion_log import Deletion, DeletionLog, read_logs, write_log
from bot.storage.errors import DeletionLogDamaged
from bot.storage.outlook import SqlOutlook
from bot.storage.reapplying import known, reapply
from bot.storage.tasks import SqlTasks
from bot.storage.tenants import SqlTenants
from bot.stores import open_texts, worker_slots
from rag.values import Value

__all__ = [
    "Deletion",
    "Restored",
    "deletions_since",
    "export_deletions",
    "restore_folder",
    "settle_loaded",
]

_SEARCH = ("index", "search")
_STAGING = "restoring"


class Restored(Value):
    """What was done: deletions done again, jobs that go on, questions that lacked a job."""

    deletions: int = 0
    going_on: int = 0
    queued_again: int = 0


def deletions_since(settings: Settings, logs: Sequence[Path]) -> tuple[Deletion, ...]:
    """The deletions in these logs, or in the data folder's own where none is named. Blocks.

    Raises `WrongUsage` when there is none, `BackupUnusable` for one that cannot be read.
    """
    own = settings.deletions_path
    paths = tuple(logs) or ((own,) if own.is_file() else ())
    if not paths:
        raise WrongUsage(
            f"there is no deletion log at {own}. Name it with --deletions, or, where nothing "
            "was deleted since the backup, say --without-deletions-since"
        )
    try:
        return read_logs(paths)
    except (OSError, DeletionLogDamaged) as error:
        raise BackupUnusable(f"the deletion log cannot be read: {error}") from error


async def restore_folder(
    settings: Settings,
    folder: Path,
    *,
    deletions: Sequence[Deletion] | None,
    replace: bool = False,
    programs: Path | None = None,
) -> Restored:
    """Restore the backup in ``folder``; ``deletions`` None is for "none since then".

    Raises `WrongUsage`, `BackupUnusable`, `StoreUnavailable`.
    """
    manifest = await asyncio.to_thread(read_manifest, folder)
    if manifest.database != parse_url(settings.record_url).get_backend_name():
        raise WrongUsage(f"this backup is of {manifest.database}; DATABASE_URL names another kind")
    _require_whole(manifest.deletions, deletions)
    await asyncio.to_thread(_nobody_works, settings)
    if is_sqlite(settings):
        return await _restore_sqlite(settings, folder, deletions, replace=replace)
    if await asyncio.to_thread(migrate.current, settings.record_url) is not None:
        raise WrongUsage("DATABASE_URL names a database that is not empty; name a new one")
    command = dumping.load_command(settings.record_url, folder / DUMP, programs=programs)
    await asyncio.to_thread(
        dumping.run, command, settings.record_url, environment=child_environment
    )
    return await settle_loaded(settings, deletions=deletions)


async def settle_loaded(settings: Settings, *, deletions: Sequence[Deletion] | None) -> Restored:
    """Do what must be done after a database was filled from a backup by other means.

    Raises `WrongUsage`, `BackupUnusable`, `StoreUnavailable`.
    """
    await asyncio.to_thread(_nobody_works, settings)
    done = await _settle(settings, settings.record_url, settings.home, deletions)
    await asyncio.to_thread(_forget_copies, settings)
    return done


def _nobody_works(settings: Settings) -> None:
    if workers := len(worker_slots(settings).alive()):
        raise WrongUsage(f"{workers} workers run on this record; stop every process first")


async def _restore_sqlite(
    settings: Settings, folder: Path, deletions: Sequence[Deletion] | None, *, replace: bool
) -> Restored:
    record = Path(str(parse_url(settings.record_url).database))
    staging = settings.home / _STAGING
    try:
        await asyncio.to_thread(_require_room, record, settings.record_url, replace=replace)
        await asyncio.to_thread(_stage, folder, staging)
        url = sqlite_url(staging / RECORD)
        done = await _settle(settings, url, staging, deletions)
        await asyncio.to_thread(_put_in_place, staging, record, settings)
    except OSError as error:
        raise BackupUnusable(f"the backup cannot be restored: {error}") from error
    finally:
        await asyncio.to_thread(shutil.rmtree, staging, ignore_errors=True)
    return done


def _require_room(record: Path, url: str, *, replace: bool) -> None:
    """A file without tables is only what looking for the record has left."""
    if record.exists() and migrate.current(url) is not None and not replace:
        raise WrongUsage(f"{record} is there; --replace puts the backup in its place")


def _stage(folder: Path, staging: Path) -> None:
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True, mode=0o700)
    for name in (RECORD, QUEUE):
        if (folder / name).exists():
            copying.copy(folder / name, staging / name)


def _put_in_place(staging: Path, record: Path, settings: Settings) -> None:
    """The record last: as long as it is not in its place, the restore has not happened."""
    for path in (staging / QUEUE, staging / RECORD):
        copying.settle(path)
    record.parent.mkdir(parents=True, exist_ok=True)
    for path in (record, settings.home / QUEUE):
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    _forget_copies(settings)
    (staging / QUEUE).replace(settings.home / QUEUE)
    (staging / RECORD).replace(record)
    for folder in {settings.home, record.parent}:
        copying.sync(folder)


def _forget_copies(settings: Settings) -> None:
    """Search may hold what the record holds no more; it is filled again from the record."""
    for name in _SEARCH:
        shutil.rmtree(settings.home / name, ignore_errors=True)


async def _settle(
    settings: Settings, url: str, home: Path, deletions: Sequence[Deletion] | None
) -> Restored:
    await asyncio.to_thread(migrate.migrate, url)
    database = Database(url)
    try:
        _require_whole([one.id for one in await known(database)], deletions)
        erase = open_texts(settings, database).erase
        done = await reapply(database, deletions or (), erase=erase)
        await asyncio.to_thread(DeletionLog(settings.deletions_path).extend, deletions or ())
        going_on, again = await _go_on(database, system_url(url, home), gone=done.tasks)
    finally:
        await database.close()
    return Restored(deletions=done.deletions, going_on=going_on, queued_again=again)


def _require_whole(backed_up: Sequence[str], deletions: Sequence[Deletion] | None) -> None:
    """A log that lacks what the backup knows of lacks what came later too."""
    if deletions is None:
        return
    named = {deletion.id for deletion in deletions}
    lacking = [ident for ident in backed_up if ident not in named]
    if lacking:
        raise BackupUnusable(
            f"the deletion log lacks {len(lacking)} lines that the backup knows of, so it is "
            "not this record's or not whole; --deletions may be given once for each host"
        )


async def _go_on(database: Database, url: str, *, gone: Sequence[str]) -> tuple[int, int]:
    """Jobs that were running wait again; unfinished questions without a job get one."""
    await asyncio.to_thread(prepare, url)
    queue = Queue(url)
    try:
        with closing(Backlog(inserting_engine(url))) as backlog:
            await queue.forget([job for task in gone for job in (task, f"{task}.answer")])
            await asyncio.to_thread(_forget_ended, queue)
            going_on = await asyncio.to_thread(_take_back, queue, backlog)
            live = {task_of(job) for job in await asyncio.to_thread(backlog.live)}
        return going_on, await _queue_again(database, queue, live=live)
    finally:
        await asyncio.to_thread(queue.close)


def _forget_ended(queue: Queue) -> None:
    """What they carried may be a question that was deleted since."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    while queue.clean(tomorrow):
        pass


def _take_back(queue: Queue, backlog: Backlog) -> int:
    return sum(queue.hand_back(executor) for executor in backlog.executors())


async def _queue_again(database: Database, queue: Queue, *, live: set[str]) -> int:
    tasks, now = SqlTasks(database), datetime.now(UTC)
    lacking = [one for one in await SqlOutlook(database).overdue(before=now) if one not in live]
    for task in lacking:
        tenant = await tasks.tenant_of(task)
        brief = Brief(tenant=tenant, task=task)
        job = Job(
            id=f"{task}.answer",
            kind="answer",
            partition=tenant,
            payload=brief.model_dump_json(),
            at=now,
        )
        workspace = await SqlTenants(database).workspace(tenant=tenant)
        await queue.put(job, queue=line(ANSWERING, workspace))
    return len(lacking)


async def export_deletions(settings: Settings, file: Path) -> int:
    """Write the record's deletions to ``file``; how many. Raises `BackupUnusable`."""
    database = Database(settings.record_url)
    try:
        found = await known(database)
    finally:
        await database.close()
    try:
        await asyncio.to_thread(write_log, file, found)
    except OSError as error:
        raise BackupUnusable(f"{file} cannot be written: {error}") from error
    return len(found)
