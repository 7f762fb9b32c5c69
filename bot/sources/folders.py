"""Files below a folder as sources: what is there, what each says of itself, what it is called."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.errors import WrongUsage
from bot.loaders.describe import language_in
from bot.loaders.files import FileUnreadable, inside, read_bytes
from bot.loaders.loaded import Loaded
from bot.loaders.outlining import said_in, titled
from bot.loaders.registry import SUFFIXES
from bot.sources.told import SIDECAR, by_hand, read_sidecar, sidecar_of
from rag.errors import LimitExceeded
from rag.values import Kind, Limits, Source, SourceStatus, Value

ROOT = "root"
"""Metadata key: the folder a document's file must lie below."""

_READ_AS = b"1"
"""Another name here lets every document be read anew at its next refresh."""

PATH = "path"
"""Metadata key: the path below `ROOT`, for a source that came with a whole folder."""


class Folder(Value):
    """A folder and how its files become sources. ``readers`` are as rights name them."""

    root: str
    tenant: str
    readers: tuple[str, ...]
    prefix: str = ""

    def source_id(self, path: str) -> str:
        """The id of the file at ``path`` below the root."""
        return f"{self.prefix.strip('/')}/{path}" if self.prefix.strip("/") else path


class Original(Value):
    """The bytes, by their ``digest``, from which a source's ``snapshot`` was made."""

    source_id: str
    digest: str
    snapshot: str


class Survey(Value):
    """Relative paths: files that can be read, and others with the reason why not.

    ``closed`` are folders that could not be looked into.
    """

    files: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    closed: tuple[str, ...] = ()


def survey(root: Path) -> Survey:
    """What lies below ``root``, in the order of the paths. Blocks.

    Hidden files and folders are passed over; links are never followed. Raises
    `WrongUsage` when ``root`` is not a folder.
    """
    if not root.is_dir():
        raise WrongUsage(f"{root} is not a folder")
    files, skipped = [], []
    closed: list[OSError] = []
    for path in sorted(_below(root, closed)):
        reason = _unsupported(root / path)
        if reason:
            skipped.append((path, reason))
        else:
            files.append(path)
    shut = {Path(error.filename).relative_to(root).as_posix() for error in closed}
    return Survey(files=tuple(files), skipped=tuple(skipped), closed=tuple(sorted(shut)))


def _below(root: Path, closed: list[OSError]) -> Iterator[str]:
    for folder, folders, names in os.walk(root, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in (*names, *(name for name in folders if Path(folder, name).is_symlink())):
            if not name.startswith(".") and not name.endswith(SIDECAR):
                yield Path(folder, name).relative_to(root).as_posix()


def _unsupported(path: Path) -> str:
    """Why the file at ``path`` is not read; empty when it is."""
    if path.is_symlink():
        return "a link; links are not followed"
    if path.suffix.lower() not in SUFFIXES:
        return f"not supported; supported are {' '.join(SUFFIXES)}"
    try:
        found = path.stat()
    except OSError as error:
        return f"cannot be looked at: {error.strerror}"
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    return "" if found.st_size else "empty"


def refuse_other_roots(folder: Folder, known: Mapping[str, Source], paths: Sequence[str]) -> None:
    """Raise `WrongUsage` when an id is taken by a source from elsewhere."""
    for path in paths:
        taken = known.get(folder.source_id(path))
        if taken is None or (taken.metadata.get(ROOT), taken.metadata.get(PATH)) == (
            folder.root,
            path,
        ):
            continue
        origin = taken.metadata.get(ROOT, "elsewhere")
        raise WrongUsage(
            f"source {taken.id!r} is there already and came from {origin}; "
            "give --prefix NAME to keep the two folders apart"
        )


def described(
    folder: Folder, path: str, *, known: Source | None, loaded: Loaded, limits: Limits
) -> Source:
    """The catalogue entry of one file, from what is said of it and it says of itself. Blocks.

    What nothing says stays as ``known`` has it, what a person has set stays set, and a
    withdrawn source stays withdrawn. Raises `FileUnreadable`, `LimitExceeded`.
    """
    place = inside(Path(folder.root), path)
    base = known or _new(folder, path)
    said = said_in(loaded)
    changes: dict[str, Any] = said.model_dump(exclude_none=True)
    changes |= {
        "title": titled(loaded, fallback=place.stem),
        "language": said.language or language_in(loaded.text),
        "tags": said.tags or base.tags,
    }
    changes |= read_sidecar(place, limits=limits).said()
    changes = {name: value for name, value in changes.items() if name not in by_hand(base)}
    if base.status is SourceStatus.WITHDRAWN:
        changes.pop("status", None)
    changes |= {
        "ref": str(place),
        "readers": folder.readers,
        "metadata": {**base.metadata, ROOT: folder.root, PATH: path},
        "snapshot": None,
        "updated_at": None,
    }
    return Source.model_validate({**dict(base), **changes})


def digest(root: Path, ref: str, *, limits: Limits) -> str:
    """What tells whether the file at ``ref`` must be read anew; empty if it cannot be. Blocks."""
    try:
        path = inside(root, ref)
        data = read_bytes(path, limits=limits)
        beside = sidecar_of(path)
        said = read_bytes(beside, limits=limits) if beside.exists() else b""
    except (FileUnreadable, LimitExceeded):
        return ""
    own = hashlib.sha256(data).digest() + hashlib.sha256(said).digest()
    return hashlib.sha256(_READ_AS + own).hexdigest()


def _new(folder: Folder, path: str) -> Source:
    return Source(
        id=folder.source_id(path), tenant=folder.tenant, title=path, kind=Kind.DOCUMENT, ref=path
    )
