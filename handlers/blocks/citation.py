"""One citation: folded under its title where Slack can fold, flat where it cannot."""

import re
from collections.abc import Sequence
from datetime import date

from handlers.blocks import actions, parts
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.scene import Cited, Room, Scene
from handlers.blocks.texts import say
from rag.values import Chunk, Locator, Pinned, SourceStatus, place_of

_PIECE = 2_900
_VERSION = 7
_NAME = 40  # characters of a sheet's or a row's name
_HEADING = 60  # characters of a heading
_PATH = 80  # characters of headings one below the other
_STEP = " › "
_SENTENCE_END = re.compile(r"[。！？；]|[.!?](?=\s|$)|\n")


def locator(cited: Cited, *, language: str) -> str:
    """Where in the original the quote stands, as `place` tells it; still unsafe."""
    quote = cited.citation
    return place(cited.chunk, quote.start, quote.end, language=language)


def place(chunk: Chunk, start: int, end: int, *, language: str) -> str:
    """Where characters of a snapshot stand, as their kind of original counts; still unsafe.

    Pages, slides, cells of a sheet, rows, the headings above; lines where the text is the
    original.
    """
    lines = chunk.lines_of(start, end)
    found = place_of(chunk.locators, start, end)
    if not found:
        return _lines(*lines, page=chunk.page, language=language)
    told = _place(*found, language=language) or _range("text_line", *lines, language=language)
    if not any(one.recognised for one in found):
        return told
    return f"{told} · {say('recognised', language=language)}"


def _place(found: Locator, last: Locator, *, language: str) -> str:
    if found.sheet:
        key = "on_cells" if found.cells else "on_sheet"
        sheet = safe.trimmed(found.sheet, _NAME)
        return say(key, language=language, sheet=sheet, cells=found.cells)
    for one, first, end in (
        ("slide", found.slide, last.slide),
        ("page", found.page, last.page),
    ):
        if first is not None:
            key = f"on_{one}" if end in (None, first) else f"on_{one}s"
            return say(key, language=language, first=first, last=end)
    if found.cells:
        return say("in_cells", language=language, cells=found.cells)
    return _rows(found, last, language=language) or _under(found, last, language=language)


def _rows(found: Locator, last: Locator, *, language: str) -> str:
    row, last_row = (safe.trimmed(one.row, _NAME) if one.row else "" for one in (found, last))
    if not row:
        return ""
    key = "on_row" if last_row in ("", row) else "on_rows"
    return say(key, language=language, row=row, last=last_row)


def _under(found: Locator, last: Locator, *, language: str) -> str:
    path, last_path = (_path(one.heading_path) for one in (found, last))
    if not path:
        return ""
    key = "under" if last_path in ("", path) else "under_several"
    return say(key, language=language, path=path, last=last_path)


def _path(headings: Sequence[str]) -> str:
    """The headings, the outermost first; where they are too long, the innermost stay."""
    names = [safe.trimmed(heading, _HEADING) for heading in headings]
    kept = names
    while len(kept) > 1 and len(_STEP.join(kept)) > _PATH:
        kept = kept[1:]
    return _STEP.join(kept if kept == names else ["…", *kept])


def section(chunk: Chunk) -> str:
    """The headings above a chunk, where its place does not tell them; unsafe too."""
    told = any(one.heading_path for one in chunk.locators)
    return "" if told else _STEP.join(chunk.heading_path)


def _lines(first: int, last: int, *, page: int | None, language: str) -> str:
    told = [_range("line", first, last, language=language)]
    if page is not None:
        told.append(say("page", language=language, page=page))
    return " · ".join(told)


def _range(key: str, first: int, last: int, *, language: str) -> str:
    return say(key if first == last else f"{key}s", language=language, first=first, last=last)


def title(cited: Cited, *, language: str, limit: int = 150) -> str:
    """ "[1] Title · lines 12–14 · p. 3", still unsafe; a long title gives way, the place never."""
    head, tail = f"[{cited.number}] ", f" · {locator(cited, language=language)}"
    room = limit - len(head) - len(tail)
    return head + safe.trimmed(cited.source.title, room) + tail


def _folded_title(cited: Cited, *, language: str) -> str:
    """The title made inert, at most 150 characters with what that inserts."""
    limit = 150
    while len(shown := safe.literal(title(cited, language=language, limit=limit))) > 150:
        limit -= len(shown) - 150
    return shown


def version(source: Pinned, *, language: str) -> str:
    """The snapshot's short name."""
    return say("version", language=language, version=source.snapshot[:_VERSION])


def keepers(source: Pinned, *, language: str) -> str:
    """Who answers for the source and when it last changed; still unsafe."""
    owner = safe.trimmed(source.owner, 60) if source.owner else ""
    named = say("owner", language=language, owner=owner) if owner else ""
    told = [named or say("no_owner", language=language)]
    if source.updated_at is not None:
        told.append(say("updated", language=language, day=source.updated_at.date().isoformat()))
    return " · ".join(told)


