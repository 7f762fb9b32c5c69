"""What processes did, in a file that survives them: reader calls and saved stages."""

import json
import os
import time
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """What a process did for a stage of a task, ``at`` in seconds of the machine's one clock.

    ``what`` is ``call`` (the reader was asked), ``received`` (a model's reply is there),
    ``kept`` (the reply is committed) or ``saved`` (a checkpoint is committed).
    """

    what: str
    task: str
    stage: str
    at: float = 0.0


class Diary:
    """Appends entries, each on the disk before the next thing happens."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "diary"

    def add(self, what: str, task: str, stage: str) -> None:
        """Write one entry and wait until it is on the disk."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, f"{json.dumps([what, task, stage])}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def note(self, what: str, stage: str) -> None:
        """As `add` for the one task there is, at once: it outlives the process alone."""
        line = f"{json.dumps([what, '', stage, time.monotonic()])}\n"
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)

    def read(self) -> list[Entry]:
        """Every entry so far, in order."""
        if not self._path.exists():
            return []
        return [Entry(*json.loads(line)) for line in self._path.read_text("utf-8").splitlines()]

    def clear(self) -> None:
        """Begin anew."""
        self._path.unlink(missing_ok=True)


def repeated(entries: list[Entry]) -> list[Entry]:
    """Reader calls made for a stage that was saved before: each one was paid for twice."""
    saved: set[tuple[str, str]] = set()
    found = []
    for entry in entries:
        key = (entry.task, entry.stage)
        if entry.what == "saved":
            saved.add(key)
        elif key in saved:
            found.append(entry)
    return found
