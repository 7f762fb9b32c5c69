"""The window that shows a quote among its neighbouring lines."""

from typing import Any

from handlers.blocks import actions, citation, parts
from handlers.blocks import text as safe
from handlers.blocks.parts import Block
from handlers.blocks.scene import Cited, numbered
from handlers.blocks.texts import say
from rag.values import Report, Value

View = dict[str, Any]

REACH = 8
"""Lines shown on each side of a quote."""

SPAN = 6_000
"""Characters of source text one window shows at most."""

_SIDE = 2_000
_PART = 3_000
_HEADER = 500  # characters


class Window(Value):
    """A stretch of a snapshot; the three texts follow one another without a gap.

    ``quote`` is the part of the quote inside the window: all of it on page 0 unless it
    is very long. ``earlier`` and ``later`` say whether the snapshot goes on.
    """

    before: str = ""
    quote: str = ""
    after: str = ""
    earlier: bool = False
    later: bool = False


class ContextPage(Value):
    """One filled window. ``place`` says where in the source the quote stands.

    ``changed``: the source has a newer version. ``earlier`` and ``later`` are the
    opaque tokens of the neighbouring pages, used where the window says there is one;
    ``ident`` is the citation's opaque id; ``header`` that of the table a quote is cut from.
    """

    title: str
    place: str
    keepers: str
    version: str
    window: Window
    header: str = ""
    changed: bool = False
    preformatted: bool = False
    ident: str = ""
    earlier: str = ""
    later: str = ""


def around(text: str, *, start: int, end: int, page: int = 0) -> Window:
    """Page 0 holds the quote ``text[start:end]`` and its neighbouring lines.

    Pages -1, -2 … lead towards the beginning of ``text`` and 1, 2 … towards its end,
    each at most `SPAN` characters and cut between lines where that is possible.
    """
    first = max(_lines_back(text, start), start - _SIDE)
    last = min(_lines_on(text, end), end + _SIDE)
    if last - first > SPAN:
        last = _break_before(text, first, first + SPAN)
    for _ in range(page):
        first, last = last, _break_before(text, last, last + SPAN)
    for _ in range(-page):
        first, last = _break_after(text, first - SPAN, first), first
    begin, stop = (min(max(place, first), last) for place in (start, end))
    return Window(
        before=text[first:begin],
        quote=text[begin:stop],
        after=text[stop:last],
        earlier=first > 0,
        later=last < len(text),
    )


def _lines_back(text: str, start: int) -> int:
    place = text.rfind("\n", 0, start)
    for _ in range(REACH):
        if place < 0:
            return 0
        place = text.rfind("\n", 0, place)
    return place + 1


def _lines_on(text: str, end: int) -> int:
    place = text.find("\n", end)
    for _ in range(REACH):
        if place < 0:
            return len(text)
        place = text.find("\n", place + 1)
    return len(text) if place < 0 else place + 1


def _break_before(text: str, first: int, last: int) -> int:
    if last >= len(text):
        return len(text)
    found = text.rfind("\n", first, last)
    return found + 1 if found > first else last


def _break_after(text: str, first: int, last: int) -> int:
    if first <= 0:
        return 0
    found = text.find("\n", first, last)
    return found + 1 if 0 <= found < last - 1 else first


def modal(key: str, blocks: list[Block], *, language: str, metadata: str = "") -> View:
    """A window titled by the sentence ``key``; ``metadata`` is an opaque id."""
    return {
        "type": "modal",
        "title": parts.plain_text(say(key, language=language)),
        "close": parts.plain_text(say("close", language=language)),
        "private_metadata": metadata,
        "blocks": blocks,
    }


def _telling(key: str, *, language: str) -> View:
    return modal("window_title", [parts.section(say(key, language=language))], language=language)


def loading(*, language: str) -> View:
    """What opens at once, the same for everybody and every button."""
    return _telling("opening", language=language)


def unavailable(*, language: str) -> View:
    """Not there and not for you, in the same words."""
    return _telling("unavailable", language=language)


def failed(*, language: str) -> View:
    """It could not be loaded, which says nothing about rights."""
    return _telling("window_failed", language=language)


def open_at(
    report: Report,
    *,
    key: tuple[int, int],
    text: str,
    page: int = 0,
    changed: bool = False,
    ident: str = "",
    earlier: str = "",
    later: str = "",
) -> View:
    """The window of the citation ``key`` of a report, whose snapshot's text is ``text``.

    Raises SnapshotTampered when a quote is not what its evidence holds, KeyError when
    the report has no such citation.
    """
    cited = _named(report, key)
    quoted = cited.citation
    language = report.language
    shown = ContextPage(
        title=cited.source.title,
        place=citation.locator(cited, language=language),
        keepers=citation.keepers(cited.source, language=language),
        version=citation.version(cited.source, language=language),
        window=around(text, start=quoted.start, end=quoted.end, page=page),
        header=cited.chunk.table_header,
        changed=changed,
        preformatted=cited.preformatted,
        ident=ident,
        earlier=earlier,
        later=later,
    )
    return filled(shown, language=language)


def _named(report: Report, key: tuple[int, int]) -> Cited:
    found = {cited.key: cited for cited in numbered(report)}
    return found[key]


def filled(shown: ContextPage, *, language: str) -> View:
    """The quote marked, its neighbours plain, the source's standing above."""
    heading = f"{safe.bold_line(shown.title)}\n{safe.short(shown.place)}"
    standing = safe.mrkdwn(f"{shown.keepers} · {shown.version}")
    beside = "rich_text_preformatted" if shown.preformatted else "rich_text_section"
    blocks = [
        parts.section(heading),
        parts.context(standing),
        *_note(shown, language=language),
        parts.divider(),
        *_header(shown, language=language),
        *passage(shown.window.before, beside),
        *_marked(shown, language=language),
        *passage(shown.window.after, beside),
        *_moves(shown, language=language),
    ]
    return modal("window_title", blocks, language=language, metadata=shown.ident)


def _note(shown: ContextPage, *, language: str) -> list[Block]:
    if not shown.changed:
        return []
    return [parts.context(f"⚠ {say('source_changed', language=language)}")]


def _header(shown: ContextPage, *, language: str) -> list[Block]:
    """The header of the quote's table, where the window does not reach up to it."""
    window = shown.window
    if not shown.header or shown.header in window.before + window.quote + window.after:
        return []
    label = parts.context(f"*{say('table_header', language=language)}*")
    return [label, *passage(shown.header[:_HEADER], "rich_text_preformatted")]


def _marked(shown: ContextPage, *, language: str) -> list[Block]:
    kind = "rich_text_preformatted" if shown.preformatted else "rich_text_quote"
    quote = passage(shown.window.quote, kind)
    return [parts.context(f"*{say('quote_here', language=language)}*"), *quote] if quote else []


def passage(text: str, kind: str) -> list[Block]:
    """A stretch of source text in rich_text elements of ``kind``; nothing for blanks."""
    shown = text.strip("\n")
    if not shown.strip():
        return []
    made = safe.pieces(shown, limit=_PART, render=safe.literal)
    return [
        parts.rich_text({"type": kind, "elements": [{"type": "text", "text": piece}]})
        for piece in made
    ]


def _moves(shown: ContextPage, *, language: str) -> list[Block]:
    earlier = shown.earlier if shown.window.earlier else ""
    later = shown.later if shown.window.later else ""
    row = [
        parts.button(say(label, language=language), action=action, value=token)
        for label, action, token in (
            ("earlier", actions.EARLIER, earlier),
            ("later", actions.LATER, later),
        )
        if token
    ]
    return [parts.actions(row)] if row else []
