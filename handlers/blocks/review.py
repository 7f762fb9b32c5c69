"""A file before it is live: what becomes of it stage by stage, then what it holds."""

from collections.abc import Sequence

from handlers.blocks import admin, context, forms, parts, pieces
from handlers.blocks import text as safe
from handlers.blocks.admin import ReaderFields
from handlers.blocks.context import View
from handlers.blocks.parts import Block
from handlers.blocks.pieces import Pieces
from handlers.blocks.texts import count, say
from rag.values import SourceStatus, Value

_KILO = 1024


class Extent(Value):
    """How much a file holds: its format, its bytes, and what can be counted in it."""

    format: str
    size: int
    pages: int = 0
    slides: int = 0
    sheets: int = 0
    characters: int = 0


class Review(Value):
    """A file that was read and is not live. ``notes`` are keys of what its owner should know.

    ``replaces`` is the title of the source that it would be a new version of, else empty;
    ``replaces_none`` names what it says it supersedes where there is no such source.
    """

    title: str
    extent: Extent
    pieces: Pieces
    notes: tuple[str, ...] = ()
    replaces: str = ""
    replaces_none: str = ""
    readers: ReaderFields
    owner: str = ""
    status: SourceStatus
    token: str


def fetching(*, language: str) -> View:
    """What stands there at once, the same for every file."""
    return _stages((), "review_fetching", language=language)


def reading(size: int, *, language: str) -> View:
    """The file is there; it is being read."""
    return _stages((_fetched(size, language=language),), "review_reading", language=language)


def cutting(extent: Extent, *, language: str) -> View:
    """The file is read; it is being cut into pieces."""
    counted = " · ".join(_counted(extent, language=language))
    done = (
        _fetched(extent.size, language=language),
        say("review_read", language=language, counted=counted),
    )
    return _stages(done, "review_cutting", language=language)


def _stages(done: Sequence[str], under_way: str, *, language: str) -> View:
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
        *pieces.choice(shown.pieces, language=language),
        *pieces.opening(shown.pieces, language=language),
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
    cut = count("count_pieces", shown.pieces.total, language=language)
    size = _size(shown.extent.size, language=language)
    told = [*_counted(shown.extent, language=language), size, cut]
    notes = [say(note, language=language) for note in shown.notes]
    if shown.replaces:
        title = safe.bold_line(shown.replaces)
        notes.insert(0, say("review_replaces", language=language, title=title))
    if shown.replaces_none:
        named = safe.short(shown.replaces_none, 200)
        notes.append(say("replaces_none", language=language, named=named))
    return [
        parts.section(f"{safe.bold_line(shown.title)}\n{' · '.join(told)}"),
        *(parts.context(f"⚠ {note}") for note in notes),
        parts.context(say("review_not_live", language=language)),
    ]
