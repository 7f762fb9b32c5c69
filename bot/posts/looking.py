"""Looks for a message of ours that may stand already, by what only we put into it."""

from datetime import datetime, timedelta
from typing import Any

from bot.slack.client import Installation, Slack, read
from rag.values import Value

METADATA = "footnote_message"
LOOKING = "conversations."
"""How the methods begin that look."""

_LOOK_BACK = timedelta(minutes=15)  # covers a clock that differs from Slack's
_PAGES = 10


class Spot(Value):
    """Where a task's message of one kind belongs. An empty thread is the top level."""

    tenant: str
    task: str
    kind: str
    channel: str
    thread: str = ""


class Looking:
    """Our messages as Slack lists them."""

    def __init__(self, client: Slack, installation: Installation) -> None:
        self._client = client
        self._installation = installation

    async def find(self, spot: Spot, *, since: datetime) -> list[str]:
        """The `ts` of the spot's message, of each where several were posted.

        Raises `SlackUnavailable`.
        """
        oldest = f"{(since - _LOOK_BACK).timestamp():.6f}"
        common: dict[str, Any] = {"channel": spot.channel, "limit": 100, "oldest": oldest}
        common["include_all_metadata"] = "true"
        method = f"{LOOKING}replies" if spot.thread else f"{LOOKING}history"
        cursor = ""
        for _page in range(_PAGES):
            answer = await read(self._client, method, ts=spot.thread, cursor=cursor, **common)
            if found := self._among(answer.get("messages") or [], spot):
                return found
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return []

    def _among(self, messages: list[dict[str, Any]], spot: Spot) -> list[str]:
        wanted = {"task": spot.task, "kind": spot.kind}
        return [
            str(message["ts"])
            for message in messages
            if self._is_ours(message) and _payload(message) == wanted
        ]

    def _is_ours(self, message: dict[str, Any]) -> bool:
        if self._installation.bot_id:
            return bool(message.get("bot_id") == self._installation.bot_id)
        return bool(message.get("user") == self._installation.bot_user_id)


def _payload(message: dict[str, Any]) -> dict[str, Any]:
    metadata = message.get("metadata") or {}
    return dict(metadata.get("event_payload") or {})
