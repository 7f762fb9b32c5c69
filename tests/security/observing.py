"""What can be observed of one step, without what is random or a matter of milliseconds."""

import re
from collections.abc import Iterator
from typing import Any

from bot.playground import Running

Json = dict[str, Any]

_WRITES = frozenset(
    {
        "chat.delete",
        "chat.postEphemeral",
        "chat.postMessage",
        "chat.update",
        "views.open",
        "views.publish",
        "views.update",
    }
)
_OPAQUE = frozenset(
    {"block_id", "event_ts", "hash", "id", "message_ts", "metadata", "private_metadata", "task"}
    | {"thread_ts", "trigger_id", "ts", "value", "view_id"}
)
_RANDOM = re.compile(r"\d{13}-[0-9a-f]{12}|\d{10}\.\d{6}(?:-[0-9a-f]{12})?")
_PROGRESS = "progress"


class Observer:
    """Says what was written since it was last asked; each random id is a number by appearance."""

    def __init__(self, running: Running) -> None:
        self._state = running.workspace.state
        self._seen_call = 0
        self._seen_private: dict[str, Json] = {}
        self._names: dict[str, str] = {}

    def news(self, *, but: str = "") -> list[Any]:
        """Each write and each private word, by channel; nothing of the channel ``but``.

        What shows that work goes on depends on how long it takes, and is left out.
        """
        found = [*self._calls(), *self._private()]
        kept = [one for one in found if one.get("channel") != but and not _unfinished(one)]
        ordered = sorted(kept, key=lambda one: str(one.get("channel", "")))
        return [self._named("", one) for one in ordered]

    def _calls(self) -> Iterator[Json]:
        for number, row in self._state.rows("call").items():
            if int(number) > self._seen_call:
                self._seen_call = int(number)
                if row["method"] in _WRITES:
                    yield {"method": row["method"], **row["args"]}

    def _private(self) -> Iterator[Json]:
        for channel in list(self._state.rows("channel")):
            for ts, row in self._state.rows(f"ephemeral:{channel}").items():
                if self._seen_private.get(ts) != row:
                    self._seen_private[ts] = row
                    shown = {key: row.get(key) for key in ("text", "blocks", "to")}
                    yield {"method": "private", "channel": channel, **shown}

    def _named(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {inner: self._named(inner, value[inner]) for inner in sorted(value)}
        if isinstance(value, list):
            return [self._named(key, inner) for inner in value]
        if isinstance(value, str) and value:
            return self._name(value) if key in _OPAQUE else self._clean(value)
        return value

    def _clean(self, text: str) -> str:
        return _RANDOM.sub(lambda found: self._name(found[0]), text)

    def _name(self, opaque: str) -> str:
        return self._names.setdefault(opaque, f"#{len(self._names)}")


def _unfinished(one: Json) -> bool:
    blocks = one.get("blocks") or []
    return any(block.get("block_id") == _PROGRESS for block in blocks)
