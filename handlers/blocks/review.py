"""A file before it is live: what becomes of it stage by stage, then what it holds."""

from collections.abc import Sequence

from handlers.blocks import admin, citation, context, forms, parts
from handlers.blocks import text as safe
from handlers.blocks.admin import ReaderFields
from handlers.blocks.context import View
from handlers.blocks.forms import Choice
from handlers.blocks.parts import Block
from handlers.blocks.texts import count, say
from rag.values import Chunk, Cutting, SourceStatus, Value

SHOWN = 3
"""Pieces that are shown of a text."""

_PIECE = 1_500  # characters of each of them
_KILO = 1024


class Extent(Value):
    """How much a file holds: its format, its bytes, and what can be counted in it."""

    format: str
    size: int
    pages: int = 0
    slides: int = 0
    sheets: int = 0
    characters: int = 0


class Pieces(Value):
    """What a way of cutting makes of a text: the first pieces, and how many there are."""

    cutting: Cutting
    offered: tuple[Cutting, ...]
    first: tuple[Chunk, ...]
    total: int


class Review(Value):
    """A file that was read and is not live. ``notes`` are keys of what its owner should know.

    ``replaces`` is the title of the source that it would be a new version of, else empty.
    """

    title: str
    extent: Extent
    pieces: Pieces
    notes: tuple[str, ...] = ()
    replaces: str = ""
    readers: ReaderFields
    owner: str = ""
    status: SourceStatus
    token: str


def fetching(*, language: str) -> View:
    """What stands there at once, the same for every file."""
    return stages((), "review_fetching", language=language)


def reading(size: int, *, language: str) -> View:
    """The file is there; it is being read."""
    return stages((_fetched(size, language=language),), "review_reading", language=language)


def cutting(extent: Extent, *, language: str) -> View:
    """The file is read; it is being cut into pieces."""
    counted = " · ".join(_counted(extent, language=language))
    done = (
        _fetched(extent.size, language=language),
        say("review_read", language=language, counted=counted),
    )
    return stages(done, "review_cutting", language=language)


def stages(done: Sequence[str], under_way: str, *, language: str) -> View:
    """The stages that are behind, and the one that is under way."""
    lines = [*done, say(under_way, language=language)]
    return context.modal("review_title", [parts.section("\n".join(lines))], language=language)


def _fetched(size: int, *, language: str) -> str:
    return say("review_fetched", language=language, size=_size(size, language=language))


def _size(size: int, *, language: str) -> str:
    if size < _KILO:
        return say("size_bytes", language=language, amount=size)
    kilo = size / _KILO
    if kilo < _KILO:
        return say("size_kb", language=language, amount=kilo)
    return say("size_mb", language=language, amount=kilo / _KILO)


def _counted(extent: Extent, *, language: str) -> list[str]:
    units = ("pages", "slides", "sheets")
    told = [say(f"format_{extent.format}", language=language)]
    told += [
        count(f"count_{unit}", number, language=language)
        for unit in units
        if (number := getattr(extent, unit))
    ]
    return [*told, say("count_characters", language=language, count=extent.characters)]


def review(shown: Review, *, language: str) -> View:
    """All that tells whether it should go live, and the inputs for who may read it then."""
    blocks = [
        *_heading(shown, language=language),
        forms.cutting(
            cuttings(shown.pieces.offered, language=language),
            shown.pieces.cutting.value,
            language=language,
        ),
        *opening(shown.pieces, language=language),
        parts.divider(),
        *admin.reader_fields(shown.readers, language=language),
        forms.owner(shown.owner, language=language),
        admin.status_field(shown.status, language=language),
    ]
    view = context.modal("review_title", blocks, language=language, metadata=shown.token)
    return view | {
        "callback_id": forms.ADMIN_REVIEW,
        "submit": parts.plain_text(say("review_live", language=language)),
        "close": parts.plain_text(say("review_discard", language=language)),
        "notify_on_close": True,
    }


def _heading(shown: Review, *, language: str) -> list[Block]:
    pieces = count("count_pieces", shown.pieces.total, language=language)
    size = _size(shown.extent.size, language=language)
    told = [*_counted(shown.extent, language=language), size, pieces]
    notes = [say(note, language=language) for note in shown.notes]
    if shown.replaces:
        title = safe.bold_line(shown.replaces)
        notes.insert(0, say("review_replaces", language=language, title=title))
    return [
        parts.section(f"{safe.bold_line(shown.title)}\n{' · '.join(told)}"),
        *(parts.context(f"⚠ {note}") for note in notes),
        parts.context(say("review_not_live", language=language)),
    ]


def cuttings(offered: Sequence[Cutting], *, language: str) -> list[Choice]:
    """The ways of cutting as choices."""
    return [
        Choice(value=way.value, label=say(f"cut_by_{way.value}", language=language))
        for way in offered
    ]


def opening(pieces: Pieces, *, language: str) -> list[Block]:
    """The first pieces with their places, as they stand in the text."""
    shown = pieces.first[:SHOWN]
    blocks = [
        block
        for number, chunk in enumerate(shown, start=1)
        for block in _piece(chunk, number, language=language)
    ]
    more = pieces.total - len(shown)
    rest = [parts.context(count("review_more", more, language=language))] if more else []
    if not blocks:
        return []
    heading = parts.section(safe.bold_line(say("review_opening", language=language)))
    return [heading, *blocks, *rest]


def _piece(chunk: Chunk, number: int, *, language: str) -> list[Block]:
    place = citation.place_of_chunk(chunk, language=language)
    path = " › ".join(chunk.heading_path)
    told = [
        say("review_piece", language=language, number=number),
        safe.short(place, 150),
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
