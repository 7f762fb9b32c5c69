"""Requests to a model's reader, and the replies that are taken from it."""

from typing import Any

from rag.ports import AnswerRequest, PlanRequest, SelectRequest, SupportRequest, Title
from rag.readers.llm import answer, plan, select, support
from rag.readers.llm.quoted import Quotes
from rag.values import (
    Draft,
    Evidence,
    Facet,
    Plan,
    Selection,
    Support,
    TimeState,
    Turn,
)
from tests.rag.readers.material import NOW, packed


def plan_request(
    question: str, *titles: str, turns: tuple[Turn, ...] = (), left: int = 2
) -> PlanRequest:
    named = tuple(Title(source_id=f"s{n}", title=title) for n, title in enumerate(titles))
    return PlanRequest(
        question=question,
        titles=named,
        turns=turns,
        asked_at=NOW,
        rounds=2 - left,
        rounds_left=left,
    )


def planned(request: PlanRequest, **said: Any) -> Plan:
    """The plan that is taken from a reply which repeats the question but for ``said``."""
    reply: dict[str, Any] = {
        "intent": "look up",
        "rewritten": request.question,
        "facets": [request.question],
        "queries": [],
        "time_state": "current",
        "clarification": None,
        **said,
    }
    return plan.taken(request, plan.PlanReply.model_validate(reply))


def facets(*texts: str) -> tuple[Facet, ...]:
    return tuple(Facet(id=f"f{n}", text=text) for n, text in enumerate(texts, 1))


def select_request(question: str, *evidence: Evidence, limit: int = 8) -> SelectRequest:
    return SelectRequest(
        question=question,
        facets=facets(question),
        time_state=TimeState.CURRENT,
        asked_at=NOW,
        candidates=evidence,
        limit=limit,
    )


def selected(request: SelectRequest, **said: Any) -> Selection:
    return select.taken(request, select.SelectReply.model_validate({"relevant": [], **said}))


def answer_request(
    question: str,
    *evidence: Evidence,
    asks: tuple[str, ...] = (),
    time_state: TimeState = TimeState.CURRENT,
    previous: Draft | None = None,
) -> AnswerRequest:
    language = "zh" if any("\u4e00" <= sign <= "\u9fff" for sign in question) else "en"
    made = Plan(
        intent="look up",
        rewritten=question,
        facets=facets(*(asks or (question,))),
        time_state=time_state,
        language=language,
    )
    return AnswerRequest(pack=packed(question, made, *evidence), asked_at=NOW, previous=previous)


def said(text: str, *quotes: tuple[str, str], facets: tuple[str, ...] = ("f1",)) -> dict[str, Any]:
    """A claim as a model writes it; each quote is a chunk's id and words."""
    return {
        "text": text,
        "facets": list(facets),
        "quotes": [{"chunk": chunk, "words": words} for chunk, words in quotes],
    }


def taken(request: AnswerRequest, *claims: dict[str, Any], **more: Any) -> tuple[Draft, Quotes]:
    return answer.taken(request, answer.AnswerReply.model_validate({"claims": claims, **more}))


def drafted(request: AnswerRequest, *claims: dict[str, Any], **more: Any) -> Draft:
    return taken(request, *claims, **more)[0]


def judged(request: SupportRequest, *verdicts: dict[str, Any]) -> Support:
    reply = support.SupportReply.model_validate({"verdicts": verdicts})
    return support.taken(request, reply)
