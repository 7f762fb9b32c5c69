"""Work that one process at a time does, wherever the turn is kept."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.turns import FileTurns, SessionTurns, Turns

PATIENCE = 30.0
Open = Callable[[], Turns]

HOLDER = """
import sys
from pathlib import Path
from bot.turns import FileTurns, SessionTurns

where = sys.argv[1]
turns = SessionTurns(where) if "://" in where else FileTurns(Path(where))
with turns.taken("work") as ours:
    print(ours, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["files", "sessions"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder, or the address of a database."""
    if request.param == "files":
        return str(tmp_path / "turns")
    url: str = request.getfixturevalue("migrated_postgres_url")
    return url


def opened(where: str) -> Turns:
    return SessionTurns(where) if "://" in where else FileTurns(Path(where))


def test_one_has_a_turn_and_gives_it_back(where: str) -> None:
    one, other = opened(where), opened(where)
    with one.taken("work") as ours:
        assert ours
        with other.taken("work") as theirs, other.taken("other work") as free:
            assert (theirs, free) == (False, True)
    with other.taken("work") as theirs:
        assert theirs


def test_a_killed_process_leaves_no_turn_behind(where: str) -> None:
    command = [sys.executable, "-c", HOLDER, where]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "True"
        with opened(where).taken("work") as ours:
            assert not ours
        os.kill(holder.pid, signal.SIGKILL)
    assert _comes_free(opened(where))


def _comes_free(turns: Turns) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with turns.taken("work") as ours:
            if ours:
                return True
        time.sleep(0.1)
    return False
