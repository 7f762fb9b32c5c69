"""A data folder, and `footnote` run on it as a process of its own."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PATIENCE = 90.0
_ROOT = Path(__file__).parents[3]
_UNSET = ("FOOTNOTE_", "DATABASE_", "REDIS_", "SLACK_")


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def whole(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        return dict(json.loads(self.out))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The one JSON array on standard output."""
        return list(json.loads(self.out))

    def refuses(self, *words: str) -> bool:
        """Whether it is wrong usage, said in words, with nothing on standard output."""
        told = self.code == 2 and all(word in self.err for word in words)
        return told and not self.out and "Traceback" not in self.err


@dataclass(frozen=True)
class Desk:
    """Where the commands are typed: the data folder, and the folder they start in."""

    data: Path
    folder: Path

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "bot", *words],
            cwd=self.folder,
            env=self._environment() | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, **more: str) -> Ended:
        with tempfile.TemporaryDirectory() as written:
            out, err = Path(written, "out"), Path(written, "err")
            command = {
                "words": words,
                "environment": self._environment() | more,
                "folder": str(self.folder),
                "out": str(out),
                "err": str(err),
            }
            code = _forked(json.dumps(command))
            return Ended(code, out.read_text("utf-8"), err.read_text("utf-8"))

    def _environment(self) -> dict[str, str]:
        plain = {key: value for key, value in os.environ.items() if not key.startswith(_UNSET)}
        return plain | {"FOOTNOTE_DATA": str(self.data), "COLUMNS": "200"}


@cache
def _forker() -> "subprocess.Popen[str]":
    """What forks every command that this process runs; it ends with this process."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bot.cli.forked"],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _forked(command: str) -> int:
    """The exit status of a command. Raises TimeoutError, and ends it, where it takes too long."""
    forker = _forker()
    assert forker.stdin
    assert forker.stdout
    print(command, file=forker.stdin, flush=True)
    if not select.select([forker.stdout], [], [], PATIENCE)[0]:
        os.killpg(forker.pid, signal.SIGKILL)
        _forker.cache_clear()
        raise TimeoutError(command)
    return int(forker.stdout.readline())
