"""A backup is a folder: the record and the queue, and a manifest that says what it is.

Search and working context are no part of it: both are rebuilt from the record.
"""

import asyncio
import hashlib
import shutil
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pydantic import AwareDatetime, ValidationError

from bot.database_urls import parse_url
from bot.errors import BackupUnusable, WrongUsage
from bot.settings import Settings, child_environment
from bot.storage import copying, dumping, migrate
from bot.storage.database import Database
from bot.storage.reapplying import known
from rag.values import Value

RECORD, QUEUE, DUMP, MANIFEST = "footnote.db", "queue.db", "footnote.dump", "manifest.json"
_CHUNK = 1024 * 1024


class Manifest(Value):
    """What a backup holds: each file by its name with the SHA-256 of its content.

    ``deletions`` are the ids of those the record knew of, and so a restore's log must know.
    ``texts_elsewhere``: the full texts lie on an object storage, which has its own copies.
    """

    made_at: AwareDatetime
    database: str
    schema_version: str
    files: dict[str, str]
    deletions: tuple[str, ...] = ()
    texts_elsewhere: bool = False


def is_sqlite(settings: Settings) -> bool:
    """Whether the record is a SQLite file."""
    return parse_url(settings.record_url).get_backend_name() == "sqlite"


async def back_up(settings: Settings, folder: Path, *, programs: Path | None = None) -> Manifest:
    """Write a backup to ``folder``, which must be new; the processes go on meanwhile.

    Raises `WrongUsage`, `BackupUnusable`, `StoreUnavailable`.
    """
    if await asyncio.to_thread(migrate.current, settings.record_url) is None:
        raise WrongUsage("there is no record yet, so there is nothing to back up")
    database = Database(settings.record_url)
    try:
        deletions = tuple(deletion.id for deletion in await known(database))
    finally:
        await database.close()
    return await asyncio.to_thread(_back_up, settings, folder, programs, deletions)


def _back_up(
    settings: Settings, folder: Path, programs: Path | None, deletions: tuple[str, ...]
) -> Manifest:
    if folder.exists():
        raise WrongUsage(f"{folder} is there already; name a new folder")
    partial_folder = folder.with_name(f"{folder.name}.partial")
    try:
        shutil.rmtree(partial_folder, ignore_errors=True)
        partial_folder.mkdir(parents=True, mode=0o700)
        files = _copied(settings, partial_folder, programs)
        manifest = _described(settings, files, deletions)
        (partial_folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")
        copying.sync(partial_folder / MANIFEST)
        copying.sync(partial_folder)
        partial_folder.rename(folder)
        copying.sync(folder.parent)
    except OSError as error:
        raise BackupUnusable(f"the backup cannot be written: {error}") from error
    finally:
        shutil.rmtree(partial_folder, ignore_errors=True)
    return manifest


def _copied(settings: Settings, folder: Path, programs: Path | None) -> dict[str, str]:
    """The queue first: what it says of a job is then never newer than what the record says."""
    url = settings.record_url
    if is_sqlite(settings):
        queue = settings.home / QUEUE
        if queue.exists():
            copying.copy(queue, folder / QUEUE)
        copying.copy(Path(str(parse_url(url).database)), folder / RECORD)
    else:
        command = dumping.dump_command(url, folder / DUMP, programs=programs)
        dumping.run(command, url, environment=child_environment)
    return {path.name: _sha256(path) for path in sorted(folder.iterdir())}


def _described(settings: Settings, files: dict[str, str], deletions: tuple[str, ...]) -> Manifest:
    return Manifest(
        made_at=datetime.now(UTC),
        database=parse_url(settings.record_url).get_backend_name(),
        schema_version=migrate.current(settings.record_url) or "",
        files=files,
        deletions=deletions,
        texts_elsewhere=bool(settings.object_store),
    )


def read_manifest(folder: Path) -> Manifest:
    """What the backup says it is, after its files were looked at. Blocks.

    Raises `BackupUnusable` when it is none, is not whole, or was changed.
    """
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
        for name, expected in manifest.files.items():
            if _sha256(folder / name) != expected:
                raise BackupUnusable(f"{folder / name} is not what was backed up")
    except (OSError, ValidationError) as error:
        raise BackupUnusable(f"{folder} is no whole backup ({type(error).__name__})") from error
    return manifest


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(partial(file.read, _CHUNK), b""):
            digest.update(block)
    return digest.hexdigest()
