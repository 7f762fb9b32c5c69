"""The built wheel is whole: installed elsewhere, it runs one full task."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", str(folder), str(wheel)], check=True, cwd=folder)
    return folder


def _run(installed: Path, data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, *words],
        env={**kept, "PYTHONPATH": str(installed), "FOOTNOTE_DATA": str(data)},
        cwd=data,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_it_holds_the_files_that_are_not_python(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "bot/storage/migrations/env.py",
        "bot/playground/page/index.html",
        "bot/playground/workspace.json",
        "bot/demo/company.json",
    ):
        assert wanted in names
    assert any(name.startswith("bot/storage/migrations/versions/0001") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


def test_a_full_task_runs_from_it_with_redis_and_sql(installed: Path, tmp_path: Path) -> None:
    where = _run(installed, tmp_path, "-c", "import bot; print(bot.__file__)")
    assert where.stdout.startswith(str(installed)), where.stderr
    assert _run(installed, tmp_path, "-m", "bot", "demo", "--seed-only").returncode == 0
    asked = _run(
        installed,
        tmp_path,
        *("-m", "bot", "ask", "借用示例设备要登记什么？", "--sources", "handbook"),
        *("--tenant", "demo", "--as", "alice", "--json"),
    )
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)["answer"]
    assert answer["status"] == "answered"
    assert "设备编号" in answer["claims"][0]["citations"][0]["quote"]
