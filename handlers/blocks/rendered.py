"""What rendering is given besides a report, and what it gives back."""

from typing import Any

from pydantic import Field

from rag.values import Pinned, Value


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


class Ids(Value):
    """The opaque ids buttons carry. They come from outside and grant nothing.

    ``answer`` names the whole answer. ``citations`` maps (claim index, citation
    index) in the report to an id, ``options`` a clarification option's id to one.
    """

    answer: str
    citations: dict[tuple[int, int], str] = Field(default_factory=dict)
    options: dict[str, str] = Field(default_factory=dict)


class Circumstances(Value):
    """What a report cannot know at the moment it is shown.

    ``searched`` are the sources the task pinned; ``changed`` the ids of those with
    a newer version by now. ``private_offer`` adds "Ask privately"; ``attachment``
    says that the question came with a file nobody read.
    """

    searched: tuple[Pinned, ...] = ()
    changed: frozenset[str] = frozenset()
    private_offer: bool = False
    attachment: bool = False
