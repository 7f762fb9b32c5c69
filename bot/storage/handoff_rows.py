"""Hand-offs and replies as values."""

import json
from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime
from sqlalchemy import Row

from bot.storage.rows import instant
from rag.values import Value


class Handoff(Value):
    """One owner who was asked about one task. ``key`` is that of the knowledge proposed so.

    ``name`` is how the sources name them; empty where that is no name for people.
    ``quoted`` are the sources that their message quotes.
    """

    tenant: str
    task: str
    owner: str
    name: str = ""
    key: str
    at: AwareDatetime
    quoted: tuple[str, ...] = ()


class Decision(StrEnum):
    """What a second person made of an owner's words."""

    NONE = ""
    APPROVED = "approved"
    REJECTED = "rejected"


class Reply(Value):
    """An owner's words, kept as ``version`` of the knowledge ``key``. ``id`` names their message.

    ``decider`` is who decided, empty before.
    """

    tenant: str
    id: str
    task: str
    owner: str
    key: str
    version: int
    at: AwareDatetime
    decision: Decision = Decision.NONE
    decider: str = ""


class Words(Value):
    """What an owner wrote, as it is proposed: ``reply`` is the same for a repeat."""

    reply: str
    title: str
    text: str


def as_handoff(row: Row[Any]) -> Handoff:
    """A row of `handoffs`."""
    return Handoff(
        tenant=row.tenant,
        task=row.task,
        owner=row.owner,
        name=row.name,
        key=row.key,
        at=instant(row.at),
        quoted=tuple(json.loads(row.quoted)),
    )


def as_reply(row: Row[Any]) -> Reply:
    """A row of `handoff_replies`."""
    return Reply(
        tenant=row.tenant,
        id=row.id,
        task=row.task,
        owner=row.owner,
        key=row.key,
        version=row.version,
        at=instant(row.at),
        decision=Decision(row.decision),
        decider=row.decider,
    )
