"""What was deleted, in a file of its own, so that no backup of the record brings it back.

One JSON object a line, ids only. A line is on the disk before the deletion it tells
of is committed, so the log may name a deletion that did not come about, and never
lacks one that did.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, ValidationError

from bot.storage.errors import DeletionLogDamaged
from rag.errors import StoreUnavailable
from rag.values import Value

DeletionKind = Literal[
    "begun",
    "source",
    "withdrawn",
    "readers",
    "folder",
    "versions",
    "tasks",
    "cancelled",
    "person",
]


class Deletion(Value):
    """One deletion, or one right taken away. ``id`` is random and the same in log and record.

    `begun` is none: with it a tenant's lines begin, so that every log holds some.

    ``ids`` are what the kind is about: for `source` and `withdrawn` the source, for
    `readers` the source and then the readers it lost, for `folder` the watched folder and
    then the readers that its new files have no more, for `tasks` and `cancelled` the
    tasks, for `person` the principal and then what became of them, for `versions` the
    instant before which superseded versions went.
    """

    id: str
    at: AwareDatetime
    tenant: str
    kind: DeletionKind
    ids: tuple[str, ...]


class DeletionLog:
    """The file at ``path``; with None nothing is written and nothing read. Blocks."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def append(self, fresh: Deletion, earlier: Callable[[], Iterable[Deletion]]) -> None:
        """Return once it is on the disk; a log that is new begins with the ``earlier`` ones.

        Raises `StoreUnavailable`: what cannot be written down must not be deleted.
        """
        if self._path is None:
            return
        try:
            _append(self._path, fresh, earlier)
        except OSError as error:
            raise StoreUnavailable(f"the deletion log cannot be written: {error.strerror}") from (
                error
            )

    def extend(self, deletions: Sequence[Deletion]) -> None:
        """Let the log hold all of these too. Raises `StoreUnavailable`, `DeletionLogDamaged`."""
        if self._path is None:
            return
        held = read_logs([self._path]) if self._path.is_file() else ()
        known = {deletion.id for deletion in held}
        for deletion in deletions:
            if deletion.id not in known:
                self.append(deletion, tuple)


def _append(path: Path, fresh: Deletion, earlier: Callable[[], Iterable[Deletion]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        before = [] if size else [line(deletion) for deletion in earlier()]
        torn = size and os.pread(descriptor, 1, size - 1) != b"\n"
        _write(descriptor, (b"\n" if torn else b"") + b"".join((*before, line(fresh))))
        if not size:
            _sync_folder(path.parent)
    finally:
        os.close(descriptor)


def _write(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_log(path: Path, deletions: Iterable[Deletion]) -> None:
    """Let ``path`` hold these alone, whole or not at all. Raises OSError."""
    fresh = path.with_name(f"{path.name}.partial")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        _write(descriptor, b"".join(map(line, deletions)))
    finally:
        os.close(descriptor)
    fresh.replace(path)
    _sync_folder(path.parent)


def line(deletion: Deletion) -> bytes:
    """A deletion as the log holds it."""
    return deletion.model_dump_json().encode() + b"\n"


def read_logs(paths: Sequence[Path]) -> tuple[Deletion, ...]:
    """Every deletion of these logs once, in the order of time.

    A line that was cut off is of a deletion that never came about. Raises
    `DeletionLogDamaged` for any other line that cannot be read, OSError.
    """
    found: dict[str, Deletion] = {}
    for path in paths:
        for number, text in enumerate(path.read_bytes().split(b"\n"), start=1):
            if text.endswith(b"}"):
                deletion = _parsed(path, number, text)
                found[deletion.id] = deletion
    return tuple(sorted(found.values(), key=lambda deletion: deletion.at))


def _parsed(path: Path, number: int, text: bytes) -> Deletion:
    try:
        return Deletion.model_validate_json(text)
    except ValidationError as error:
        raise DeletionLogDamaged(f"{path}: line {number} cannot be read") from error
