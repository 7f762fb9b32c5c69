"""What was made of a snapshot beside its chunks, in rows that go when the version goes."""

from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum

from rag.values import Chunk, Value


class Kind(StrEnum):
    """``found`` without a model; ``proposed`` by one, of which each ``reply`` was paid for.

    ``failed`` says why a model could not read it, so that nobody pays for that for ever.
    """

    FOUND = "found"
    REPLY = "reply"
    PROPOSED = "proposed"
    FAILED = "failed"


class Enriched(Value):
    """One row: ``part`` counts the replies from 0; ``version`` names what made it."""

    kind: Kind
    part: int = 0
    version: str
    document: str


class Lead(Value):
    """A question that a model thinks the chunk of that id answers."""

    chunk: str
    question: str


class Proposed(Value):
    """What a model makes of a whole snapshot. It leads to chunks, and is never quoted."""

    summary: str = ""
    leads: tuple[Lead, ...] = ()


def proposed_to(chunks: Sequence[Chunk], documents: Sequence[str]) -> tuple[Chunk, ...]:
    """The chunks with what a model proposed to lead to them; a summary leads to the first.

    What leads to a chunk that is cut otherwise by now leads nowhere.
    """
    leads: defaultdict[str, list[str]] = defaultdict(list)
    for document in documents:
        proposed = Proposed.model_validate_json(document, extra="ignore")
        if proposed.summary and chunks:
            leads[chunks[0].id].append(proposed.summary)
        for lead in proposed.leads:
            leads[lead.chunk].append(lead.question)
    return tuple(
        chunk.model_copy(update={"leads": (*chunk.leads, *leads[chunk.id])})
        if chunk.id in leads
        else chunk
        for chunk in chunks
    )
