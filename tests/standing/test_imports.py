"""Importing does nothing: no socket, no file, no output, no environment change."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROBE = """
import builtins, importlib, os, socket, sys, threading

def refuse(*args, **kwargs):
    raise AssertionError("an import opened a socket")

before = dict(os.environ)
socket.socket.connect = refuse
socket.socket.bind = refuse
opened = []
sys.addaudithook(
    lambda name, args: opened.append(args[0])
    if name == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
    and not str(args[0]).endswith(".pyc") and "__pycache__" not in str(args[0]) else None
)
for name in sys.argv[1:]:
    importlib.import_module(name)
assert dict(os.environ) == before, "an import changed the environment"
assert not opened, f"an import wrote files: {opened}"
assert threading.active_count() == 1, "an import started a thread"
"""


def _modules(package: str) -> list[str]:
    found = [
        module.name
        for module in pkgutil.walk_packages([str(ROOT / package)], prefix=f"{package}.")
        if "migrations" not in module.name
    ]
    return [package, *found]


@pytest.mark.parametrize("package", ["rag", "handlers", "bot"])
def test_importing_every_module_is_silent(package: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *_modules(package)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
