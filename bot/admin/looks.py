"""What an admin's buttons and windows stand for: sealed for one person, and granting nothing."""

import json
from enum import StrEnum

from pydantic import Field

from bot.installs.sealed import seal, unsealed
from bot.parts import Parts
from bot.queue.durable import short_hash
from handlers.deps import Fields
from rag.values import CHUNKING, Source, Value


class Window(StrEnum):
    """What an admin's token stands for."""

    ADD = "add"
    SOURCES = "sources"
    GAPS = "gaps"
    CHANGE = "change"
    RETIRE = "retire"
    REVIEW = "review"


class Look(Value):
    """A window of one admin's. ``mark`` names how the source stood when it was shown.

    ``version`` is the snapshot it had then; ``staged`` is a file that is not live, and
    ``fields`` what the window's inputs hold, which is in no token.
    """

    user: str
    window: Window
    words: str = ""
    page: int = 0
    source: str = ""
    mark: str = ""
    version: str = ""
    staged: str = ""
    fields: Fields = Field(default_factory=dict)


def sealed_look(parts: Parts, look: Look) -> str:
    """The look as an opaque value for a button or a window."""
    return seal(look.model_copy(update={"fields": {}}), secret=parts.client.web.token or "")


def look_of(parts: Parts, token: str, *, user: str) -> Look | None:
    """The look behind a token of this person's own; None for any other."""
    look = unsealed(token, Look, secret=parts.client.web.token or "")
    return look if look is not None and look.user == user else None


def entrances(parts: Parts, user: str) -> tuple[str, ...]:
    """The tokens of the buttons on an admin's Home tab."""
    windows = (Window.ADD, Window.SOURCES, Window.GAPS)
    return tuple(sealed_look(parts, Look(user=user, window=window)) for window in windows)


def mark_of(source: Source) -> str:
    """Another one once readers, owner, status or the way of cutting are changed."""
    cutting = json.dumps(source.metadata.get(CHUNKING) or {}, sort_keys=True)
    return short_hash(*source.readers, source.owner, source.status.value, cutting)
