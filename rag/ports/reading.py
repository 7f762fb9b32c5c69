"""What a reader is asked and what a model is: the two seams that read and write language."""

from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeVar

from rag.values import (
    ContextPack,
    Draft,
    Evidence,
    Facet,
    Plan,
    Selection,
    SourceStatus,
    Support,
    TimeState,
    Turn,
    Value,
)

T = TypeVar("T", bound=Value)


class Title(Value):
    """A permitted source as `plan` may see it: a title, never text."""

    source_id: str
    title: str
    status: SourceStatus = SourceStatus.CURRENT


class Behalf(Value):
    """On whose behalf a reader is asked: for budgets, records and cache keys, never for a prompt.

    ``rights`` is the fingerprint of the rights in force, ``stage`` the one that asks, and
    ``lease`` the number of the lease in which the task is worked on.
    """

    tenant: str = ""
    task: str = ""
    rights: str = ""
    stage: str = ""
    lease: int = 0


class Asking(Value):
    """What every request to a reader carries.

    ``malformed`` says why the reply to this same request was not of the agreed shape;
    empty the first time.
    """

    behalf: Behalf = Behalf()
    malformed: str = ""


class PlanRequest(Asking):
    """What `plan` may look at."""

    question: str
    turns: tuple[Turn, ...] = ()
    titles: tuple[Title, ...] = ()
    asked_at: datetime
    rounds: int = 0
    rounds_left: int = 2


class SelectRequest(Asking):
    """Candidates to judge, each with the source it was pinned from."""

    question: str
    facets: tuple[Facet, ...]
    time_state: TimeState
    asked_at: datetime
    candidates: tuple[Evidence, ...]
    limit: int = 8


class AnswerRequest(Asking):
    """The working context, and why the previous draft fell (empty the first time)."""

    pack: ContextPack
    asked_at: datetime
    previous: Draft | None = None
    feedback: tuple[str, ...] = ()


class SupportRequest(Asking):
    """A draft whose claims are to be judged against their own quotes."""

    pack: ContextPack
    draft: Draft
    asked_at: datetime


class Reader(Protocol):
    """Reads and writes language. What it returns is a proposal; code decides.

    Raises `ReaderError` (unavailable, incomplete, invalid).
    """

    @property
    def name(self) -> str: ...

    @property
    def prompt_version(self) -> str:
        """Names the wording of its prompts and its replies' shapes; empty without prompts."""
        ...

    async def plan(self, request: PlanRequest) -> Plan: ...

    async def select(self, request: SelectRequest) -> Selection: ...

    async def answer(self, request: AnswerRequest) -> Draft: ...

    async def support(self, request: SupportRequest) -> Support: ...


class Role(StrEnum):
    """Which of a reader's four questions a model is asked; each may have a model of its own.

    ``ENRICH`` is no question of a task: a source is read when it is ingested.
    """

    PLAN = "plan"
    SELECT = "select"
    ANSWER = "answer"
    SUPPORT = "support"
    ENRICH = "enrich"


class Prompt(Value):
    """What a model is asked. ``version`` names the wording together with its reply's shape.

    ``instructions`` are the same for every task and come first, so that a provider may
    keep them; ``material`` is what this request adds, as data.
    """

    behalf: Behalf
    role: Role
    version: str
    instructions: str
    material: str


class Model(Protocol):
    """Asks a language model and brings its reply into shape; what it says is a proposal.

    Raises `ReaderUnavailable` (not reached, busy, refused), `ReaderIncomplete` (not
    finished normally), `FormatInvalid` (not of ``shape``; its message holds nothing of
    the reply), `BudgetExceeded` (the prompt, or the tenant's day).
    """

    @property
    def name(self) -> str: ...

    async def reply(self, prompt: Prompt, shape: type[T]) -> T: ...
