"""The files that sources are read from: each is read again only where it may have changed."""

import asyncio
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from bot.loaders.files import FileUnreadable, inside, read_bytes
from bot.loaders.loaded import Loaded
from bot.loaders.registry import PLAIN
from bot.sources.folders import PATH, ROOT, Original, digest
from rag.values import Kind, Limits, Source

_SETTLED_NS = 2_000_000_000


class Files(Protocol):
    """Makes text of the file of a source. Raises `FileUnreadable`, `LimitExceeded`."""

    async def load(self, data: bytes, *, name: str, tenant: str, source_id: str) -> Loaded: ...


class Origins(Protocol):
    """From which bytes the newest version of a source was made."""

    async def original(self, *, tenant: str, source_id: str) -> str | None: ...

    async def made(self, found: Sequence[Original], *, tenant: str) -> None: ...


class Originals:
    """Reads the files of sources. What this process or the record knows of is not read again."""

    def __init__(self, files: Files, origins: Origins, *, limits: Limits) -> None:
        self._files = files
        self._origins = origins
        self._limits = limits
        self._seen: dict[tuple[str, str], tuple[_Mark, str]] = {}

    async def read(self, source: Source) -> Loaded | None:
        """What the file says now; None where that is known to be the recorded version.

        Raises `FileUnreadable`, `LimitExceeded`.
        """
        found = await asyncio.to_thread(self._changed, source)
        if found is None:
            return None
        path, mark, data = found
        seen = "" if path.suffix.lower() in PLAIN else await asyncio.to_thread(self._digest, source)
        named = {"tenant": source.tenant, "source_id": source.id}
        if source.snapshot and seen and seen == await self._origins.original(**named):
            await self._remember(source, path, mark, source.snapshot)
            return None
        loaded = await self._files.load(data, name=path.name, **named)
        sha = name_of(loaded.text)
        if seen and PATH not in source.metadata:  # of a folder's files, its import notes it
            made = Original(source_id=source.id, digest=seen, snapshot=sha)
            await self._origins.made([made], tenant=source.tenant)
        await self._remember(source, path, mark, sha)
        return loaded

    async def again(self, source: Source) -> Loaded:
        """What the file says now, whatever is known of it; nothing of it is noted.

        Raises `FileUnreadable`, `LimitExceeded`.
        """
        path = await asyncio.to_thread(_path, source)
        data = await asyncio.to_thread(read_bytes, path, limits=self._limits)
        return await self._files.load(
            data, name=path.name, tenant=source.tenant, source_id=source.id
        )

    def _changed(self, source: Source) -> tuple[Path, "_Mark | None", bytes] | None:
        """The source's file with its mark and content, unless it is as it was. Blocks."""
        path = _path(source)
        key, mark = (source.tenant, source.id), _mark(path)
        if source.snapshot and mark and self._seen.get(key) == (mark, source.snapshot):
            return None
        return path, mark, read_bytes(path, limits=self._limits)

    def _digest(self, source: Source) -> str:
        """What tells, in any process, that a file which has to be parsed is as it was. Blocks."""
        root = source.metadata.get(ROOT, "/")
        return digest(Path(str(root)), source.ref, limits=self._limits)

    async def _remember(
        self, source: Source, path: Path, mark: "_Mark | None", snapshot: str
    ) -> None:
        """That the file bore this mark before and after it was read as ``snapshot``."""
        if mark and mark == await asyncio.to_thread(_mark, path):
            self._seen[source.tenant, source.id] = (mark, snapshot)


def _path(source: Source) -> Path:
    root = source.metadata.get(ROOT)
    return inside(Path(root), source.ref) if isinstance(root, str) else Path(source.ref)


_Mark = tuple[str, int, int, int]


def _mark(path: Path) -> _Mark | None:
    """What tells an unchanged file: path, inode, size and instant of its last change.

    None for a file changed so lately that a further change could bear the same instant.
    """
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    if time.time_ns() - found.st_ctime_ns < _SETTLED_NS:
        return None
    return str(path), found.st_ino, found.st_size, found.st_ctime_ns


def lost(path: Path) -> bool:
    """Whether nothing is at the path any more; a file that is there but shut is not lost."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def at_hand(source: Source) -> bool:
    """Whether a source is read from a file, and that lies here. Blocks."""
    if source.kind is not Kind.DOCUMENT:
        return False
    try:
        return _path(source).is_file()
    except (FileUnreadable, OSError, ValueError):
        return False


def name_of(text: str) -> str:
    """The name of a snapshot of that text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
