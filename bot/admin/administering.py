"""An admin's windows, filled for whoever pressed. Every look proves the presser anew."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bot.admin.admins import prove_admin
from bot.admin.listing import language_for, listed, matches
from bot.admin.looks import Look, Window, look_of, mark_of, sealed_look
from bot.admin.reader_fields import MOST, fields_of
from bot.admin.recutting import previewed
from bot.admin.reviewing import reviewed
from bot.errors import RightsGone, SlackUnavailable
from bot.loaders.registry import NAMED
from bot.parts import Parts
from bot.questions.rechecking import may_read, while_readable
from bot.record import StoredTask
from bot.slack.client import Hold, anyway, write
from bot.slack.identity import Proved, user_of
from bot.sources.told import replaces_none
from handlers.blocks import admin, context, pieces
from handlers.blocks.admin import Gap, GapPage, SourceForm, SourcePage, SourceRow
from handlers.blocks.context import View
from handlers.blocks.pieces import Pieces
from handlers.blocks.sources import ListedSource
from handlers.deps import AdminLook, ViewRef
from rag.errors import FootnoteError
from rag.values import Source, Status

log = logging.getLogger(__name__)

ANSWERED_SECONDS = 1.0
"""After this Slack shows what it was answered to a form; what comes earlier is overwritten."""

UNANSWERED = (Status.INSUFFICIENT, Status.CONFLICTING, Status.REFUSED, Status.FAILED)
"""How a question ends that its asker could not be helped with."""

_GAPS = 200  # the newest of them are looked through
_WORDS = 80  # characters: they travel in every token of the list
_TOKEN = 2_000  # characters that a button of Slack's holds
_MARKED = 200  # and what the tokens inside the form have beyond that of its own button


async def show_admin(parts: Parts, asked: AdminLook) -> None:
    """Fill the window, with the same words for "no admin" and "nothing there"."""
    try:
        view, hold = await _made(parts, asked)
    except (FootnoteError, SlackUnavailable) as error:
        log.warning("an admin's window could not be filled: %s", type(error).__name__)
        view, hold = context.failed(language="en"), anyway
    await show(parts, asked.opened, view, hold=hold)


async def find_sources(parts: Parts, asked: AdminLook) -> None:
    """As `show_admin`, once Slack has put our answer to the form into the window."""
    await asyncio.sleep(ANSWERED_SECONDS)
    await show_admin(parts, asked)


async def show(parts: Parts, opened: ViewRef, view: View, *, hold: Hold = anyway) -> None:
    """Put ``view`` into an open window; one that was closed or moved on stays as it is."""
    named = {"view_id": opened.id, "hash": opened.hash or None}
    try:
        await write(parts.client, "views.update", hold=hold, view=view, **named)
    except (FootnoteError, RightsGone) as error:
        log.warning("a window is not shown: %s", type(error).__name__)
        await show(parts, opened, context.unavailable(language="en"))
    except SlackUnavailable as error:
        log.info("a window could not be shown: %s", error)


async def _made(parts: Parts, asked: AdminLook) -> tuple[View, Hold]:
    """The window, and the last look at the rights to a source whose text stands in it."""
    proved = await prove_admin(parts, asked.sender)
    look = look_of(parts, asked.token, user=asked.sender.user_id)
    if proved is None or look is None or look.window not in _WINDOWS:
        return context.unavailable(language="en"), anyway
    if asked.words is not None:
        look = look.model_copy(update={"words": asked.words[:_WORDS], "page": 0})
    if asked.fields is not None:
        look = look.model_copy(update={"fields": asked.fields})
    view = await _WINDOWS[look.window](parts, look, proved)
    if view is None:
        return context.unavailable(language=language_for(proved)), anyway
    of_a_source = look.window is Window.CHANGE and pieces.shows_text(view["blocks"])
    return view, while_readable(parts, proved, [look.source]) if of_a_source else anyway


async def _sources(parts: Parts, look: Look, proved: Proved) -> View | None:
    every = await parts.record.sources.list(tenant=parts.tenant)
    found = [source for source in every if matches(source, look.words)]
    first, previous, following = _stretch(parts, look, len(found))
    failed = await parts.record.failures.reasons(tenant=parts.tenant)
    gone = await parts.record.sources.removed(tenant=parts.tenant)
    wrong = replaces_none(every, gone).keys()
    rows = [
        _row(
            parts,
            look,
            source,
            listed(
                source,
                usable=True,
                trouble=failed.get(source.id),
                replaces_none=source.id in wrong,
            ),
        )
        for source in found[first : first + admin.PAGE]
    ]
    page = SourcePage(
        rows=tuple(rows),
        never_read=() if first or look.words else _never_read(every, failed),
        words=look.words,
        token=sealed_look(parts, look),
        previous=previous,
        next=following,
    )
    return admin.source_list(page, language=language_for(proved))


def _never_read(every: Sequence[Source], failed: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The ids of what has not become a source, and why."""
    ids = {source.id for source in every}
    return tuple(sorted((ident, why) for ident, why in failed.items() if ident not in ids))


