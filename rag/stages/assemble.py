"""Stage 6: the question and the selected text, within the budgets, in the working context."""

from collections.abc import Iterable, Sequence

from rag.errors import BudgetExceeded
from rag.ports import CountTokens, WorkingContext
from rag.text.chunk.outline import among
from rag.text.sentences import sentences
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

    Over budget chunks are shortened to whole paragraphs, lines or sentences, and
    the last ones left out; a side of a contradiction, and a facet's first
    evidence, never is. Raises
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
    """All chunks where they fit; else what must not be lost first, then the others in order."""
    room = limits.evidence_characters
    if _length(chunks) <= room:
        return list(chunks)
    wanted = set(terms(" ".join([plan.rewritten, *(facet.text for facet in plan.facets)])))
    needed = _needed(chunks, selection)
    kept = {chunk.id: chunk for chunk in _shared_out(needed, wanted, room)}
    room -= _length(kept.values())
    for chunk in chunks:
        passage = None if chunk in needed else _passage(chunk, wanted, room)
        if passage is not None:
            kept[chunk.id] = passage
            room -= len(passage.text)
    return [kept[chunk.id] for chunk in chunks if chunk.id in kept]


def _length(chunks: Iterable[Chunk]) -> int:
    return sum(len(chunk.text) for chunk in chunks)


def _shared_out(needed: Sequence[Chunk], wanted: set[str], room: int) -> list[Chunk]:
    """The needed chunks whole, or each within its share of ``room``. Raises `BudgetExceeded`."""
    if _length(needed) <= room:
        return list(needed)
    passages: list[Chunk] = []
    for number, chunk in enumerate(needed):
        share = (room - _length(passages)) // (len(needed) - number)
        passage = _passage(chunk, wanted, share)
        if passage is None:
            raise BudgetExceeded("the evidence does not fit", limit="evidence_characters")
        passages.append(passage)
    return passages


def _needed(chunks: Sequence[Chunk], selection: Selection) -> list[Chunk]:
    """Chunks whose loss would lose a contradiction's side or a facet's first evidence."""
    sides = {chunk_id for pair in selection.contradictions for chunk_id in pair.chunk_ids}
    facets = {verdict.chunk_id: set(verdict.facets) for verdict in selection.verdicts}
    covered: set[str] = set()
    needed = []
    for chunk in chunks:
        new = facets.get(chunk.id, set()) - covered
        if new or chunk.id in sides:
            needed.append(chunk)
        covered |= new
    return needed


def _passage(chunk: Chunk, wanted: set[str], most: int) -> Chunk | None:
    """The chunk where it fits, else a shorter complete passage of it, else None."""
    if len(chunk.text) <= most:
        return chunk
    return _shorten(chunk, wanted, most) if most >= _SHORTEST else None


def _shorten(chunk: Chunk, wanted: set[str], most: int) -> Chunk | None:
    """The run of whole paragraphs, lines or sentences around the best that fits ``most``."""
    for spans in (_split(chunk.text, "\n\n"), _split(chunk.text, "\n"), _sentences(chunk.text)):
        run = _run(chunk.text, spans, wanted, most)
        if run is not None:
            return _part(chunk, *run)
    return None


def _run(
    text: str, spans: Sequence[tuple[int, int]], wanted: set[str], most: int
) -> tuple[int, int] | None:
    """From the span with most wanted words, grown to its better side while it fits."""
    weights = [len(wanted.intersection(terms(text[a:b]))) for a, b in spans]
    first = last = max(range(len(spans)), key=lambda number: weights[number], default=-1)
    if first < 0 or spans[last][1] - spans[first][0] > most:
        return None
    while True:
        sides = {first - 1: (first - 1, last), last + 1: (first, last + 1)}
        fitting = [
            side
            for side, (a, b) in sides.items()
            if 0 <= side < len(spans) and spans[b][1] - spans[a][0] <= most
        ]
        if not fitting:
            return spans[first][0], spans[last][1]
        first, last = sides[max(fitting, key=lambda side: weights[side])]


def _split(text: str, separator: str) -> list[tuple[int, int]]:
    spans, at = [], 0
    for piece in text.split(separator):
        if piece.strip():
            spans.append((at, at + len(piece)))
        at += len(piece) + len(separator)
    return spans


def _sentences(text: str) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in sentences(text)]


def _part(chunk: Chunk, start: int, end: int) -> Chunk:
    first = chunk.lines[0] + chunk.text.count("\n", 0, start)
    locators = tuple(among(chunk.locators, chunk.start + start, chunk.start + end))
    return chunk.model_copy(
        update={
            "locators": locators,
            "page": next((one.page for one in locators if one.page), chunk.page),
            "start": chunk.start + start,
            "end": chunk.start + end,
            "text": chunk.text[start:end],
            "lines": (first, first + chunk.text.count("\n", start, end)),
        }
    )
