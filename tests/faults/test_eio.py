"""A disk that fails at some call: nothing corrupt, a visible failure, and a resume answers."""

import json
import subprocess
import sys

import pytest

from tests.faults.eio import UNSUPPORTED, Json
from tests.faults.killed import Desk

RUNS = "9"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    data, folder = tmp_path_factory.mktemp("company"), tmp_path_factory.mktemp("runs")
    done = Desk(data).run("demo", "--seed-only")
    assert done.code == 0, done.err
    words = [sys.executable, "-m", "tests.faults.eio", str(data), str(folder), RUNS]
    found = subprocess.run(words, stdout=subprocess.PIPE, text=True, timeout=300, check=False)
    if found.returncode == UNSUPPORTED:
        pytest.skip("NO DISK FAULTS WERE TRIED: this kernel lets nobody fail single calls")
    assert found.returncode == 0
    return [json.loads(line) for line in found.stdout.splitlines()]


def test_calls_were_failed_and_seen(runs: list[Json]) -> None:
    whole, *failed = runs
    assert whole["first"]["end"] == "answered"
    assert whole["first"]["calls"] > 50
    assert len(failed) == int(RUNS)
    assert any(run["first"]["end"] == "StoreUnavailable" for run in failed)


def test_a_failure_is_ours_to_tell_and_shows_nothing(runs: list[Json]) -> None:
    for run in runs[1:]:
        first = run["first"]
        assert first["end"] in {"answered", "StoreUnavailable"}, run
        assert first["shown"] == (1 if first["end"] == "answered" else 0), run


def test_nothing_is_corrupt_and_a_sound_disk_answers(runs: list[Json]) -> None:
    for run in runs:
        assert run["integrity"] == "ok", run
        assert run["second"]["end"] == "answered", run
        assert run["second"]["quotes"] == runs[0]["first"]["quotes"], run