def _row(parts: Parts, look: Look, source: Source, shown: ListedSource) -> SourceRow:
    form = look.model_copy(update={"window": Window.CHANGE, "source": source.id})
    token = sealed_look(parts, form)
    return SourceRow(
        source=shown,
        readers=len(source.readers),
        token=token if len(token) <= _TOKEN - _MARKED else "",
    )


def _stretch(parts: Parts, look: Look, total: int) -> tuple[int, str | None, str | None]:
    """The first row of the page, and the tokens of the pages before and after."""
    first = max(look.page, 0) * admin.PAGE

    def turned(page: int) -> str:
        return sealed_look(parts, look.model_copy(update={"page": page}))

    more = total > first + admin.PAGE
    return (
        first,
        turned(look.page - 1) if first else None,
        turned(look.page + 1) if more else None,
    )


async def _add(parts: Parts, look: Look, proved: Proved) -> View | None:
    return admin.add_form(
        kinds=[suffix.removeprefix(".") for suffix in NAMED],
        token=sealed_look(parts, look),
        language=language_for(proved),
    )


async def _change(parts: Parts, look: Look, proved: Proved) -> View | None:
    found = await parts.record.sources.get(tenant=parts.tenant, source_ids=[look.source])
    if not found:
        return None
    source = found[0]
    readers = await fields_of(parts, source.readers, language=language_for(proved))
    if len(readers.offered) > MOST:
        return admin.told("admin_too_many", language=language_for(proved))
    marked = look.model_copy(update={"mark": mark_of(source)})
    form = SourceForm(
        source=listed(source, usable=True),
        readers=readers,
        pieces=await _cut(parts, look, proved, source),
        save=sealed_look(parts, marked),
        retire=sealed_look(parts, marked.model_copy(update={"window": Window.RETIRE})),
        back=sealed_look(parts, look.model_copy(update={"window": Window.SOURCES})),
    )
    return admin.source_form(form, language=language_for(proved))


async def _cut(parts: Parts, look: Look, proved: Proved, source: Source) -> Pieces | None:
    """How the source is cut, or would be; its text is for those alone who may read it."""
    found = await previewed(parts, source, look.fields)
    if found is None or not found.first or await may_read(parts, proved, [source.id]):
        return found
    return found.model_copy(update={"first": ()})


async def _gaps(parts: Parts, look: Look, proved: Proved) -> View | None:
    found = await parts.record.tasks.ended(tenant=parts.tenant, statuses=UNANSWERED, limit=_GAPS)
    first, previous, following = _stretch(parts, look, len(found))
    shown = found[first : first + admin.PAGE]
    if shown:
        ids = [stored.id for stored in shown]
        await parts.record.audit.note(
            tenant=parts.tenant, who=proved.principal, what="questions-seen", about=ids
        )
    gaps = await _told(parts, shown)
    page = GapPage(gaps=gaps, previous=previous, next=following)
    return admin.gap_list(page, language=language_for(proved))


async def _told(parts: Parts, found: Sequence[StoredTask]) -> tuple[Gap, ...]:
    gaps = []
    for stored in found:
        gap = Gap(
            question=stored.request.question,
            status=stored.status or Status.FAILED,
            asked_at=stored.created_at,
            asker=await _asker(parts, stored),
        )
        gaps.append(gap)
    return tuple(gaps)


async def _asker(parts: Parts, stored: StoredTask) -> str:
    """The asker's name where they let it be seen, else nothing."""
    principal = stored.request.principal
    shared = await parts.record.feedback.shares_name(
        tenant=parts.tenant, task=stored.id, principal=principal
    )
    named = user_of(principal)
    if not shared or named is None:
        return ""
    return (await parts.profiles.get(named[1])).name


_WINDOWS: dict[Window, Callable[[Parts, Look, Proved], Awaitable[View | None]]] = {
    Window.ADD: _add,
    Window.SOURCES: _sources,
    Window.GAPS: _gaps,
    Window.CHANGE: _change,
    Window.REVIEW: reviewed,
}
