"""The tests' own PostgreSQL server never outlives whoever started it."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.postgres import Server, libpq


def _answers(url: str) -> bool:
    try:
        Server(url).execute("SELECT 1")
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture
def place() -> Iterator[Path]:
    """A temporary folder that any user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="place-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_a_server_ends_with_a_process_that_was_killed(place: Path) -> None:
    command = [sys.executable, "-m", "tests.postgres"]
    here = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert _answers(url), libpq(url)
        process.kill()
    end = time.monotonic() + 20
    while _answers(url) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _answers(url)
