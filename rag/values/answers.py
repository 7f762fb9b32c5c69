"""The answer as it is shown, the report that holds it, and what delivery left behind."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime, Field

from rag.values.base import Value
from rag.values.reading import (
    Claim,
    Clarification,
    Conflict,
    Evidence,
    Grounding,
    Plan,
    Selection,
)

CONTRACT_VERSION = "1"


class Status(StrEnum):
    """How a task ended, as the asker sees it."""

    ANSWERED = "answered"
    INSUFFICIENT = "insufficient-evidence"
    CONFLICTING = "conflicting-evidence"
    CLARIFY = "needs-clarification"
    REFUSED = "refused"
    FAILED = "failed"


class Reason(StrEnum):
    """Why, kept in the trace for operators; not all are shown."""

    UNAUTHORIZED = "unauthorized"
    RULE_UNDECIDED = "rule_undecided"
    EVIDENCE_MISSING = "evidence_missing"
    FORMAT_INVALID = "format_invalid"
    UNSUPPORTED_CLAIM = "unsupported_claim"
    SOURCE_UNREADABLE = "source_unreadable"
    CONTEXT_UNAVAILABLE = "context_unavailable"
    STORE_UNAVAILABLE = "store_unavailable"
    READER_UNAVAILABLE = "reader_unavailable"
    READER_INCOMPLETE = "reader_incomplete"
    BUDGET_EXCEEDED = "budget_exceeded"
    DAY_USED_UP = "day_used_up"
    SNAPSHOT_TAMPERED = "snapshot_tampered"
    IDENTITY_MISMATCH = "identity_mismatch"
    UNDELIVERABLE = "undeliverable"
    EXPIRED = "expired"


class Answer(Value):
    """What the asker is told."""

    status: Status
    claims: tuple[Claim, ...] = ()
    limitations: tuple[str, ...] = ()
    clarification: Clarification | None = None
    conflicts: tuple[Conflict, ...] = ()


class StageTrace(Value):
    """One stage attempt: seconds on the wall, reader calls spent."""

    stage: str
    attempt: int = 1
    seconds: float = 0.0
    reader_calls: int = 0
    resumed: bool = False


class RoleSpent(Value):
    """What one of a reader's questions has cost a task. ``calls`` were sent to the provider,
    ``failed`` of them in vain; ``remembered`` replies came from the cache and cost nothing.

    Tokens are the server's count where it said one, else ours. ``seconds`` is on the wall.
    ``price`` is None where it is not known what a model costs.
    """

    role: str
    calls: int = 0
    failed: int = 0
    remembered: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    price: float | None = None


class Spent(Value):
    """What a task has cost so far, over all processes that worked on it, by role and in sum."""

    roles: tuple[RoleSpent, ...] = ()
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    price: float | None = None

    @classmethod
    def of(cls, roles: Sequence[RoleSpent]) -> "Spent":
        """The roles with their sum; its price is None where one of theirs is."""
        prices = [role.price for role in roles if role.price is not None]
        return cls(
            roles=tuple(roles),
            calls=sum(role.calls for role in roles),
            tokens_in=sum(role.tokens_in for role in roles),
            tokens_out=sum(role.tokens_out for role in roles),
            seconds=round(sum(role.seconds for role in roles), 6),
            price=sum(prices) if roles and len(prices) == len(roles) else None,
        )


class Trace(Value):
    """What happened, for operators. Holds ids, numbers and the questions, never source text."""

    actor: str = ""
    original_question: str = ""
    rewritten_question: str = ""
    permission_decision: str = ""
    reason: Reason | None = None
    first_failure: str = ""
    stages: tuple[StageTrace, ...] = ()
    evidence_blocks: tuple[dict[str, Any], ...] = ()
    context_pack: dict[str, Any] = Field(default_factory=dict)
    retrieval_trace: dict[str, Any] = Field(default_factory=dict)
    rerank_trace: tuple[dict[str, Any], ...] = ()
    snapshots: dict[str, str] = Field(default_factory=dict)
    index_version: str = ""
    reader: str = ""
    prompt_version: str = ""
    reader_calls: int = 0
    cache: str = "none"
    spent: Spent = Spent()


class Report(Value):
    """The saved result of a task: delivered from here, never written twice."""

    contract_version: str = CONTRACT_VERSION
    task: str
    tenant: str
    principal: str
    question: str
    parent_id: str | None = None
    created_at: AwareDatetime
    language: str = "en"
    plan: Plan | None = None
    selection: Selection | None = None
    evidence: tuple[Evidence, ...] = ()
    answer: Answer
    grounding: Grounding | None = None
    trace: Trace = Trace()
    markdown: str = ""

    @property
    def told(self) -> frozenset[str]:
        """The ids of the sources that it quotes, or that it or its question back names."""
        cited = {cited.source_id for claim in self.answer.claims for cited in claim.citations}
        named = self.plan.titles_of if self.plan else ()
        return frozenset({*cited, *self.trace.snapshots, *named})


class Published(Value):
    """Where a report went. ``withdrawn`` when a revocation fell inside the window."""

    where: str = ""
    withdrawn: bool = False
    refused: bool = False
    reason: Reason | None = None
