"""A question of one's own, opened again from the Home tab, for its asker alone."""

import logging

from bot.admin.administering import UNANSWERED, show
from bot.errors import SlackUnavailable
from bot.parts import Parts
from bot.questions.asking import stored_task
from bot.questions.opening import FIRST_PAGE
from bot.questions.rechecking import may_read, while_readable, words_for
from bot.record import StoredTask
from bot.slack.client import Hold, anyway
from bot.slack.identity import Proved
from handlers.blocks import context, recalled
from handlers.blocks.context import View
from handlers.blocks.recalled import Recalled
from handlers.blocks.texts import language_of
from handlers.deps import Pressed, ViewRef
from rag.errors import FootnoteError
from rag.values import Report

log = logging.getLogger(__name__)


async def show_question(parts: Parts, pressed: Pressed, opened: ViewRef) -> None:
    """Fill the window with the question and what was told."""
    view, hold = await _safely(parts, pressed)
    await show(parts, opened, view, hold=hold)


async def share_name(parts: Parts, pressed: Pressed, opened: ViewRef) -> None:
    """Let admins see who asked, and say in the window that they do."""
    try:
        found = await _own(parts, pressed)
        if found is not None:
            await _share(parts, *found)
    except (FootnoteError, SlackUnavailable) as error:
        log.warning("a name could not be shared: %s", type(error).__name__)
    await show_question(parts, pressed, opened)


async def _share(parts: Parts, proved: Proved, stored: StoredTask) -> None:
    who, task = proved.principal, stored.id
    await parts.record.feedback.share_name(tenant=parts.tenant, task=task, principal=who)
    await parts.record.audit.note(
        tenant=parts.tenant, who=who, what="name-shared", about=[task], once=task
    )


async def _safely(parts: Parts, pressed: Pressed) -> tuple[View, Hold]:
    try:
        found = await _own(parts, pressed)
        if found is None:
            return context.unavailable(language="en"), anyway
        return await _shown(parts, *found)
    except (FootnoteError, SlackUnavailable) as error:
        log.warning("a question could not be shown: %s", type(error).__name__)
        return context.failed(language="en"), anyway


async def _own(parts: Parts, pressed: Pressed) -> tuple[Proved, StoredTask] | None:
    """The presser and their question; None where it is not theirs, or is no more."""
    proved = await parts.prove(pressed.sender)
    handle = await parts.record.deliveries.handle(tenant=parts.tenant, handle_id=pressed.value)
    stored = await stored_task(parts, handle.task) if handle else None
    if proved is None or stored is None or stored.request.principal != proved.principal:
        return None
    return proved, stored


async def _shown(parts: Parts, proved: Proved, stored: StoredTask) -> tuple[View, Hold]:
    """The window, and the last look at the rights to all that stands in it."""
    words = await words_for(parts, proved, stored.request)
    report = await _report(parts, proved, stored)
    ident = await parts.record.deliveries.handles(
        tenant=parts.tenant, task=stored.id, targets=[FIRST_PAGE]
    )
    shared = await parts.record.feedback.shares_name(
        tenant=parts.tenant, task=stored.id, principal=proved.principal
    )
    shown = Recalled(
        question=words,
        status=stored.status,
        asked_at=stored.created_at,
        report=report,
        quotes=ident[0] if report and report.answer.claims else "",
        share=ident[0] if stored.status in UNANSWERED else "",
        shared=shared,
    )
    view = recalled.recalled(shown, language=language_of(stored.request.question))
    behind = (report.told if report else frozenset()).union(
        stored.request.chosen_from if words else ()
    )
    return view, while_readable(parts, proved, behind)


async def _report(parts: Parts, proved: Proved, stored: StoredTask) -> Report | None:
    """What was told, while its asker may still read all that it was told from."""
    document = await parts.record.checkpoints.load(stored.id, "report")
    report = Report.model_validate_json(document) if document else None
    if report is None:
        return None
    return report if await may_read(parts, proved, report.told) else None
