"""A worker's name is a leased slot: two live workers never share one, a dead one's is free.

The lease is an exclusive lock on a file, which the operating system gives back
when its holder dies, however it dies. The folder's own random name is part of every
slot's name, so that hosts with folders of their own never share one either.
"""

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import ProcessFailed

_MOST = 64


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


@contextmanager
def leased(folder: Path) -> Iterator[str]:
    """The name of the first free slot, ours for the length of the block.

    Raises ProcessFailed when all are taken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, _MOST + 1):
        path = folder / f"slot-{number}.lock"
        with _locked(path) as held:
            if held:
                yield _name(path)
                return
    raise ProcessFailed(f"all {_MOST} worker slots in {folder} are taken")


@contextmanager
def abandoned(folder: Path, *, own: str) -> Iterator[tuple[str, ...]]:
    """The slots whose worker is gone, kept from being taken for the length of the block."""
    others = [path for path in sorted(folder.glob("slot-*.lock")) if _name(path) != own]
    with _all_free(others) as free:
        yield tuple(_name(path) for path in free)


def alive(folder: Path) -> int:
    """How many slots of this folder somebody holds."""
    return sum(1 for path in folder.glob("slot-*.lock") if _is_held(path))


def _is_held(path: Path) -> bool:
    with _locked(path) as held:
        return not held


@contextmanager
def _all_free(paths: list[Path]) -> Iterator[list[Path]]:
    if not paths:
        yield []
        return
    with _locked(paths[0]) as held, _all_free(paths[1:]) as rest:
        yield ([paths[0]] if held else []) + rest
