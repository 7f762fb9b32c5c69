"""How the simulated reader reads: it finds the topic's line, and another one each time."""

import random
import re

from rag.ports import AnswerRequest, PlanRequest, SelectRequest, SupportRequest
from rag.testing.reader import plain_plan, plain_selection, plain_support
from rag.values import (
    Chunk,
    Citation,
    Claim,
    Clarification,
    Draft,
    Option,
    Plan,
    Selection,
    Support,
)

ASKING_BACK = "that one"
TOPIC = re.compile(r"[a-z]+\d\d")


def plan(request: PlanRequest) -> Plan:
    """Look for the words; "that one of A or B" is asked back once."""
    made = plain_plan(request)
    if ASKING_BACK not in request.question or request.rounds:
        return made
    topics = request.question.rpartition(":")[2].split()
    options = tuple(Option(id=topic, text=f"What about {topic}?") for topic in topics)
    asked = Clarification(question="Which one do you mean?", options=options)
    return made.model_copy(update={"clarification": asked})


def select(request: SelectRequest) -> Selection:
    """The candidates that hold a topic of the question."""
    topics = TOPIC.findall(request.question)
    told = tuple(
        item for item in request.candidates if any(topic in item.chunk.text for topic in topics)
    )
    return plain_selection(request.model_copy(update={"candidates": told}))


def answer(request: AnswerRequest, rng: random.Random) -> Draft:
    """One of the lines about the question's topic, by chance."""
    topics = TOPIC.findall(request.pack.question)
    for item in request.pack.evidence:
        lines = [line for line in item.chunk.text.split("\n") if any(t in line for t in topics)]
        if lines:
            return Draft(claims=(_quoting(item.chunk, rng.choice(lines)),))
    return Draft()


def _quoting(chunk: Chunk, quote: str) -> Claim:
    start = chunk.start + chunk.text.index(quote)
    citation = Citation.cut(chunk, start, start + len(quote))
    return Claim(text=quote, facets=("f1",), citations=(citation,))


def support(request: SupportRequest) -> Support:
    """Every claim is supported."""
    return plain_support(request)
