"""What must not be lost while the database is away: lines in files of our own, on the disk at once.

A line is a checksum and a text. Each process appends to segments of its own, which it
holds locked; whoever can lock a segment may read and remove it, so what a killed process
left behind is found by the next one that looks.
"""

import fcntl
import hashlib
import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from rag.errors import StoreUnavailable

log = logging.getLogger(__name__)

MAX_BYTES = 64 * 1024 * 1024  # some 50,000 questions
_SUFFIX = ".spool"
_HASH = 16


SPOOL = "spool"
"""The folder's name in the data folder."""


def spooled_bytes(folder: Path) -> int:
    """How much is laid by, whoever did; what is removed meanwhile does not count. Blocks."""
    if not folder.is_dir():
        return 0
    with os.scandir(folder) as entries:
        return sum(_size(entry) for entry in entries if entry.name.endswith(_SUFFIX))


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat().st_size
    except FileNotFoundError:
        return 0


@dataclass(frozen=True, kw_only=True)
class Segment:
    """One file, locked by us through ``held`` until it is removed."""

    path: Path
    held: FileIO

    def texts(self) -> Iterator[str]:
        """Every text in the order it was appended. Blocks.

        A last line that was cut off was never promised to anybody; a damaged one
        before it is logged as an error.
        """
        with self.path.open("rb") as lines:
            for line in lines:
                text = _checked(line)
                if text is not None:
                    yield text
                elif line.endswith(b"\n") and line != b"\n":
                    log.error("a line of %s is damaged", self.path.name)

    def remove(self) -> None:
        """Delete the file, so that no text stays behind. Blocks."""
        self.path.unlink(missing_ok=True)
        self.release()
        _sync(self.path.parent)

    def release(self) -> None:
        """Leave the file to whoever looks next."""
        self.held.close()


class Spool:
    """Appends texts durably and hands them out by whole segments, oldest first.

    Safe to use from several threads. ``max_bytes`` bounds the whole folder.
    """

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._current: Segment | None = None
        self._handed_out: Segment | None = None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def append(self, texts: Sequence[str]) -> None:
        """Return once all of them are on the disk. Raises `StoreUnavailable`. Blocks."""
        lines = b"".join(_line(text) for text in texts)
        with self._lock:
            try:
                self._check_room(len(lines))
                self._current = self._current or self._begin()
                _write(self._current.held, lines)
            except OSError as error:
                self._forget_nothing()
                raise StoreUnavailable(f"the spool: {error.strerror}") from error

    def _forget_nothing(self) -> None:
        """A segment that holds nothing must not look as if something waited in it."""
        if self._current is not None and os.fstat(self._current.held.fileno()).st_size == 0:
            self._current.remove()
            self._current = None

    @property
    def holds(self) -> bool:
        """Whether anything is known to lie here that was not removed."""
        return self._current is not None or self._handed_out is not None

    def close(self) -> None:
        """Let go of what we hold; whoever looks next finds it."""
        with self._lock:
            for segment in (self._current, self._handed_out):
                if segment is not None:
                    segment.release()
            self._current = self._handed_out = None

    def sealed(self) -> Segment | None:
        """The oldest segment that nobody appends to any more, the same until `remove`. Blocks.

        Ours comes after those that others left behind.
        """
        with self._lock:
            if self._handed_out is None:
                self._handed_out = next(self._left_behind(), None)
            if self._handed_out is None:
                self._handed_out, self._current = self._current, None
            return self._handed_out

    def remove(self) -> None:
        """Delete the segment that was handed out, so that no text stays behind. Blocks."""
        with self._lock:
            if self._handed_out is not None:
                self._handed_out.remove()
                self._handed_out = None

    def _check_room(self, more: int) -> None:
        used = sum(path.stat().st_size for path in self._folder.glob(f"*{_SUFFIX}"))
        if used + more > self._max_bytes:
            raise StoreUnavailable("the spool is full")

    def _begin(self) -> Segment:
        while True:
            path = self._folder / f"{time.time_ns():020}-{os.getpid()}{_SUFFIX}"
            held = FileIO(path, "xb", opener=_create)
            fcntl.flock(held, fcntl.LOCK_EX)
            if os.fstat(held.fileno()).st_nlink:
                _sync(self._folder)
                return Segment(path=path, held=held)
            held.close()  # somebody looked before it was locked, and took it for left behind

    def _left_behind(self) -> Iterator[Segment]:
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            held = _lock(path)
            if held is not None:
                yield Segment(path=path, held=held)


def _line(text: str) -> bytes:
    """The newline comes first too: a line that was cut off must not swallow the next one."""
    content = text.encode()
    if b"\n" in content:
        raise ValueError("a text of the spool is one line")
    return b"\n" + _hash(content) + b" " + content + b"\n"


def _hash(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:_HASH].encode()


def _checked(line: bytes) -> str | None:
    given, _, content = line.rstrip(b"\n").partition(b" ")
    return content.decode() if line.endswith(b"\n") and given == _hash(content) else None


def _create(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_APPEND, 0o600)


def _write(file: FileIO, lines: bytes) -> None:
    """All of it or, as far as the disk lets us, nothing."""
    size = os.fstat(file.fileno()).st_size
    try:
        written = 0
        while written < len(lines):
            written += file.write(lines[written:])
        os.fsync(file.fileno())
    except OSError:
        file.truncate(size)
        raise


def _lock(path: Path) -> FileIO | None:
    """The file, held locked; None when somebody else has it or removed it."""
    try:
        held = FileIO(path, "rb")
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        held.close()
        return None
    if os.fstat(held.fileno()).st_nlink == 0:
        held.close()
        return None
    return held


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
