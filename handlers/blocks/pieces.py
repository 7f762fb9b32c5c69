"""What a way of cutting makes of a text: the choice, and the first pieces with their places."""

import re
from collections.abc import Mapping, Sequence

from handlers.blocks import citation, context, forms, parts
from handlers.blocks import text as safe
from handlers.blocks.forms import Choice
from handlers.blocks.parts import Block
from handlers.blocks.texts import count, say
from rag.values import (
    LEAST_TOKENS,
    MOST_TOKENS,
    SEPARATOR_CHARACTERS,
    Chunk,
    Chunking,
    Cutting,
    Value,
)

SHOWN = 3
"""Pieces that are shown of a text."""

_PIECE = 1_500  # characters of each of them
_LINE_END = r"\n"  # as people write the end of a line
_WHOLE = re.compile("[0-9]{1,4}")


class Pieces(Value):
    """What a way of cutting makes of a text: the first pieces, and how many there are.

    ``separator``, ``merge`` and ``tokens`` are as in `Chunking`.
    """

    cutting: Cutting
    separator: str = Chunking().separator
    merge: bool = False
    tokens: int | None = None
    offered: tuple[Cutting, ...]
    first: tuple[Chunk, ...] = ()
    total: int = 0


def choice(pieces: Pieces, *, language: str) -> list[Block]:
    """The inputs in which a way of cutting is chosen; what is asked further depends on it."""
    offered = [
        Choice(value=way.value, label=say(f"cut_by_{way.value}", language=language))
        for way in pieces.offered
    ]
    size = forms.tokens(pieces.tokens, least=LEAST_TOKENS, most=MOST_TOKENS, language=language)
    return [
        forms.cutting(offered, pieces.cutting.value, language=language),
        *(_entries(pieces, language=language) if pieces.cutting is Cutting.SEPARATOR else []),
        size,
    ]


def _entries(pieces: Pieces, *, language: str) -> list[Block]:
    written = pieces.separator.replace("\n", _LINE_END)
    return [
        forms.separator(written, most=SEPARATOR_CHARACTERS, language=language),
        forms.merge(pieces.merge, language=language),
    ]


def is_size(fields: Mapping[str, Sequence[str]]) -> bool:
    """Whether the size that a form holds is one, or it holds none."""
    typed = next(iter(fields.get(forms.TOKENS, ())), "")
    size = int(typed) if _WHOLE.fullmatch(typed) else 0
    return not typed or LEAST_TOKENS <= size <= MOST_TOKENS


def chosen(fields: Mapping[str, Sequence[str]], before: Chunking) -> Chunking | None:
    """The way of cutting that a form holds, ``before`` in what it does not ask.

    None where it names none.
    """
    way = next(iter(fields.get(forms.CUTTING, ())), "")
    if way not in set(Cutting) or not is_size(fields):
        return None
    changes: dict[str, object] = {"strategy": Cutting(way)}
    if forms.TOKENS in fields:
        changes["tokens"] = int(next(iter(fields[forms.TOKENS]), "0")) or None
    written = next(iter(fields.get(forms.SEPARATOR, ())), "")
    if way == Cutting.SEPARATOR and written:
        separator = written.replace(_LINE_END, "\n")[:SEPARATOR_CHARACTERS]
        changes |= {"separator": separator, "merge": bool(fields.get(forms.MERGE))}
    return before.model_copy(update=changes)


def opening(pieces: Pieces, *, language: str) -> list[Block]:
    """The first pieces as they stand in the text, under a heading.

    Where they are left out, only how many there are.
    """
    shown = pieces.first[:SHOWN]
    if not shown:
        return [_unseen(pieces.total, language=language)] if pieces.total else []
    blocks = [
        block
        for number, chunk in enumerate(shown, start=1)
        for block in _piece(chunk, number, language=language)
    ]
    more = pieces.total - len(shown)
    rest = [parts.context(count("review_more", more, language=language))] if more else []
    heading = parts.section(safe.bold_line(say("review_opening", language=language)))
    return [heading, *blocks, *rest]


def _unseen(total: int, *, language: str) -> Block:
    pieces = count("count_pieces", total, language=language)
    return parts.context(f"{pieces} · {say('review_unseen', language=language)}")


def shows_text(blocks: Sequence[Block]) -> bool:
    """Whether a text's words stand in these blocks of ours."""
    return any(block["type"] == "rich_text" for block in blocks)


def _piece(chunk: Chunk, number: int, *, language: str) -> list[Block]:
    place = citation.place(chunk, chunk.start, chunk.end, language=language)
    path = citation.section(chunk)
    told = [
        say("review_piece", language=language, number=number),
        safe.short(place),
        *([safe.short(path, 300)] if path else []),
    ]
    kind = "rich_text_quote" if chunk.content_type == "text" else "rich_text_preformatted"
    rest = len(chunk.text) - _PIECE
    cut = [say("review_shortened", language=language, rest=rest)] if rest > 0 else []
    return [
        parts.context(" · ".join(told)),
        *context.passage(chunk.text[:_PIECE], kind),
        *(parts.context(line) for line in cut),
    ]
