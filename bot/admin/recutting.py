"""How a source is cut, and what it would be with another way of cutting."""

import asyncio
from pathlib import PurePath

from pydantic import ValidationError

from bot.loaders.chunking import CUTTINGS
from bot.loaders.registry import FORMATS, MARKDOWN
from bot.parts import Parts
from bot.sources.originals import at_hand
from handlers.blocks.pieces import SHOWN, Pieces, chosen
from handlers.deps import Fields
from rag.errors import SourceUnreadable
from rag.values import CHUNKING, Chunk, Chunking, Kind, Source


def chunking_in(source: Source, *, file_format: str) -> Chunking:
    """How a source's entry wants it cut; in its format's own way where it names none that suits."""
    try:
        entry = Chunking.model_validate(source.metadata.get(CHUNKING) or {})
    except ValidationError:
        entry = Chunking()
    offered = CUTTINGS[file_format]
    way = entry.strategy if entry.strategy in offered else offered[0]
    return entry.model_copy(update={"strategy": way})


def recut_as(source: Source, wanted: Chunking, *, file_format: str) -> Source:
    """The source cut in that way; in its format's own for one that does not suit it."""
    named = wanted.strategy if wanted.strategy in CUTTINGS[file_format][1:] else None
    kept = {key: value for key, value in source.metadata.items() if key != CHUNKING}
    entry = wanted.model_copy(update={"strategy": named})
    if said := entry.model_dump(mode="json", exclude_defaults=True):
        kept[CHUNKING] = said
    return source.model_copy(update={"metadata": kept})


def chosen_for(source: Source, fields: Fields, *, file_format: str) -> Source | None:
    """The source cut as a form wants it; None where the form names no way that suits it."""
    wanted = chosen(fields, chunking_in(source, file_format=file_format))
    if wanted is None or wanted.strategy not in CUTTINGS[file_format]:
        return None
    return recut_as(source, wanted, file_format=file_format)


def pieces_of(chunks: tuple[Chunk, ...], source: Source, file_format: str) -> Pieces:
    """What the source's way of cutting makes of its text."""
    chunking = chunking_in(source, file_format=file_format)
    return Pieces(
        cutting=chunking.strategy or CUTTINGS[file_format][0],
        separator=chunking.separator,
        merge=chunking.merge,
        tokens=chunking.tokens,
        offered=CUTTINGS[file_format],
        first=chunks[:SHOWN],
        total=len(chunks),
    )


async def format_of(source: Source) -> str | None:
    """What a source's text can be cut as; None where it is not at hand to be cut anew."""
    if source.kind is Kind.INTERNAL:
        return MARKDOWN.name
    if not await asyncio.to_thread(at_hand, source):
        return None
    suffix = PurePath(source.ref).suffix.lower()
    return next((form.name for form in FORMATS if suffix in form.suffixes), None)


async def previewed(parts: Parts, source: Source, fields: Fields) -> Pieces | None:
    """What a form's way of cutting would make of a source's text; the choice alone without one.

    None where the text is not at hand, or cannot be cut that way.
    """
    file_format = await format_of(source)
    if file_format is None:
        return None
    wanted = chosen_for(source, fields, file_format=file_format)
    if wanted is None:
        return pieces_of((), source, file_format)
    try:
        return pieces_of(await parts.preview(wanted), wanted, file_format)
    except SourceUnreadable:
        return None


async def wanted_cut(parts: Parts, source: Source, fields: Fields) -> Source | None:
    """The source cut as a form wants it, which was tried; None where it is cut so already.

    Raises `SourceUnreadable` where its text is not at hand or cannot be cut that way.
    """
    file_format = await format_of(source)
    wanted = chosen_for(source, fields, file_format=file_format) if file_format else None
    if file_format is None or wanted is None:
        message = f"source {source.id} cannot be cut anew here"
        raise SourceUnreadable(message, source_id=source.id, title=source.title)
    now, then = (chunking_in(each, file_format=file_format) for each in (source, wanted))
    if now == then:
        return None
    await parts.preview(wanted)
    return wanted
