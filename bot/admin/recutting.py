"""How a source is cut, and what it would be with another way of cutting."""

import asyncio
from pathlib import PurePath

from bot.loaders.chunking import CUTTINGS
from bot.loaders.registry import FORMATS, MARKDOWN
from bot.parts import Parts
from bot.sources.originals import at_hand
from handlers.blocks.pieces import SHOWN, Pieces
from rag.errors import SourceUnreadable
from rag.values import CHUNKING, Chunk, Cutting, Kind, Source


def cutting_of(source: Source) -> str:
    """The way of cutting that a source's entry names; empty for its format's own."""
    return str((source.metadata.get(CHUNKING) or {}).get("strategy") or "")


def recut_as(source: Source, cutting: str, *, file_format: str) -> Source:
    """The source cut in that way; in its format's own for one that does not suit it."""
    suiting = [way.value for way in CUTTINGS[file_format]]
    entry = dict(source.metadata.get(CHUNKING) or {})
    entry.pop("strategy", None)
    if cutting in suiting[1:]:
        entry["strategy"] = cutting
    kept = {key: value for key, value in source.metadata.items() if key != CHUNKING}
    return source.model_copy(update={"metadata": kept | ({CHUNKING: entry} if entry else {})})


def pieces_of(chunks: tuple[Chunk, ...], source: Source, file_format: str) -> Pieces:
    """What the source's way of cutting makes of its text."""
    offered = CUTTINGS[file_format]
    named = cutting_of(source)
    return Pieces(
        cutting=Cutting(named) if named in offered else offered[0],
        offered=offered,
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


async def previewed(parts: Parts, source: Source, cutting: str) -> Pieces | None:
    """What ``cutting`` would make of a source's text, or the choice alone where it is empty.

    None where the text is not at hand, or cannot be cut that way.
    """
    file_format = await format_of(source)
    if file_format is None:
        return None
    if not cutting:
        return pieces_of((), source, file_format)
    wanted = recut_as(source, cutting, file_format=file_format)
    try:
        return pieces_of(await parts.preview(wanted), wanted, file_format)
    except SourceUnreadable:
        return None


async def wanted_cut(parts: Parts, source: Source, cutting: str) -> Source:
    """The source cut in that way, which was tried.

    Raises `SourceUnreadable` where its text is not at hand or cannot be cut that way.
    """
    file_format = await format_of(source)
    if file_format is None or cutting not in CUTTINGS[file_format]:
        message = f"source {source.id} cannot be cut anew here"
        raise SourceUnreadable(message, source_id=source.id, title=source.title)
    wanted = recut_as(source, cutting, file_format=file_format)
    await parts.preview(wanted)
    return wanted
