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
from rag.values import Value

RECORD, QUEUE, DUMP, MANIFEST = "footnote.db", "queue.db", "footnote.dump", "manifest.json"
_CHUNK = 1024 * 1024


class Manifest(Value):
    """What a backup holds: each file by its name with the SHA-256 of its content.

    ``texts_elsewhere``: the full texts lie on an object storage, which has its own copies.
    """

    made_at: AwareDatetime
    database: str
    schema_version: str
    files: dict[str, str]
    texts_elsewhere: bool = False


def is_sqlite(settings: Settings) -> bool:
    """Whether the record is a SQLite file."""
    return parse_url(settings.record_url).get_backend_name() == "sqlite"


async def back_up(settings: Settings, folder: Path, *, programs: Path | None = None) -> Manifest:
    """Write a backup to ``folder``, which must be new; the processes go on meanwhile.

    Raises `WrongUsage`, `BackupUnusable`, `StoreUnavailable`.
    """
    return await asyncio.to_thread(_back_up, settings, folder, programs)


def _back_up(settings: Settings, folder: Path, programs: Path | None) -> Manifest:
    if folder.exists():
        raise WrongUsage(f"{folder} is there already; name a new folder")
    partial_folder = folder.with_name(f"{folder.name}.partial")
    try:
        shutil.rmtree(partial_folder, ignore_errors=True)
        partial_folder.mkdir(parents=True, mode=0o700)
        manifest = _written(settings, partial_folder, programs)
        copying.sync(partial_folder)
        partial_folder.rename(folder)
        copying.sync(folder.parent)
    except OSError as error:
        raise BackupUnusable(f"the backup cannot be written: {error}") from error
    finally:
        shutil.rmtree(partial_folder, ignore_errors=True)
    return manifest


def _written(settings: Settings, folder: Path, programs: Path | None) -> Manifest:
    """The queue first: what it says of a job is then never newer than what the record says."""
    url = settings.record_url
    schema = migrate.current(url)
    if schema is None:
        raise WrongUsage("there is no record yet, so there is nothing to back up")
    if is_sqlite(settings):
        queue = settings.home / QUEUE
        if queue.exists():
            copying.copy(queue, folder / QUEUE)
        copying.copy(Path(str(parse_url(url).database)), folder / RECORD)
    else:
        command = dumping.dump_command(url, folder / DUMP, programs=programs)
        dumping.run(command, url, environment=child_environment)
    manifest = Manifest(
        made_at=datetime.now(UTC),
        database=parse_url(url).get_backend_name(),
        schema_version=schema,
        files={path.name: _sha256(path) for path in sorted(folder.iterdir())},
        texts_elsewhere=bool(settings.object_store),
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")
    copying.sync(folder / MANIFEST)
    return manifest


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
