"""Stage 6: the question and the selected text, within the budgets, in the working context."""

from collections.abc import Sequence

from rag.errors import BudgetExceeded
from rag.ports import CountTokens, WorkingContext
from rag.text.tokenise import terms
from rag.values import (
    Chunk,
    ContextPack,
    Evidence,
    Indexed,
    Limits,
    Plan,
    Request,
    Retrieved,
    Selection,
)

_SHORTEST = 200  # characters; less than this of a chunk is no passage


async def assemble(
    request: Request,
    plan: Plan,
    indexed: Indexed,
    retrieved: Retrieved,
    selection: Selection,
    *,
    context: WorkingContext,
    count_tokens: CountTokens,
    limits: Limits,
) -> ContextPack:
    """Put the evidence into the working context.

    Over budget a chunk is shortened to whole paragraphs; a side of a
    contradiction, and a facet's only evidence, is never dropped. Raises
    `BudgetExceeded`, `ContextUnavailable`.
    """
    pins = {pinned.source_id: pinned for pinned in indexed.pinned}
    chunks = {candidate.chunk.id: candidate.chunk for candidate in retrieved.candidates}
    chosen = _fit([chunks[key] for key in _order(selection)], plan, selection, limits)
    evidence = tuple(Evidence(chunk=chunk, source=pins[chunk.source_id]) for chunk in chosen)
    text = "\n".join(chunk.text for chunk in chosen)
    tokens = count_tokens(text)
    if tokens > limits.evidence_tokens:
        raise BudgetExceeded("the evidence has too many tokens", limit="evidence_tokens")
    pack = ContextPack(
        task=request.task,
        question=request.question,
        plan=plan,
        evidence=evidence,
        missing=selection.missing,
        contradictions=selection.contradictions,
        unreadable=indexed.unreadable,
        characters=sum(len(chunk.text) for chunk in chosen),
        tokens=tokens,
    )
    await context.update(pack)
    return pack


def _order(selection: Selection) -> list[str]:
    """Sides of contradictions first, then the selection's own order."""
    sides = [chunk for pair in selection.contradictions for chunk in pair.chunk_ids]
    return list(dict.fromkeys([*sides, *selection.chunk_ids]))


def _fit(chunks: Sequence[Chunk], plan: Plan, selection: Selection, limits: Limits) -> list[Chunk]:
    wanted = set(terms(" ".join([plan.rewritten, *(facet.text for facet in plan.facets)])))
    room, fitted = limits.evidence_characters, []
    for number, chunk in enumerate(chunks):
        needed = _needed(chunk, chunks[:number], selection)
        share = max(_SHORTEST, room // (len(chunks) - number)) if needed else room
        passage = chunk if len(chunk.text) <= share else _shorten(chunk, wanted, share)
        if passage is None and needed:
            raise BudgetExceeded("the evidence does not fit", limit="evidence_characters")
        if passage is not None:
            fitted.append(passage)
            room -= len(passage.text)
    return fitted


def _needed(chunk: Chunk, before: Sequence[Chunk], selection: Selection) -> bool:
    """Whether dropping ``chunk`` would lose a contradiction's side or a facet's only evidence."""
    if any(chunk.id in pair.chunk_ids for pair in selection.contradictions):
        return True
    facets = {verdict.chunk_id: set(verdict.facets) for verdict in selection.verdicts}
    covered: set[str] = set()
    for other in before:
        covered |= facets.get(other.id, set())
    return not facets.get(chunk.id, set()) <= covered


def _shorten(chunk: Chunk, wanted: set[str], most: int) -> Chunk | None:
    """The run of whole paragraphs around the best one that fits ``most`` characters."""
    spans = _paragraphs(chunk.text)
    weights = [len(wanted.intersection(terms(chunk.text[a:b]))) for a, b in spans]
    if not spans:
        return None
    first = last = max(range(len(spans)), key=lambda number: weights[number])
    if spans[last][1] - spans[first][0] > most:
        return None
    while True:
        grown = [(first - 1, last), (first, last + 1)]
        fitting = [
            (a, b)
            for a, b in grown
            if a >= 0 and b < len(spans) and spans[b][1] - spans[a][0] <= most
        ]
        if not fitting:
            break
        first, last = max(fitting, key=lambda pair: weights[pair[0]] + weights[pair[1]])
    return _part(chunk, spans[first][0], spans[last][1])


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Offsets of the stretches between blank lines; of the lines where there are none."""
    for separator in ("\n\n", "\n"):
        spans, at = [], 0
        for piece in text.split(separator):
            if piece.strip():
                spans.append((at, at + len(piece)))
            at += len(piece) + len(separator)
        if len(spans) > 1:
            return spans
    return [(0, len(text))] if text.strip() else []


def _part(chunk: Chunk, start: int, end: int) -> Chunk:
    first = chunk.lines[0] + chunk.text.count("\n", 0, start)
    return chunk.model_copy(
        update={
            "start": chunk.start + start,
            "end": chunk.start + end,
            "text": chunk.text[start:end],
            "lines": (first, first + chunk.text.count("\n", start, end)),
        }
    )
