"""A reader that follows a script, and reads plainly where the script is silent."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rag.ports import AnswerRequest, PlanRequest, SelectRequest, SupportRequest
from rag.values import (
    Citation,
    Claim,
    ClaimVerdict,
    Draft,
    Evidence,
    Facet,
    Plan,
    Selection,
    Support,
    Verdict,
)


def plain_plan(request: PlanRequest) -> Plan:
    """One facet: the question itself."""
    question = request.question
    return Plan(
        intent="look up",
        rewritten=question,
        facets=(Facet(id="f1", text=question),),
        queries=(question,),
    )


def plain_selection(request: SelectRequest) -> Selection:
    """The first candidates, up to the limit, relevant for every facet."""
    chosen = tuple(item.chunk.id for item in request.candidates)[: request.limit]
    facets = tuple(facet.id for facet in request.facets)
    verdicts = tuple(
        Verdict(chunk_id=item.chunk.id, relevant=item.chunk.id in chosen, facets=facets)
        for item in request.candidates
    )
    return Selection(verdicts=verdicts, chunk_ids=chosen)


def quoting(item: Evidence) -> Claim:
    """A claim that is a chunk's own last line, in the same words."""
    chunk = item.chunk
    text = chunk.text.rstrip()
    begin = text.rfind("\n") + 1
    citation = Citation.cut(chunk, chunk.start + begin, chunk.start + len(text))
    return Claim(text=citation.quote, facets=("f1",), citations=(citation,))


def plain_draft(request: AnswerRequest) -> Draft:
    """The first piece of evidence in its own words."""
    return Draft(claims=tuple(quoting(item) for item in request.pack.evidence[:1]))


def plain_support(request: SupportRequest) -> Support:
    """Every claim is supported."""
    return Support(
        verdicts=tuple(ClaimVerdict(claim=number) for number in range(len(request.draft.claims)))
    )


@dataclass
class ScriptedReader:
    """`rag.ports.Reader`; ``calls`` names each call, ``asked`` keeps each request."""

    on_plan: Callable[[PlanRequest], Plan] = plain_plan
    on_select: Callable[[SelectRequest], Selection] = plain_selection
    on_answer: Callable[[AnswerRequest], Draft] = plain_draft
    on_support: Callable[[SupportRequest], Support] = plain_support
    calls: list[str] = field(default_factory=list)
    asked: list[object] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "scripted"

    @property
    def prompt_version(self) -> str:
        return "scripted-1"

    async def plan(self, request: PlanRequest) -> Plan:
        self._heard("plan", request)
        return self.on_plan(request)

    async def select(self, request: SelectRequest) -> Selection:
        self._heard("select", request)
        return self.on_select(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        self._heard("answer", request)
        return self.on_answer(request)

    async def support(self, request: SupportRequest) -> Support:
        self._heard("support", request)
        return self.on_support(request)

    def _heard(self, call: str, request: object) -> None:
        self.calls.append(call)
        self.asked.append(request)
