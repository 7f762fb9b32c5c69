"""An admin's windows: the sources and how they are changed, and questions left unanswered."""

from collections.abc import Sequence

from pydantic import AwareDatetime

from handlers.blocks import actions, context, forms, parts, pieces, sources
from handlers.blocks import text as safe
from handlers.blocks.context import View
from handlers.blocks.forms import Choice
from handlers.blocks.parts import Block
from handlers.blocks.pieces import Pieces
from handlers.blocks.sources import ListedSource
from handlers.blocks.texts import count, say
from handlers.blocks.troubles import trouble
from rag.values import SourceStatus, Status, Value

PAGE = 8
"""Rows a page holds at most."""

_QUESTION = 300
_SAID = 500


class SourceRow(Value):
    """One source of the list. ``readers`` counts those named; ``token`` opens its form.

    It is empty where the source's name is too long for a button.
    """

    source: ListedSource
    readers: int
    token: str


class SourcePage(Value):
    """A page of the sources that match ``words``; the tokens of its neighbours where there are.

    ``never_read`` are ids of what has not become a source, each with the reason.
    """

    rows: tuple[SourceRow, ...] = ()
    never_read: tuple[tuple[str, str], ...] = ()
    words: str = ""
    token: str = ""
    previous: str | None = None
    next: str | None = None


class Gap(Value):
    """A question that could not be answered. ``asker`` only where they let their name be seen."""

    question: str
    status: Status
    asked_at: AwareDatetime
    asker: str = ""


class GapPage(Value):
    """A page of unanswered questions, the newest first."""

    gaps: tuple[Gap, ...] = ()
    previous: str | None = None
    next: str | None = None


class ReaderFields(Value):
    """What the reader inputs hold: user ids, channel ids, and the rest by opaque values.

    ``offered`` are the choices of the rest.
    """

    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    offered: tuple[Choice, ...] = ()


class SourceForm(Value):
    """One source as its form shows it. The tokens: saving it, retiring it, the list before.

    ``pieces`` is None where its text is not at hand to be cut anew.
    """

    source: ListedSource
    readers: ReaderFields
    pieces: Pieces | None = None
    save: str
    retire: str
    back: str


def _window(title: str, blocks: list[Block], *, language: str, token: str = "") -> View:
    return context.modal(title, blocks, language=language, metadata=token)


def _submitting(view: View, label: str, *, language: str, callback: str = forms.ADMIN_FORM) -> View:
    return (
        view
        | {"callback_id": callback}
        | {"submit": parts.plain_text(say(label, language=language))}
    )


def _button(label: str, token: str, *, language: str) -> Block:
    return parts.button(say(label, language=language), action=actions.ADMIN_LOOK, value=token)


def _turning(page: SourcePage | GapPage, *, language: str) -> tuple[Block, ...]:
    return sources.turning(
        previous=(actions.ADMIN_PREVIOUS, page.previous),
        following=(actions.ADMIN_NEXT, page.next),
        language=language,
    )


def source_list(page: SourcePage, *, language: str) -> View:
    """The sources of the company, searchable, each with the button to its form."""
    rows = [_row(row, language=language) for row in page.rows[:PAGE]]
    nothing = [parts.section(say("admin_none", language=language))]
    line = forms.search(page.words, language=language)
    unread = _never_read(page.never_read, language=language)
    blocks = [line, *(rows or nothing), *unread, *_turning(page, language=language)]
    view = _window("admin_title_sources", blocks, language=language, token=page.token)
    return _submitting(view, "admin_find", callback=forms.ADMIN_FIND, language=language)


def _never_read(unread: Sequence[tuple[str, str]], *, language: str) -> list[Block]:
    """Files that could not be read and are no sources, up to as many as a page holds."""
    told = [
        say(
            "never_read",
            language=language,
            named=safe.short(ident, 200),
            why=safe.short(trouble(why, language=language), _SAID),
        )
        for ident, why in unread[:PAGE]
    ]
    if more := len(unread) - len(told):
        told.append(count("never_read_more", more, language=language))
    return [parts.context(f"⚠ {line}") for line in told]


def _row(row: SourceRow, *, language: str) -> Block:
    readers = (
        count("admin_readers", row.readers, language=language)
        if row.readers
        else say("admin_readers_none", language=language)
    )
    entry = sources.entry(row.source, here=False, language=language)
    text = f"{entry['text']['text']} · {readers}"
    if not row.token:
        return parts.section(text)
    return parts.section(text) | {"accessory": _button("admin_edit", row.token, language=language)}


