"""`select`: which passages carry the answer, as a model proposes it."""

from pydantic import Field

from rag.ports import Prompt, Role, SelectRequest
from rag.readers.llm.evidence import Named, answered, facets, meant, named, shown
from rag.readers.llm.material import DATA_ONLY, block, joined
from rag.readers.llm.repair import malformed
from rag.readers.phrases import as_asked
from rag.values import Contradiction, Selection, Value, Verdict

VERSION = "select-1"
INSTRUCTIONS = f"""{DATA_ONLY}
Your task: say which chunks answer which facets of the question. Judge by what a chunk's
text says; its title and headings only say where it stands.

- relevant: the chunks that state an answer, or part of one, or that answer a facet in
  the negative; the most useful first, at most as many as <limit> says. For each its id
  and the ids of the facets it speaks to. A chunk that is only about the same topic is
  not relevant. Two chunks that state different values of the same thing are both
  relevant.
- missing: the ids of the facets that no chunk answers.
- contradictions: pairs of ids of relevant chunks that cannot both hold: different values
  of the same thing under the same conditions. A proposal and the rule it would change
  are no contradiction.
"""


class Judged(Value):
    """A chunk that a model found relevant."""

    id: str = Field(max_length=20)
    facets: tuple[str, ...] = Field(default=(), max_length=12)


class Opposed(Value):
    """Two chunks that a model found to contradict each other."""

    left: str = Field(max_length=20)
    right: str = Field(max_length=20)


class SelectReply(Value):
    """A model's reply to `select`."""

    relevant: tuple[Judged, ...] = Field(max_length=60)
    missing: tuple[str, ...] = Field(default=(), max_length=12)
    contradictions: tuple[Opposed, ...] = Field(default=(), max_length=20)


def prompt(request: SelectRequest) -> Prompt:
    return Prompt(
        behalf=request.behalf,
        role=Role.SELECT,
        version=VERSION,
        instructions=INSTRUCTIONS,
        material=joined(
            shown(named(request.candidates), request.asked_at.date()),
            block("today", request.asked_at.date().isoformat()),
            block("asked_about", request.time_state.value),
            block("limit", str(request.limit)),
            block("question", request.question),
            facets(request.facets),
            malformed(request),
        ),
    )


def taken(request: SelectRequest, reply: SelectReply) -> Selection:
    """The selection as code lets it stand: both sides of a contradiction first, within the limit.

    What is missing is counted here from what is kept, so of the reply's own list nothing
    is taken. Raises `FormatInvalid` for a chunk or facet that was not given.
    """
    evidence = named(request.candidates)
    told = {meant(evidence, each.id).chunk.id: each for each in reversed(reply.relevant)}
    spoken = {chunk: answered(each.facets, request.facets) for chunk, each in told.items()}
    pairs = _pairs(request, reply, evidence)
    order = [meant(evidence, each.id).chunk.id for each in reply.relevant]
    kept, sides = _kept(order, pairs, request.limit)
    covered = {facet for chunk in kept for facet in spoken.get(chunk, ())}
    return Selection(
        verdicts=tuple(
            Verdict(
                chunk_id=item.chunk.id,
                relevant=item.chunk.id in kept,
                facets=spoken.get(item.chunk.id, ()) if item.chunk.id in kept else (),
                score=1 / (1 + kept.index(item.chunk.id)) if item.chunk.id in kept else 0.0,
            )
            for item in request.candidates
        ),
        chunk_ids=kept,
        missing=tuple(facet.id for facet in request.facets if facet.id not in covered),
        contradictions=sides,
    )


def _pairs(request: SelectRequest, reply: SelectReply, evidence: Named) -> list[Contradiction]:
    """Each pair of two chunks once; what it is about is said in the asker's words."""
    pairs: dict[frozenset[str], Contradiction] = {}
    about = as_asked(request.question)
    for each in reply.contradictions:
        left, right = (meant(evidence, side).chunk.id for side in (each.left, each.right))
        if left != right:
            pair = Contradiction(about=about, chunk_ids=(left, right))
            pairs.setdefault(frozenset(pair.chunk_ids), pair)
    return list(pairs.values())


def _kept(
    order: list[str], pairs: list[Contradiction], limit: int
) -> tuple[tuple[str, ...], tuple[Contradiction, ...]]:
    """The chunks within ``limit``, and the pairs of which both sides are among them."""
    sides: dict[str, None] = {}
    whole = []
    for pair in pairs:
        if len({*sides, *pair.chunk_ids}) <= limit:
            sides.update(dict.fromkeys(pair.chunk_ids))
            whole.append(pair)
    return tuple(dict.fromkeys([*sides, *order]))[:limit], tuple(whole)
