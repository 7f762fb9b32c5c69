"""Stage 2: what is asked, and with which words to look for it."""

from collections.abc import Sequence
from datetime import date

from rag.errors import LimitExceeded
from rag.ports import Catalogue, PlanRequest, Reader, Title
from rag.ranking.standing import standings
from rag.text.days import day_meant
from rag.text.tokenise import terms
from rag.values import Clarification, Limits, Permit, Plan, Request, Source, TimeState, Turn


async def plan(
    request: Request, permit: Permit, *, catalogue: Catalogue, reader: Reader, limits: Limits
) -> Plan:
    """Ask the reader for a plan, and hold it to the budgets.

    Raises `LimitExceeded` (question empty or too long), `ReaderError`,
    `StoreUnavailable`.
    """
    if not request.question.strip():
        raise LimitExceeded("the question is empty", limit="question_characters")
    if len(request.question) > limits.question_characters:
        raise LimitExceeded("the question is too long", limit="question_characters")
    sources = await catalogue.get(tenant=request.tenant, source_ids=permit.source_ids)
    turns = _turns(request, frozenset(permit.source_ids))
    today = request.asked_at.date()
    as_of = day_meant(request.question, today)
    titles = _titles(request.question, turns, sources, most=limits.plan_titles, day=as_of or today)
    drawn_from = list(request.chosen_from)
    drawn_from += [source for turn in turns for source in turn.source_ids + turn.chosen_from]
    left = max(0, limits.clarification_rounds - request.rounds)
    made = await reader.plan(
        PlanRequest(
            question=request.question,
            turns=turns,
            titles=titles,
            asked_at=request.asked_at,
            rounds=request.rounds,
            rounds_left=left,
        )
    )
    if made.clarification and left:
        drawn_from += [title.source_id for title in titles]
        return _asking_back(made, made.clarification, request, drawn_from)
    # What is proposed, past or compared is asked of today's standing.
    seen = as_of if made.time_state is TimeState.CURRENT else None
    made = made.model_copy(update={"as_of": seen})
    return _searching(made, request, limits.queries_per_plan, drawn_from)


def _turns(request: Request, permitted: frozenset[str]) -> tuple[Turn, ...]:
    """The earlier turns without the words of sources that may not be used any more.

    A reply is left out then, and the whole turn where its question was an option.
    """
    return tuple(
        turn
        if permitted.issuperset(turn.source_ids)
        else turn.model_copy(update={"reply": "", "source_ids": ()})
        for turn in request.turns
        if permitted.issuperset(turn.chosen_from)
    )


def _titles(
    question: str, turns: Sequence[Turn], sources: Sequence[Source], *, most: int, day: date
) -> tuple[Title, ...]:
    """At most ``most`` titles, those that share words with the conversation first."""
    asked = set(terms(" ".join([question, *(turn.question for turn in turns)])))

    def shared(source: Source) -> tuple[int, str]:
        return -len(asked.intersection(terms(source.title))), source.id

    chosen = sorted(sources, key=shared)[:most]
    held = standings(sources, day)
    return tuple(
        Title(source_id=source.id, title=source.title, status=held[source.id]) for source in chosen
    )


def _asking_back(
    made: Plan, asked: Clarification, request: Request, drawn_from: Sequence[str]
) -> Plan:
    numbered = asked.model_copy(update={"round": request.rounds + 1})
    seen = tuple(dict.fromkeys(drawn_from))
    return made.model_copy(update={"clarification": numbered, "queries": (), "titles_of": seen})


def _searching(made: Plan, request: Request, most: int, drawn_from: Sequence[str]) -> Plan:
    search = tuple(query for query in made.queries if query.strip())[:most]
    queries = search or (request.question,)
    seen = tuple(dict.fromkeys(drawn_from))
    return made.model_copy(update={"clarification": None, "queries": queries, "titles_of": seen})
