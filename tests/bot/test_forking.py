"""A parent that keeps its forked workers alive: real processes that are really killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_PROGRAM = """
import os, sys, time
from bot.work.forking import keep
from bot.processes import end_with_parent

folder, processes, status = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
forked = keep(processes, held=sys.stdin.fileno())
end_with_parent(forked.lifeline)
open(f"{folder}/{forked.place}.{os.getpid()}", "w").close()
time.sleep(0 if status else 600)
sys.exit(status)
"""
_SECONDS = 20.0


@contextmanager
def _parent(
    folder: Path, *, processes: int = 1, status: int = 0
) -> Iterator[subprocess.Popen[bytes]]:
    words = (str(folder), str(processes), str(status))
    with subprocess.Popen(
        (sys.executable, "-c", _PROGRAM, *words), stdin=subprocess.PIPE
    ) as parent:
        try:
            yield parent
        finally:
            parent.kill()


def _begun(folder: Path) -> dict[int, int]:
    """The place of each process that ever began."""
    pairs = (path.name.split(".") for path in folder.iterdir())
    return {int(process): int(place) for place, process in pairs}


def _until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + _SECONDS
    while not true():
        assert time.monotonic() < until
        time.sleep(0.02)


def _gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()[0] == "Z"


def test_a_worker_that_is_killed_is_followed_by_another_in_its_place(tmp_path: Path) -> None:
    with _parent(tmp_path, processes=2):
        _until(lambda: len(_begun(tmp_path)) == 2)
        first = _begun(tmp_path)
        killed = next(process for process, place in first.items() if place == 1)
        os.kill(killed, signal.SIGKILL)
        _until(lambda: len(_begun(tmp_path)) == 3)
        (again,) = _begun(tmp_path).keys() - first.keys()
        assert _begun(tmp_path)[again] == 1
        assert sorted(first.values()) == [0, 1]


def test_a_parent_told_to_stop_ends_its_workers_first(tmp_path: Path) -> None:
    with _parent(tmp_path, processes=2) as parent:
        _until(lambda: len(_begun(tmp_path)) == 2)
        parent.send_signal(signal.SIGTERM)
        assert parent.wait(_SECONDS) == 0
        assert all(_gone(process) for process in _begun(tmp_path))
        assert len(_begun(tmp_path)) == 2


def test_a_parent_ends_with_the_pipe_it_was_given(tmp_path: Path) -> None:
    with _parent(tmp_path) as parent:
        _until(lambda: len(_begun(tmp_path)) == 1)
        assert parent.stdin is not None
        parent.stdin.close()
        assert parent.wait(_SECONDS) == 0
        assert all(_gone(process) for process in _begun(tmp_path))


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    with _parent(tmp_path, processes=2) as parent:
        _until(lambda: len(_begun(tmp_path)) == 2)
        parent.kill()
        parent.wait()
        _until(lambda: all(_gone(process) for process in _begun(tmp_path)))


def test_a_worker_that_cannot_begin_ends_its_parent_with_the_same_status(tmp_path: Path) -> None:
    with _parent(tmp_path, status=3) as parent:
        assert parent.wait(_SECONDS) == 3
        assert len(_begun(tmp_path)) == 1