def add_form(*, kinds: Sequence[str], token: str, language: str) -> View:
    """A file of one of ``kinds``; all else is asked once its content is seen."""
    blocks = [forms.file(kinds, language=language)]
    view = _window("admin_title_add", blocks, language=language, token=token)
    return _submitting(view, "admin_read_it", callback=forms.ADMIN_FILE, language=language)


def reader_fields(readers: ReaderFields, *, language: str) -> list[Block]:
    """The inputs that say who may read a source."""
    return [
        forms.people(readers.people, language=language),
        forms.places(readers.places, language=language),
        forms.others(readers.offered, readers.others, language=language),
    ]


def source_form(form: SourceForm, *, language: str) -> View:
    """One source's readers, owner, status and way of cutting, and the button that retires it."""
    source = form.source
    blocks = [
        sources.entry(source, here=False, language=language),
        *reader_fields(form.readers, language=language),
        forms.owner(source.owner, language=language),
        status_field(source.status, language=language),
        *_cutting(form.pieces, language=language),
        parts.actions(_leaving(form, language=language)),
    ]
    view = _window("admin_title_change", blocks, language=language, token=form.save)
    return _submitting(view, "admin_save", language=language)


def _cutting(cut: Pieces | None, *, language: str) -> list[Block]:
    if cut is None:
        return [parts.context(say("admin_cut_by_adding", language=language))]
    return [*pieces.choice(cut, language=language), *pieces.opening(cut, language=language)]


def status_field(status: SourceStatus, *, language: str) -> Block:
    """The input that says how a source stands."""
    offered = [
        Choice(value=each.value, label=say(f"status_{each.value}", language=language))
        for each in SourceStatus
    ]
    return forms.status(offered, status.value, language=language)


def _leaving(form: SourceForm, *, language: str) -> list[Block]:
    back = _button("admin_back", form.back, language=language)
    if form.source.status is SourceStatus.WITHDRAWN:
        return [back]
    label = say("admin_retire", language=language)
    retire = parts.button(label, action=actions.ADMIN_RETIRE, value=form.retire, style="danger")
    sure = {
        "title": parts.plain_text(say("admin_retire_title", language=language)),
        "text": parts.plain_text(say("admin_retire_text", language=language)),
        "confirm": parts.plain_text(say("admin_retire", language=language)),
        "deny": parts.plain_text(say("admin_retire_no", language=language)),
        "style": "danger",
    }
    return [back, retire | {"confirm": sure}]


def gap_list(page: GapPage, *, language: str) -> View:
    """Questions that could not be answered, without names but those that were shared."""
    rows = [_gap(gap, language=language) for gap in page.gaps[:PAGE]]
    nothing = [parts.section(say("admin_no_gaps", language=language))]
    blocks = [*(rows or nothing), *_turning(page, language=language)]
    return _window("admin_title_gaps", blocks, language=language)


def _gap(gap: Gap, *, language: str) -> Block:
    told = [say(f"state_{gap.status.value}", language=language), gap.asked_at.date().isoformat()]
    if gap.asker:
        name = safe.short(gap.asker, 60)
        told.append(say("admin_asked_by", language=language, name=name))
    return parts.section(f"{safe.short(gap.question, _QUESTION)}\n_{' · '.join(told)}_")


def working(*, language: str) -> View:
    """What stands there while a change is being made; the same for every change."""
    return told("admin_working", language=language)


def told(key: str, *, language: str, title: str = "", why: str = "", said: str = "") -> View:
    """How a change ended: the sentence ``key``, about a source or with a reason.

    ``said`` is what a reader of files says of one; ``why`` is used where it says nothing.
    """
    values = {"title": safe.bold_line(title) if title else ""}
    values |= {"why": say(why, language=language)} if why else {}
    values |= {"why": safe.short(trouble(said, language=language), _SAID)} if said else {}
    text = say(key, language=language, **values)
    return _window("admin_title_sources", [parts.section(text)], language=language)


def missing(fields: Sequence[str], *, language: str) -> dict[str, str]:
    """For each field that is not filled in as it must be, what is missing there."""
    said = {
        forms.FILE: "admin_which_file",
        forms.OTHERS: "admin_who_reads",
        forms.TOKENS: "admin_which_size",
    }
    return {name: say(said[name], language=language) for name in fields}