def warnings(source: Pinned, *, today: date, changed: bool, language: str) -> tuple[str, ...]:
    """What a reader must know before relying on the source."""
    found = []
    held = source.status is SourceStatus.CURRENT or source.upcoming
    if not held:
        found.append(say(f"warn_{source.status.value}", language=language))
    elif source.effective_until is not None and source.effective_until < today:
        found.append(say("warn_superseded", language=language))
    elif source.effective_from is not None and source.effective_from > today:
        day = source.effective_from.isoformat()
        found.append(say("warn_upcoming", language=language, day=day))
    if changed:
        found.append(say("warn_changed", language=language))
    if source.review_by is not None and source.review_by < today:
        found.append(say("warn_review", language=language, day=source.review_by.isoformat()))
    return tuple(found)


def warned(scene: Scene, source: Pinned) -> tuple[str, ...]:
    """The warnings that hold for ``source`` as this scene is shown."""
    changed = source.source_id in scene.shown.changed
    return warnings(source, today=scene.today, changed=changed, language=scene.language)


def opening(quote: str, longest: int) -> str:
    """The first sentences of ``quote`` within ``longest`` characters; a prefix of it."""
    if len(quote) <= longest:
        return quote
    ends = [found.end() for found in _SENTENCE_END.finditer(quote, 0, longest)]
    if ends:
        return quote[: ends[-1]].rstrip()
    space = quote.rfind(" ", longest // 2, longest)
    return quote[: space if space > 0 else longest]


def _barred(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in safe.mrkdwn(text).split("\n"))


def _fenced(text: str) -> str:
    return f"```\n{safe.preformatted(text)}\n```"


def quoted(cited: Cited, *, longest: int | None) -> tuple[Block, ...]:
    """The quote's sections; whole, or its opening when it is over ``longest`` characters."""
    whole = cited.citation.quote.strip("\n")
    shown = whole if longest is None else opening(whole, longest)
    render = _fenced if cited.preformatted else _barred
    made = safe.pieces(shown, limit=_PIECE, render=render)
    return tuple(parts.section(piece, expand=True) for piece in made)


def _is_cut(cited: Cited, room: Room) -> bool:
    return room.quote is not None and len(cited.citation.quote.strip("\n")) > room.quote


def _small_print(scene: Scene, cited: Cited, room: Room) -> str:
    told = [version(cited.source, language=scene.language)]
    if path := section(cited.chunk):
        told.append(say("section", language=scene.language, path=safe.short(path, 120)))
    if _is_cut(cited, room):
        told.append(say("excerpt", language=scene.language))
    return " · ".join(told)


def _row(scene: Scene, cited: Cited) -> Block:
    ident = scene.ids.citations[cited.key]
    return parts.actions(
        [
            parts.button(
                say("open_context", language=scene.language),
                action=actions.OPEN_CONTEXT,
                value=ident,
            ),
            parts.button(
                say("dispute", language=scene.language), action=actions.DISPUTE, value=ident
            ),
        ]
    )


def _subtitle(scene: Scene, cited: Cited) -> str:
    warning = warned(scene, cited.source)
    told = [*(f"⚠ {text}" for text in warning), keepers(cited.source, language=scene.language)]
    return " · ".join(told)


def folded(scene: Scene, cited: Cited, room: Room) -> tuple[Block, ...]:
    """A container that opens to the quote, its version and its buttons."""
    children = [
        *quoted(cited, longest=room.quote),
        parts.context(_small_print(scene, cited, room)),
        _row(scene, cited),
    ]
    heading = _folded_title(cited, language=scene.language)
    subtitle = safe.one_line(_subtitle(scene, cited))
    return (parts.container(heading, subtitle=subtitle, children=children),)


def flat(scene: Scene, cited: Cited, room: Room) -> tuple[Block, ...]:
    """The same without folding; Slack shows a long section behind "see more" by itself."""
    heading = safe.bold_line(title(cited, language=scene.language))
    keeper = safe.mrkdwn(_subtitle(scene, cited))
    quote = [
        {key: value for key, value in block.items() if key != "expand"}
        for block in quoted(cited, longest=room.quote)
    ]
    return (
        parts.section(f"{heading}\n{keeper}"),
        *quote,
        parts.context(_small_print(scene, cited, room)),
        _row(scene, cited),
    )


def citations(scene: Scene, room: Room) -> tuple[Block, ...]:
    """The citations this message has room for, in order."""
    shape = folded if scene.folding else flat
    chosen = scene.cited[: room.citations]
    return tuple(block for cited in chosen for block in shape(scene, cited, room))
