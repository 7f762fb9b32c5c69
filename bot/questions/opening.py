"""Windows: a quote in its context, or all quotes, filled for whoever pressed."""

import logging
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import NamedTuple

from bot.delivery import changed_since, make_ids, pinned_by
from bot.errors import RightsGone, SlackRefused, SlackUnavailable
from bot.parts import Parts
from bot.questions.rechecking import behind_button, may_read, while_readable
from bot.record import Handle, Target
from bot.slack.client import Hold, anyway, respond, write, write_now
from handlers.blocks import context, everything, notes
from handlers.blocks.context import View
from handlers.blocks.rendered import Circumstances, Rendered
from handlers.blocks.texts import language_of
from handlers.deps import Pressed, ViewRef
from rag.errors import FootnoteError
from rag.values import Report

log = logging.getLogger(__name__)

_PAGE = "page:"
_PAGED = re.compile(rf"{_PAGE}(-?[0-9]{{1,9}})")
_OVERTAKEN = "hash_conflict"  # the window shows what was asked for since

FIRST_PAGE = Target(option=f"{_PAGE}0")
"""What a button is about that opens an answer from its beginning."""

Make = Callable[[Parts, Handle, Report], Awaitable[View | None]]
Behind = Callable[[Report, Handle], frozenset[str]]


class _Content(NamedTuple):
    """What a window shows, and the sources that takes: whatever button's value it was given."""

    make: Make
    behind: Behind


async def open_view(parts: Parts, pressed: Pressed, view: View) -> ViewRef | None:
    """Open this window now; where Slack does not let us, tell whoever pressed, and None."""
    try:
        answer = await write_now(
            parts.client, "views.open", trigger_id=pressed.trigger_id, view=view
        )
    except SlackUnavailable as error:
        log.info("a window could not be opened: %s", error)
        await _say_so(parts, pressed, notes.window_expired(language=language_of(str(view))))
        return None
    opened = answer.get("view") or {}
    return ViewRef(id=str(opened.get("id", "")), hash=str(opened.get("hash", "")))


async def _say_so(parts: Parts, pressed: Pressed, rendered: Rendered) -> None:
    try:
        await respond(parts.client, pressed.response_url, rendered)
    except SlackUnavailable as error:
        log.warning("nor could whoever pressed be told: %s", error)


async def show_context(parts: Parts, pressed: Pressed, opened: ViewRef) -> None:
    """Fill the window with the quote's neighbouring lines from its snapshot."""
    await _show(parts, pressed, opened, _Content(_in_context, behind_button))


async def show_all(parts: Parts, pressed: Pressed, opened: ViewRef) -> None:
    """Fill the window with a page of the answer's citations."""
    await _show(parts, pressed, opened, _Content(_all_quotes, lambda report, _: report.told))


async def _show(parts: Parts, pressed: Pressed, opened: ViewRef, content: _Content) -> None:
    try:
        view, hold = await _made(parts, pressed, content)
    except (FootnoteError, SlackUnavailable) as error:
        log.warning("a window could not be filled: %s", type(error).__name__)
        view, hold = context.failed(language="en"), anyway
    try:
        await _fill(parts, pressed, opened, view, hold=hold)
    except (FootnoteError, RightsGone) as error:
        log.warning("a window is not shown: %s", type(error).__name__)
        await _fill(parts, pressed, opened, context.unavailable(language="en"), hold=anyway)


async def _fill(parts: Parts, pressed: Pressed, opened: ViewRef, view: View, *, hold: Hold) -> None:
    """Show it in the window. What Slack does not take is said there, or else to the presser."""
    named = {"view_id": opened.id, "hash": opened.hash or None}
    try:
        await write(parts.client, "views.update", hold=hold, view=view, **named)
    except SlackUnavailable as error:
        log.warning("a window could not be shown: %s", error)
        if isinstance(error, SlackRefused) and error.code == _OVERTAKEN:
            return
        await _say_failed(parts, pressed, opened)


async def _say_failed(parts: Parts, pressed: Pressed, opened: ViewRef) -> None:
    failed = context.failed(language="en")
    try:
        await write(parts.client, "views.update", view_id=opened.id, view=failed)
    except SlackUnavailable:
        await _say_so(parts, pressed, notes.window_expired(language="en"))


async def _made(parts: Parts, pressed: Pressed, content: _Content) -> tuple[View, Hold]:
    """The window's content and its last look; the same words for "not there" and "not for you"."""
    nothing = context.unavailable(language="en")
    proved = await parts.prove(pressed.sender)
    handle = await parts.record.deliveries.handle(tenant=parts.tenant, handle_id=pressed.value)
    if proved is None or handle is None:
        return nothing, anyway
    document = await parts.record.checkpoints.load(handle.task, "report")
    if document is None:
        return nothing, anyway
    report = Report.model_validate_json(document)
    behind = content.behind(report, handle)
    if not await may_read(parts, proved, behind):
        return context.unavailable(language=report.language), anyway
    view = await content.make(parts, handle, report) or context.unavailable(
        language=report.language
    )
    return view, while_readable(parts, proved, behind)


def _page_of(handle: Handle) -> int | None:
    """The page that a value stands for; None for the value of some other button."""
    if not handle.option:
        return 0
    found = _PAGED.fullmatch(handle.option)
    return int(found[1]) if found else None


async def _in_context(parts: Parts, handle: Handle, report: Report) -> View | None:
    key, page = (handle.claim, handle.citation), _page_of(handle)
    if handle.claim < 0 or page is None:
        return None
    cited = report.answer.claims[handle.claim].citations[handle.citation]
    text = await parts.record.snapshots.get(cited.snapshot)
    earlier, later = await _tokens(parts, handle, page)
    sources = await parts.record.sources.get(tenant=parts.tenant, source_ids=[cited.source_id])
    newest = {source.id: source.snapshot for source in sources}
    return context.open_at(
        report,
        key=key,
        text=text,
        page=page,
        changed=newest.get(cited.source_id) != cited.snapshot,
        ident=handle.id,
        earlier=earlier,
        later=later,
    )


async def _tokens(parts: Parts, handle: Handle, page: int) -> tuple[str, ...]:
    """Opaque values for the pages before and after."""
    targets = [
        Target(claim=handle.claim, citation=handle.citation, option=f"{_PAGE}{other}")
        for other in (page - 1, page + 1)
    ]
    return await parts.record.deliveries.handles(
        tenant=parts.tenant, task=handle.task, targets=targets
    )


async def _all_quotes(parts: Parts, handle: Handle, report: Report) -> View | None:
    page = _page_of(handle)
    if handle.claim >= 0 or page is None or not 0 <= page < everything.pages(report):
        return None
    searched = await pinned_by(report.task, checkpoints=parts.record.checkpoints)
    changed = await changed_since(searched, tenant=parts.tenant, sources=parts.record.sources)
    previous, following = await _tokens(parts, handle, page)
    return everything.all_quotes(
        report,
        ids=await make_ids(report, deliveries=parts.record.deliveries),
        today=datetime.now(UTC).date(),
        shown=Circumstances(searched=searched, changed=changed),
        page=page,
        previous=previous,
        following=following,
    )
