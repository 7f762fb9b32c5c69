"""Two versions of the program side by side: where the old one is, and how each is run."""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MIGRATIONS = "bot/storage/migrations/versions"
HERE = Path(__file__).parents[2]
_UNSET = ("FOOTNOTE_", "SLACK_", "DATABASE_", "REDIS_", "PORT", "PYTHONPATH")
_STOP_SECONDS = 60.0


class NoHistory(Exception):
    """There is no older version to be found here."""


def _git(*words: str) -> str:
    program = shutil.which("git")
    if program is None:
        raise NoHistory("git is not installed")
    command = [program, "-C", str(HERE), *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise NoHistory(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout


def _numbers(ref: str) -> list[str]:
    """The numbers of the migrations at ``ref``."""
    names = _git("ls-tree", "--name-only", ref, f"{MIGRATIONS}/").split()
    return sorted(Path(name).name[:4] for name in names if Path(name).name[:4].isdigit())


def before_the_newest_migration() -> str:
    """The last commit whose schema is older than this one's, and sound. Raises `NoHistory`."""
    now = _numbers("HEAD")
    for commit in _git("log", "--format=%H", "--", MIGRATIONS).split():
        try:
            then = _numbers(f"{commit}^")
        except NoHistory:
            continue
        if then and len(set(then)) == len(then) < len(now):
            return _git("rev-parse", f"{commit}^").strip()
    raise NoHistory("no earlier commit has an older schema; is this a shallow clone?")


def taken_out(ref: str, folder: Path) -> Path:
    """The program as it was at ``ref``, put into ``folder``. Raises `NoHistory`."""
    packed = folder.with_suffix(".tar")
    _git("archive", "--format=tar", f"--output={packed.absolute()}", ref)
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    packed.unlink()
    return folder


class Version:
    """One version of the program and its processes."""

    def __init__(self, name: str, tree: Path, environment: Mapping[str, str], folder: Path) -> None:
        self.name = name
        self._tree = tree
        self._folder = folder
        plain = {k: v for k, v in os.environ.items() if not k.startswith(_UNSET)}
        self._environment = plain | dict(environment) | {"PYTHONPATH": str(tree)}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._said: dict[str, int] = {}

    def run(self, *words: str) -> None:
        """Run a command to its end. Raises CalledProcessError."""
        subprocess.run(self._command(words), check=True, **self._how(words[0]))

    def start(self, word: str) -> None:
        """Start a process that stays."""
        self._said[word] = len(self.log(word))
        self._processes[word] = subprocess.Popen(self._command((word,)), **self._how(word))

    def says(self, word: str, what: str) -> bool:
        """Whether the process that was started last has logged that."""
        return what in self.log(word)[self._said[word] :]

    def stop(self, word: str) -> int:
        """Ask a process to end; its exit code."""
        process = self._processes.pop(word)
        process.terminate()
        return process.wait(_STOP_SECONDS)

    def kill(self, word: str) -> None:
        """Let a process die."""
        process = self._processes.pop(word)
        process.kill()
        process.wait(_STOP_SECONDS)

    def bears_newer_schemas(self) -> bool:
        """Whether this version starts on a schema that a newer one has added to."""
        return "def does(" in (self._tree / "bot/storage/migrate.py").read_text("utf-8")

    def end(self) -> None:
        """Leave nothing behind."""
        for word in list(self._processes):
            self.stop(word)

    def log(self, word: str) -> str:
        """What the process said."""
        path = self._folder / f"{self.name}.{word}.log"
        return path.read_text("utf-8", "replace") if path.exists() else ""

    def _command(self, words: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "bot", *words]

    def _how(self, word: str) -> dict[str, Any]:
        log = (self._folder / f"{self.name}.{word}.log").open("ab")
        how: dict[str, Any] = {"stdout": log, "stderr": log, "stdin": subprocess.DEVNULL}
        return how | {"cwd": self._folder, "env": self._environment}
