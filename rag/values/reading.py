"""What the stages hand to one another: plan, candidates, selection, draft, grounding."""

from datetime import date, datetime
from enum import StrEnum

from pydantic import Field, model_validator

from rag.values.base import Value
from rag.values.sources import Chunk, Pinned


class TimeState(StrEnum):
    """Which standing of the sources a question is about."""

    CURRENT = "current"
    PROPOSED = "proposed"
    HISTORICAL = "historical"
    COMPARE = "compare"


class Facet(Value):
    """One thing the question asks for, in the asker's words."""

    id: str
    text: str


class Option(Value):
    """One offered reading of an ambiguous question; ``text`` is shown to the asker."""

    id: str
    text: str


class Clarification(Value):
    """A question back. ``round`` counts from 1."""

    question: str
    options: tuple[Option, ...] = Field(default=(), max_length=5)
    round: int = Field(default=1, ge=1)


class Plan(Value):
    """How a question was understood. ``rewritten`` changes search words only.

    ``titles_of``: the ids of the sources whose titles a clarification may show, and of
    those behind the earlier replies that the plan was made with. ``as_of`` is the day that
    the question is about, where it names one that is still to come.
    """

    intent: str
    rewritten: str
    facets: tuple[Facet, ...] = Field(min_length=1)
    time_state: TimeState = TimeState.CURRENT
    queries: tuple[str, ...] = Field(default=(), max_length=3)
    profile: str = "default"
    language: str = "en"
    clarification: Clarification | None = None
    titles_of: tuple[str, ...] = ()
    as_of: date | None = None

    def seen_from(self, asked_at: datetime) -> datetime:
        """The instant by which the standing of sources counts."""
        if self.as_of is None:
            return asked_at
        return asked_at.replace(year=self.as_of.year, month=self.as_of.month, day=self.as_of.day)


class Permit(Value):
    """What `authorize` resolved: the whole permitted set, or a refusal.

    ``fingerprint`` names the rights in force, for cache keys and the trace.
    ``withheld`` is true when the room's rules exclude content whatever the
    asker may read, so that an unasked private answer is due.
    """

    decision_id: str
    source_ids: tuple[str, ...] = ()
    fingerprint: str = ""
    refused: bool = False
    reason: str = ""
    withheld: bool = False


class Indexed(Value):
    """The sources a task works on, each pinned; what was left out and what could not be read."""

    pinned: tuple[Pinned, ...] = ()
    left_out: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


class Candidate(Value):
    """A chunk found by search. ``features`` name each score that made up the rank."""

    chunk: Chunk
    query: int = Field(ge=0)
    rank: int = Field(ge=0)
    score: float
    features: dict[str, float] = Field(default_factory=dict)
    neighbour: bool = False


class Retrieved(Value):
    """Candidates in rank order, over all queries, each chunk once."""

    candidates: tuple[Candidate, ...] = ()
    queries: tuple[str, ...] = ()
    fallback_reason: str = ""
    left_out: int = 0


class Verdict(Value):
    """The reader's judgement of one candidate."""

    chunk_id: str
    relevant: bool
    facets: tuple[str, ...] = ()
    score: float = 0.0


class Contradiction(Value):
    """Two chunks that state different values of the same thing."""

    about: str
    chunk_ids: tuple[str, str]


class Selection(Value):
    """Which candidates carry the answer (at most 8), and which facets have none."""

    verdicts: tuple[Verdict, ...] = ()
    chunk_ids: tuple[str, ...] = Field(default=(), max_length=8)
    missing: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


class Evidence(Value):
    """A selected chunk with the source it was pinned from."""

    chunk: Chunk
    source: Pinned


class ContextPack(Value):
    """The working context of one task: all the answer stage may look at."""

    task: str
    question: str
    plan: Plan
    evidence: tuple[Evidence, ...] = ()
    missing: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    unreadable: tuple[str, ...] = ()
    characters: int = 0
    tokens: int = 0


class Citation(Value):
    """A quote that was cut, never written: ``quote == snapshot_text[start:end]``."""

    chunk_id: str
    source_id: str
    snapshot: str
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    quote: str = Field(min_length=1)

    @model_validator(mode="after")
    def _quote_fills_its_offsets(self) -> "Citation":
        if self.end - self.start != len(self.quote):
            raise ValueError("a quote must be exactly as long as its offsets say")
        return self

    @classmethod
    def cut(cls, chunk: Chunk, start: int, end: int) -> "Citation":
        """Cut snapshot characters ``start:end`` out of ``chunk``.

        Raises ValueError when the span is empty, leaves the chunk or touches a
        heading or front matter.
        """
        if not chunk.start <= start < end <= chunk.end:
            raise ValueError("a quote must lie within its chunk")
        if any(start < stop and begin < end for begin, stop in chunk.headings):
            raise ValueError("a quote must not touch a heading or front matter")
        quote = chunk.text[start - chunk.start : end - chunk.start]
        return cls(
            chunk_id=chunk.id,
            source_id=chunk.source_id,
            snapshot=chunk.snapshot,
            start=start,
            end=end,
            quote=quote,
        )


class Claim(Value):
    """One sentence of the answer, resting on one or more citations."""

    text: str = Field(min_length=1)
    facets: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = Field(min_length=1)


class Conflict(Value):
    """Two claims that cannot both hold. ``asked``: a facet asks for the differing value."""

    about: str
    sides: tuple[Claim, Claim]
    asked: bool = True


class Draft(Value):
    """What the reader wrote. Conflict sides also stand among ``claims``."""

    claims: tuple[Claim, ...] = ()
    gaps: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


class ClaimVerdict(Value):
    """Judgement of one claim; ``reasons`` say precisely what failed."""

    claim: int = Field(ge=0)
    quotes_found: bool = True
    supported: bool = True
    reasons: tuple[str, ...] = ()


class Support(Value):
    """The reader's support verdicts, one a claim, in the claims' order."""

    verdicts: tuple[ClaimVerdict, ...] = ()


class Grounding(Value):
    """The draft that passed, its verdicts, and how often it was revised."""

    draft: Draft
    verdicts: tuple[ClaimVerdict, ...] = ()
    revisions: int = Field(default=0, ge=0, le=1)
