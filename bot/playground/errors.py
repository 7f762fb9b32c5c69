"""Errors of the playground."""

from typing import Any


class SlackError(Exception):
    """A refusal in Slack's own words.

    ``code`` becomes ``error`` of the ``{"ok": false}`` answer; ``details`` are
    the further keys of that answer.
    """

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        self.details = details

    def answer(self) -> dict[str, Any]:
        return {"ok": False, "error": self.code, **self.details}


class PlaygroundError(Exception):
    """The playground itself cannot run: its message says why."""
