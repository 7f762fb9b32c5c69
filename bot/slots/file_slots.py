"""Slots of the workers on one machine: exclusive locks on files.

The operating system gives a lock back when its holder dies, however it dies. The
folder's own random name is part of every slot's name, so that hosts with folders of
their own never share one.
"""

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ProcessFailed
from bot.slots.leased import MOST


@dataclass(frozen=True)
class FileLease:
    """A `Lease` that lasts as long as its process."""

    name: str

    def held(self) -> bool:
        """True: only the end of the process gives the lock away."""
        return True


class FileSlots:
    """`Slots` in ``folder``, which is made when the first worker comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def leased(self) -> Iterator[FileLease]:
        """The first free slot, ours for the length of the block."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, MOST + 1):
            path = self._folder / f"slot-{number}.lock"
            with _locked(path) as held:
                if held:
                    yield FileLease(_name(path))
                    return
        raise ProcessFailed(f"all {MOST} worker slots in {self._folder} are taken")

    @contextmanager
    def abandoned(self, names: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """Those of ``names`` that nobody holds; names of other folders are never among them."""
        wanted = set(names)
        paths = {_name(path): path for path in sorted(self._folder.glob("slot-*.lock"))}
        with ExitStack() as stack:
            yield tuple(
                name
                for name, path in paths.items()
                if name in wanted and stack.enter_context(_locked(path))
            )

    def alive(self) -> tuple[str, ...]:
        """The slots that somebody holds."""
        return tuple(_name(path) for path in self._folder.glob("slot-*.lock") if _is_held(path))


def _is_held(path: Path) -> bool:
    with _locked(path) as free:
        return not free


def _folder_name(folder: Path) -> str:
    """The folder's random name, made once."""
    path = folder / "name"
    with contextlib.suppress(FileExistsError):
        fresh = path.with_name(f"name.{secrets.token_hex(4)}")
        fresh.write_text(secrets.token_hex(4), "ascii")
        try:
            os.link(fresh, path)  # appears whole or not at all, and only the first one
        finally:
            fresh.unlink()
    return path.read_text("ascii")


def _name(path: Path) -> str:
    return f"{_folder_name(path.parent)}.{path.stem}"


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Hold the lock for the length of the block; False when somebody else has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)
