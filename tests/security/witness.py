"""Looks at everything that leaves the pipeline, and says where a canary stood before wrong eyes."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from bot import logs
from bot.playground import Running
from rag.values import Request
from tests.security.canaries import canaries_in, plain_canaries_in
from tests.security.rights import Rights

Json = dict[str, Any]

_TO_CHANNEL = frozenset({"chat.postMessage", "chat.update", "chat.delete"})
_PASSED_OVER = ("footnote/footnote.db", "footnote/index/", "data-gym-cache/")
"""The record and its search index hold everything, a tokeniser's vocabulary nothing of ours."""


@dataclass
class Witness:
    """``violations`` has a line each; ``seen`` counts canaries by where they were looked for.

    ``changed``: what changed last in the rights, and when, in seconds of the clock.
    """

    running: Running
    rights: Rights
    requests: dict[str, Request] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    looked: Counter[str] = field(default_factory=Counter)
    changed: tuple[str, float] = ("nothing", 0.0)
    _last: dict[str, int] = field(default_factory=dict)
    _known: set[tuple[str, int]] = field(default_factory=set)

    def judge(
        self,
        where: str,
        text: str,
        *,
        readers: Sequence[str] | frozenset[str],
        find: Callable[[str], frozenset[str]] = canaries_in,
        at: float | None = None,
    ) -> None:
        """Note each canary in ``text``; a violation where not all ``readers`` may read it."""
        found = find(text)
        kind = where.partition(" ")[0]
        self.looked[kind] += 1
        self.seen[kind] += len(found)
        for canary in self.rights.forbidden(found, readers):
            source = self.rights.sources[canary]
            what, when = self.changed
            self.violations.append(
                f"{where}: {source.tenant}/{source.id} before {sorted(readers)}, "
                f"{(at or time.time()) - when:.1f} s after {what} changed"
            )

    def prompt(self, request: Request, text: str) -> None:
        """What a reader is given: its asker, and everybody in the room, may read it."""
        self.requests[request.task] = request
        readers = self._audience(request)
        # What a reader is given is never encoded, and is most of all there is to look at.
        self.judge(f"prompt {request.task}", text, readers=readers, find=plain_canaries_in)

    def _audience(self, request: Request) -> frozenset[str]:
        asker = frozenset({request.principal.rpartition(":")[2]})
        channel = request.place.channel
        return asker | (self.rights.audience(channel) if channel else frozenset())

    # What the workspace was told

    def collect(self) -> None:
        """Look at the calls, and at what went to a `response_url`, since the last time."""
        state = self.running.workspace.state
        for number, row in self._new("call"):
            self.judge(
                f"call {row['method']} {number}",
                "\n".join(_strings(row["args"])),
                readers=self._readers_of(row["method"], row["args"]),
                at=row["at"],
            )
        for channel in list(state.rows("channel")):
            for ts, row in state.rows(f"ephemeral:{channel}").items():
                text = "\n".join(_strings(row))
                if self._is_new(f"ephemeral {ts}", text):
                    self.judge(f"ephemeral {ts}", text, readers=(row["to"],))

    def _new(self, kind: str) -> Iterator[tuple[str, Json]]:
        last = self._last.get(kind, 0)
        for number, row in self.running.workspace.state.rows(kind).items():
            if int(number) > last:
                self._last[kind] = int(number)
                yield number, row

    def _is_new(self, name: str, text: str) -> bool:
        known = (name, hash(text))
        if known in self._known:
            return False
        self._known.add(known)
        return True

    def _readers_of(self, method: str, args: Mapping[str, Any]) -> frozenset[str]:
        """Who sees what a call carries; nobody for a call that only asks."""
        workspace = self.running.workspace
        if method in _TO_CHANNEL:
            return self.rights.audience(str(args.get("channel")))
        if method.startswith("assistant.threads."):
            return self.rights.audience(str(args.get("channel_id")))
        if method == "chat.postEphemeral":
            return frozenset({str(args.get("user"))})
        if method == "views.publish":
            return frozenset({str(args.get("user_id"))})
        if method in ("views.open", "views.push"):
            return frozenset({str(workspace.triggers[str(args.get("trigger_id"))]["user"])})
        if method == "views.update":
            row = workspace.state.get("view", str(args.get("view_id"))) or {}
            return frozenset({str(row["user"])} if "user" in row else ())
        return frozenset()

    def standing(self) -> list[str]:
        """The messages that show somebody who is there by now what they may not read."""
        state, found = self.running.workspace.state, []
        for channel in list(state.rows("channel")):
            readers = self.rights.audience(channel)
            for ts, row in state.rows(f"message:{channel}").items():
                if row.get("bot_id"):
                    seen = canaries_in("\n".join(_strings(row)))
                    if self.rights.forbidden(seen, readers):
                        found.append(f"{channel} {ts}")
        return found

    # What lies beside the record

    async def redis(self, client: "Redis") -> None:
        """Every key and value; a value belongs to the task that its key names."""
        async for key in client.scan_iter():
            name, value = str(key), str(await client.get(key))
            if not self._is_new(f"redis {name}", value):
                continue
            self.judge("redis-key", name, readers=())
            request = self.requests.get(name.rpartition(":")[2])
            self.judge("redis-value", value, readers=self._audience(request) if request else ())

    def files(self, *folders: Path) -> None:
        """Every file that is not passed over."""
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                inner = path.relative_to(folder).as_posix()
                if path.is_file() and not any(name in inner for name in _PASSED_OVER):
                    self.judge(f"file {inner}", path.read_bytes().decode("latin-1"), readers=())

    def text(self, where: str, text: str) -> None:
        """What nobody may find a canary in: a log line, a trace, a figure."""
        self.judge(where, text, readers=())


def _strings(value: object) -> Iterator[str]:
    """Every text in a value, keys too, as a person would see it and not as JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


class _Lines:
    """A stream whose every line the witness looks at."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    def write(self, line: str) -> int:
        self._witness.text(f"log {line[:120]!r}", line)
        return len(line)

    def flush(self) -> None: ...


@contextmanager
def listening_to_logs(witness: Witness) -> Iterator[None]:
    """Look at every log line of the block, at DEBUG, as the program would write it."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    for handler in handlers:
        root.removeHandler(handler)
    logs.configure("DEBUG", form="json")
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.addHandler(logs.handler_for("json", _Lines(witness)))  # type: ignore[arg-type] # a stream is asked for these two alone
    try:
        yield
    finally:
        for handler in list(root.handlers):
            root.removeHandler(handler)
        for handler in handlers:
            root.addHandler(handler)
        root.setLevel(level)
