"""A file as it is shown before it is live, and what it becomes once it is."""

import re
from pathlib import PurePosixPath

from bot.admin.listing import language_for
from bot.admin.looks import Look, Window, look_of, mark_of, sealed_look
from bot.admin.reader_fields import MOST, fields_of
from bot.admin.recutting import chosen_for, chunking_in, pieces_of, recut_as
from bot.loaders.describe import language_in
from bot.loaders.loaded import Loaded
from bot.loaders.outlining import said_in, titled
from bot.parts import Parts
from bot.questions.rechecking import may_read
from bot.record import Staged
from bot.slack.identity import Proved
from bot.sources.originals import name_of
from bot.sources.staged import KEPT
from bot.sources.told import BY_HAND, by_hand, circle, replaces_none
from handlers.blocks import admin
from handlers.blocks.context import View
from handlers.blocks.review import Extent, Review, review
from handlers.deps import Fields, Submitted
from rag.values import CHUNKING, Chunk, Kind, Source

_UPLOADS = "uploads"
_NOT_IN_IDS = re.compile(r"[^\w.\-]+")
_ID = 200  # characters


async def kept(parts: Parts, look: Look) -> Staged | None:
    """The file that is looked at; None once it is gone. Raises `StoreUnavailable`."""
    if not look.staged:
        return None
    found = await parts.record.staged.get(tenant=parts.tenant, ident=look.staged)
    return found if found and parts.now() - found.at < KEPT else None


async def forget(parts: Parts, form: Submitted) -> str:
    """Drop the file that a window showed, for whom it showed it; its id, empty for none there was.

    Raises `StoreUnavailable`.
    """
    look = look_of(parts, form.token, user=form.sender.user_id)
    if look is None or not look.staged:
        return ""
    gone = await parts.record.staged.drop(tenant=parts.tenant, ident=look.staged)
    return look.staged if gone else ""


async def source_of(parts: Parts, source_id: str) -> Source | None:
    """The source of that id, where there is one. Raises `StoreUnavailable`."""
    found = await parts.record.sources.get(tenant=parts.tenant, source_ids=[source_id])
    return found[0] if found else None


def uploaded_id(name: str) -> str:
    """The id of the source that a file of that name becomes."""
    return f"{_UPLOADS}/{_NOT_IN_IDS.sub('-', PurePosixPath(name).name)[-_ID:]}"


def described(staged: Staged, *, known: Source | None, fields: Fields | None = None) -> Source:
    """The file as a source. Its text lies in the record alone, so its ``ref`` leads nowhere.

    Where ``fields`` name no way of cutting it is cut as ``known``, the version before it, is.
    What a person set of that holds on, but for its status: a new version may bring it back.
    """
    said = said_in(staged.loaded)
    ident = uploaded_id(staged.name)
    told = {
        key: value
        for key, value in said.model_dump(exclude={"title", "language"}).items()
        if value is not None
    }
    source = Source(
        id=ident,
        tenant=staged.tenant,
        title=titled(staged.loaded, fallback=PurePosixPath(staged.name).stem),
        kind=Kind.DOCUMENT,
        ref=f"slack:{ident}",
        readers=known.readers if known else (),
        language=said.language or language_in(staged.loaded.text),
        metadata=_metadata(known),
        **({"owner": known.owner if known else ""} | told),
    )
    if known:
        by_a_person = by_hand(known) - {"status"}
        source = source.model_copy(update={name: getattr(known, name) for name in by_a_person})
    kept = chunking_in(source, file_format=staged.loaded.format)
    cut = chosen_for(source, fields or {}, file_format=staged.loaded.format)
    return cut or recut_as(source, kept, file_format=staged.loaded.format)


def _metadata(known: Source | None) -> dict[str, object]:
    """What holds of a source whatever its files say."""
    metadata = known.metadata if known else {}
    return {name: metadata[name] for name in (CHUNKING, BY_HAND) if metadata.get(name)}


def is_as_shown(known: Source | None, source: Source, staged: Staged, look: Look) -> bool:
    """Whether nobody but ourselves, before a crash, changed the source since it was shown."""
    mark = mark_of(known) if known else ""
    version = (known.snapshot if known else None) or ""
    ours = (mark_of(source), name_of(staged.loaded.text))
    return mark in (look.mark, ours[0]) and version in (look.version, ours[1])


async def reviewed(parts: Parts, look: Look, proved: Proved) -> View:
    """The window that shows a file before it is live.

    Raises `SourceUnreadable`, `SlackUnavailable`, `StoreUnavailable`.
    """
    language = language_for(proved)
    staged = await kept(parts, look)
    if staged is None:
        return admin.told("review_gone", language=language)
    return await review_of(parts, staged, look, proved)


async def review_of(parts: Parts, staged: Staged, look: Look, proved: Proved) -> View:
    """As `reviewed`, of a file at hand."""
    language = language_for(proved)
    known = await source_of(parts, uploaded_id(staged.name))
    source = described(staged, known=known, fields=look.fields)
    readers = await fields_of(parts, source.readers, language=language)
    if len(readers.offered) > MOST:
        return admin.told("admin_too_many", language=language)
    chunks = await parts.preview(source, staged.loaded)
    shown = Review(
        title=source.title,
        extent=extent_of(staged.loaded, size=staged.size),
        pieces=pieces_of(chunks, source, staged.loaded.format),
        notes=await _notes(parts, staged, chunks, known=known, proved=proved),
        replaces=known.title if known else "",
        replaces_none=await _replaces_none(parts, source),
        readers=readers,
        owner=source.owner,
        status=source.status,
        token=_token(parts, look, staged, known),
    )
    return review(shown, language=language)


async def _replaces_none(parts: Parts, source: Source) -> str:
    """What it says it supersedes, where there is no such source."""
    others = await parts.record.sources.list(tenant=parts.tenant)
    gone = await parts.record.sources.removed(tenant=parts.tenant)
    wrong = replaces_none([source, *(one for one in others if one.id != source.id)], gone)
    return (source.supersedes or "") if source.id in wrong else ""


async def leads_back(parts: Parts, source: Source) -> bool:
    """Whether what it supersedes would, in its turn, supersede it."""
    others = await parts.record.sources.list(tenant=parts.tenant)
    links = {one.id: one.supersedes for one in others} | {source.id: source.supersedes}
    return bool(circle(links, source.id))


def _token(parts: Parts, look: Look, staged: Staged, known: Source | None) -> str:
    changes = {
        "window": Window.REVIEW,
        "source": uploaded_id(staged.name),
        "staged": staged.id,
        "mark": mark_of(known) if known else "",
        "version": (known.snapshot if known else None) or "",
    }
    return sealed_look(parts, look.model_copy(update=changes))


def extent_of(loaded: Loaded, *, size: int) -> Extent:
    """What can be counted in a file of ``size`` bytes."""
    found = loaded.locators
    return Extent(
        format=loaded.format,
        size=size,
        pages=len({one.page for one in found if one.page}),
        slides=len({one.slide for one in found if one.slide}),
        sheets=len({one.sheet for one in found if one.sheet}),
        characters=len(loaded.text),
    )


async def _notes(
    parts: Parts,
    staged: Staged,
    chunks: tuple[Chunk, ...],
    *,
    known: Source | None,
    proved: Proved,
) -> tuple[str, ...]:
    same = known is not None and known.snapshot == name_of(staged.loaded.text)
    same = same and await may_read(parts, proved, [uploaded_id(staged.name)])
    return (
        *(f"caution_{caution.value}" for caution in staged.loaded.cautions),
        *(() if chunks else ("review_nothing",)),
        *(("review_same",) if same else ()),
    )
