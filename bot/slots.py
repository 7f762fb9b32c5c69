"""A worker's name is a leased slot: two live workers never share one, a dead one's is free.

The lease is an exclusive lock on a file, which the operating system gives back
when its holder dies, however it dies.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import ProcessFailed

_MOST = 64


def _name(number: int) -> str:
    return f"slot-{number}"


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
        with _locked(folder / f"{_name(number)}.lock") as held:
            if held:
                yield _name(number)
                return
    raise ProcessFailed(f"all {_MOST} worker slots in {folder} are taken")


@contextmanager
def abandoned(folder: Path, *, own: str) -> Iterator[tuple[str, ...]]:
    """The slots whose worker is gone, kept from being taken for the length of the block."""
    others = [path for path in sorted(folder.glob("slot-*.lock")) if path.stem != own]
    with _all_free(others) as free:
        yield tuple(path.stem for path in free)


@contextmanager
def _all_free(paths: list[Path]) -> Iterator[list[Path]]:
    if not paths:
        yield []
        return
    with _locked(paths[0]) as held, _all_free(paths[1:]) as rest:
        yield ([paths[0]] if held else []) + rest
