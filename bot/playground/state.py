"""The workspace's state: rows in memory, written through to disk.

A request changes rows without awaiting in between, then awaits ``save`` before
it answers: what was answered is on disk, and nobody sees half a change.
"""

import asyncio
import json
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .store import Row, open_store, read, write

Json = dict[str, Any]

_MICROSECONDS = 1_000_000


class State:
    """Rows by kind and key, in the order they were first put."""

    def __init__(self, folder: Path) -> None:
        self._engine = open_store(folder)
        # One thread: writes reach the disk in the order they were made.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="playground-store")
        self._tables: defaultdict[str, dict[str, Json]] = defaultdict(dict)
        self._positions: dict[tuple[str, str], int] = {}
        self._dirty: dict[tuple[str, str], None] = {}
        self._last = 0
        self.watchers: set[asyncio.Queue[Json]] = set()
        self._load()

    def _load(self) -> None:
        for kind, key, position, body in read(self._engine):
            self._tables[kind][key] = json.loads(body or "{}")
            self._positions[kind, key] = position
            self._last = max(self._last, position)

    def rows(self, kind: str) -> dict[str, Json]:
        """The live rows of a kind: do not change the mapping."""
        return self._tables[kind]

    def get(self, kind: str, key: str) -> Json | None:
        return self._tables[kind].get(key)

    def put(self, kind: str, key: str, row: Json) -> Json:
        if (kind, key) not in self._positions:
            self._last += 1
            self._positions[kind, key] = self._last
        self._tables[kind][key] = row
        self._dirty[kind, key] = None
        self.tell({"kind": kind, "key": key})
        return row

    def drop(self, kind: str, key: str) -> None:
        if self._tables[kind].pop(key, None) is not None:
            self._dirty[kind, key] = None
            self.tell({"kind": kind, "key": key})

    def tell(self, notice: Json) -> None:
        """Gives every watcher of the feed a notice."""
        for queue in self.watchers:
            queue.put_nowait(notice)

    def _batch(self) -> list[Row]:
        changed, self._dirty = self._dirty, {}
        batch: list[Row] = []
        for kind, key in changed:
            row = self._tables[kind].get(key)
            position = self._positions[kind, key]
            body = None if row is None else json.dumps(row, ensure_ascii=False)
            if row is None:
                del self._positions[kind, key]
            batch.append((kind, key, position, body))
        return batch

    async def save(self) -> None:
        """Waits until every change made so far is on disk."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, write, self._engine, self._batch())

    async def close(self) -> None:
        await self.save()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._engine.dispose)
        self._thread.shutdown(wait=False)

    def number(self, name: str) -> int:
        """The next number of a named, persistent count, from 1."""
        row = self.get("count", name) or {"value": 0}
        return int(self.put("count", name, {"value": row["value"] + 1})["value"])

    def next_ts(self) -> str:
        """A Slack time stamp, later than every one before: "1234567890.123456"."""
        row = self.get("count", "ts") or {"value": 0}
        now = max(int(time.time() * _MICROSECONDS), row["value"] + 1)
        self.put("count", "ts", {"value": now})
        return f"{now // _MICROSECONDS}.{now % _MICROSECONDS:06d}"
