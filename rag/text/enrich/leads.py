"""Which chunks a question leads to."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from rag.text.chunk.outline import among
from rag.values import Chunk, Pair

_MOST = 20  # questions that lead to one chunk


def led_to(chunks: Sequence[Chunk], pairs: Iterable[Pair], text: str) -> tuple[Chunk, ...]:
    """The chunks of ``text`` with each pair's question on those that hold its answer alone.

    A chunk that holds the question too, or stands below it as its heading, is found by it as
    it is.
    """
    leads: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for pair in pairs:
        for chunk in among(chunks, pair.start, pair.end):
            question = " ".join(text[slice(*pair.asked)].split())
            if not _holds(chunk, pair) and question not in chunk.searched_above:
                leads[chunk.ordinal][question] = None
    return tuple(_with(chunk, tuple(leads[chunk.ordinal])) for chunk in chunks)


def _holds(chunk: Chunk, pair: Pair) -> bool:
    return chunk.start <= pair.asked[0] and pair.asked[1] <= chunk.end


def _with(chunk: Chunk, questions: tuple[str, ...]) -> Chunk:
    if not questions:
        return chunk
    return chunk.model_copy(update={"leads": (*chunk.leads, *questions)[:_MOST]})
