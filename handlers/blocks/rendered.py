"""What a rendering function gives back."""

from typing import Any

from rag.values import Value


class Rendered(Value):
    """One Slack message: ``blocks`` as Slack's JSON, and the notification ``text``.

    ``text`` is what a phone's lock screen shows: the status, never source text.
    """

    text: str
    blocks: tuple[dict[str, Any], ...] = ()

    def payload(self) -> dict[str, Any]:
        """The arguments every post, update and respond shares."""
        return {
            "text": self.text,
            "blocks": list(self.blocks),
            "unfurl_links": False,
            "unfurl_media": False,
        }
