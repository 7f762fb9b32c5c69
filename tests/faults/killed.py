"""`footnote ask` and `footnote resume` as processes that are killed, and the record they leave."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]

QUESTION = "借用示例设备要登记什么？借用超过七天怎么办？"
STOPS = {"indexed": "index", "retrieved": "retrieve", "selected": "select", "report": "report"}
EVERY_ENTRY = {"authorize", "publish"}
"""Stages that check rights and therefore run again on every entry."""
PATIENCE = 60.0


@dataclass(frozen=True)
class Ended:
    """How a command ended, and the one JSON object it printed."""

    code: int
    out: str
    err: str

    @property
    def whole(self) -> Json:
        return dict(json.loads(self.out))

    @property
    def status(self) -> str:
        return str(self.whole["answer"]["status"])

    @property
    def reason(self) -> str:
        return str(self.whole["trace"]["reason"])

    def shows_nothing(self) -> bool:
        """Whether no claim, no conflict and no evidence text went out."""
        whole = self.whole
        return not (whole["answer"]["claims"] or whole["answer"]["conflicts"] or whole["evidence"])

    def told(self) -> Json:
        """What must be the same however often the task was interrupted."""
        whole = self.whole
        return {key: whole[key] for key in ("question", "plan", "selection", "evidence", "answer")}


@dataclass(frozen=True)
class Desk:
    """A data folder and the commands run on it."""

    data: Path

    @property
    def home(self) -> Path:
        return self.data / "footnote"

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        unset = ("FOOTNOTE_", "DATABASE_", "REDIS_", "SLACK_")
        plain = {key: value for key, value in os.environ.items() if not key.startswith(unset)}
        return subprocess.Popen(
            [sys.executable, "-m", "bot", *words],
            env=plain | {"FOOTNOTE_DATA": str(self.data)} | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, **more: str) -> Ended:
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=PATIENCE)
        return Ended(process.returncode, out, err)

    def asking(self, task: str, question: str = QUESTION, asker: str = "alice") -> tuple[str, ...]:
        return ("ask", question, "--tenant", "demo", "--as", asker, "--task", task, "--json")

    def resume(self, task: str, **more: str) -> Ended:
        return self.run("resume", task, "--json", **more)

    def saved(self, task: str) -> dict[str, tuple[str, str]]:
        """Each finished stage with when it was saved and its document's hash."""
        query = "SELECT stage, saved_at, sha256 FROM checkpoints WHERE task = ?"
        with closing(self._record()) as record:
            return {stage: (at, sha) for stage, at, sha in record.execute(query, (task,))}

    def change(self, statement: str, *values: object) -> None:
        """Write to the record behind the program's back; exactly one row must change."""
        with closing(self._record()) as record, record:
            record.execute("PRAGMA foreign_keys = ON")
            assert record.execute(statement, values).rowcount == 1

    def one(self, query: str, *values: object) -> Any:
        with closing(self._record()) as record:
            return record.execute(query, values).fetchone()[0]

    def kill_once_saved(self, task: str, stage: str) -> None:
        """Ask, and kill the process the moment that stage's checkpoint is in the record."""
        process = self.start(*self.asking(task))
        query = "SELECT 1 FROM checkpoints WHERE task = ? AND stage = ?"
        deadline = time.monotonic() + PATIENCE
        with closing(self._record()) as record:
            while record.execute(query, (task, stage)).fetchone() is None:
                assert time.monotonic() < deadline, f"{stage} was never saved"
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)

    def _record(self) -> sqlite3.Connection:
        return sqlite3.connect(self.home / "footnote.db", timeout=10)
