"""A data folder, and `footnote` run on it as a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 90.0
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
        plain = {key: value for key, value in os.environ.items() if not key.startswith(_UNSET)}
        return subprocess.Popen(
            [sys.executable, "-m", "bot", *words],
            cwd=self.folder,
            env=plain | {"FOOTNOTE_DATA": str(self.data), "COLUMNS": "200"} | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, **more: str) -> Ended:
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=PATIENCE)
        return Ended(process.returncode, out, err)
