"""Who asks what, where, and with which earlier turns."""

from operator import not_

from pydantic import AwareDatetime, Field

from rag.values.base import Value


class Place(Value):
    """Where the reply will be seen.

    ``channel`` is None when the asker alone sees it (direct message, private
    reply, command line); otherwise the channel whose members are the audience.
    """

    channel: str | None = None


class Turn(Value):
    """One earlier exchange of this conversation. Never evidence.

    ``reply`` is what the asker was told: the claims' texts, or the clarifying
    question when ``clarifying`` is true. ``source_ids`` are the sources whose text or
    titles it may hold; ``chosen_from`` those whose titles may stand in ``question``.
    """

    task: str
    question: str
    reply: str = ""
    clarifying: bool = False
    source_ids: tuple[str, ...] = ()
    chosen_from: tuple[str, ...] = Field(default=(), exclude_if=not_)


class Request(Value):
    """One question, bound whole: identity and source ids come from the controller.

    ``source_ids`` are the explicitly named sources; empty means "whatever I may
    read here". ``rounds`` counts the clarifying questions already asked.
    ``chosen_from`` are the sources whose titles may stand in ``question``, because it is
    the text of an option that was pressed: its asker may lose the right to read it again.
    Where empty it is left out of the JSON, which workers of an older version read too.
    """

    task: str = Field(min_length=1, max_length=200)
    tenant: str = Field(min_length=1, max_length=200)
    principal: str = Field(min_length=1, max_length=300)
    question: str
    place: Place = Place()
    source_ids: tuple[str, ...] = ()
    parent_id: str | None = None
    conversation: str | None = None
    turns: tuple[Turn, ...] = ()
    rounds: int = Field(default=0, ge=0)
    chosen_from: tuple[str, ...] = Field(default=(), exclude_if=not_)
    asked_at: AwareDatetime
