"""The history of a cluster's run: what its workspace was told, and what its record kept."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import psycopg
from obstore.store import S3Store

from bot.playground import Running
from tests.faults.history import Ended, Event, Kept, Wrote, quotes_of, shape_of, texts_of
from tests.postgres import libpq

Json = dict[str, Any]

_METHODS = {
    "chat.postMessage": "post",
    "chat.update": "update",
    "chat.delete": "delete",
    "chat.postEphemeral": "whisper",
}


class Calls:
    """Every call of the Web API, collected before the workspace forgets the oldest."""

    def __init__(self, running: Running) -> None:
        self._state = running.workspace.state
        self._bot = running.workspace.bot_user
        self._rows: dict[str, Json] = {}

    def collect(self) -> None:
        """Take over what was called so far."""
        self._rows |= self._state.rows("call")

    def writes(self) -> Iterator[Wrote]:
        """Every write that Slack accepted, in order."""
        self.collect()
        for _, row in sorted(self._rows.items()):
            method = _METHODS.get(row["method"])
            if method and (row["response"] or {}).get("ok"):
                yield self._wrote(method, row)

    def _wrote(self, method: str, row: Json) -> Wrote:
        args, answer = row["args"], row["response"]
        blocks = _blocks(args.get("blocks"))
        text = str(args.get("text") or "")
        payload = (_object(args.get("metadata")).get("event_payload")) or {}
        channel = str(answer.get("channel") or args["channel"])
        return Wrote(
            at=row["at"],
            method=method,
            channel=channel,
            ts=str(answer.get("ts") or args.get("ts") or answer.get("message_ts")),
            audience=self._audience(channel, args),
            thread=str(args.get("thread_ts") or ""),
            task=str(payload.get("task", "")),
            kind=str(payload.get("kind", "")),
            shape=shape_of(text, blocks),
            texts=texts_of(text, blocks),
            quotes=quotes_of(blocks),
        )

    def _audience(self, channel: str, args: Json) -> tuple[str, ...]:
        if args.get("user"):
            return (str(args["user"]),)
        row = self._state.get("channel", channel) or {"members": []}
        return tuple(member for member in row["members"] if member != self._bot)


def told_to_the_app(running: Running, ts: str) -> bool:
    """Whether the app acknowledged an event about the message; Slack gives up after a while."""
    state = running.workspace.state
    given_up = state.rows("given_up")
    about = [ident for ident, row in state.rows("event").items() if row["ts"] == ts]
    return not about or any(ident not in given_up for ident in about)


def _blocks(given: Any) -> list[Json]:
    found = json.loads(given) if isinstance(given, str) else given
    return list(found or [])


def _object(given: Any) -> Json:
    found = json.loads(given) if isinstance(given, str) else given
    return dict(found or {})


def ends(database_url: str) -> list[Event]:
    """How every task stands in the record."""
    query = "SELECT id, state, status, finished_at, created_at FROM tasks"
    with psycopg.connect(libpq(database_url)) as connection:
        rows = connection.execute(query).fetchall()
    return [
        Ended(at=_seconds(finished or created), task=task, state=_state(state, status))
        for task, state, status, finished, created in rows
    ]


def _state(state: str, status: str | None) -> str:
    if state == "waiting":
        return "needs-clarification"
    return status or state if state == "done" else state


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()


def unfinished_jobs(database_url: str) -> int:
    """How many jobs wait or are under way."""
    query = "SELECT count(*) FROM dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING')"
    with psycopg.connect(libpq(database_url)) as connection:
        found = connection.execute(query).fetchone()
    return int(found[0]) if found else 0


def snapshots(store: S3Store) -> list[Event]:
    """Every text on the object storage."""
    names = [item["path"] for batch in store.list("snapshots/") for item in batch]
    return [Kept(at=0.0, text=bytes(store.get(name).bytes()).decode("utf-8")) for name in names]
