"""A file that an admin brought is read and shown, stage by stage, before anything is live."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from bot.admin.administering import ANSWERED_SECONDS
from bot.admin.admins import prove_admin
from bot.admin.listing import language_for
from bot.admin.looks import Look, Window, look_of
from bot.admin.reviewing import extent_of, forget, review_of
from bot.errors import SlackRefused, SlackUnavailable, TenantPaused
from bot.parts import Parts
from bot.queue.durable import short_hash
from bot.record import OURSELVES, Staged
from bot.slack.client import write
from bot.slack.fetching import FileRefused, fetch, read_fetched
from bot.slack.identity import Proved
from bot.sources.staged import KEPT
from handlers.blocks import admin, context, forms, review
from handlers.blocks.context import View
from handlers.deps import Submitted
from rag.errors import FootnoteError, SourceUnreadable

log = logging.getLogger(__name__)

_CLEAN_SECONDS = 60.0

Say = Callable[[View], None]


async def on_staged(parts: Parts, job: str, form: Submitted, at: datetime) -> None:
    """Read the file and show what it holds, if its sender is an admin now.

    Raises `SlackUnavailable`, `StoreUnavailable`.
    """
    waits = _left(parts, at)
    async with _shown(parts, form, after=waits) as say:
        view = await _done(parts, job, form, say)
    await asyncio.sleep(_left(parts, at))
    try:
        await write(parts.client, "views.update", view_id=form.view.id, view=view)
    except SlackRefused as refused:
        log.info("job %s ended unseen, its window is closed: %s", job, refused.code)
        await parts.record.staged.drop(tenant=parts.tenant, ident=_ident(job))


async def on_unstaged(parts: Parts, form: Submitted) -> None:
    """The window was closed: forget what it showed; what fails is forgotten in time."""
    try:
        gone = await forget(parts, form)
        proved = await parts.prove(form.sender) if gone else None
        if proved is not None:
            await parts.record.audit.note(
                tenant=parts.tenant, who=proved.principal, what="staged-discarded", about=[gone]
            )
    except (FootnoteError, SlackUnavailable) as error:
        log.info("a closed window's file is forgotten later: %s", type(error).__name__)


async def keep_clean(parts: Parts) -> None:
    """Forget, for ever, what nobody has put live in time."""
    while True:
        try:
            before = parts.now() - KEPT
            gone = await parts.record.staged.expire(tenant=parts.tenant, before=before)
            if gone:
                await parts.record.audit.note(
                    tenant=parts.tenant, who=OURSELVES, what="staged-forgotten", about=gone
                )
        except FootnoteError as error:
            log.warning("forgetting staged files failed: %s", type(error).__name__)
        await asyncio.sleep(_CLEAN_SECONDS)


def _left(parts: Parts, at: datetime) -> float:
    """Seconds until Slack has put into the window what the form was answered with."""
    waited = (parts.now() - at).total_seconds()
    return min(max(ANSWERED_SECONDS - waited, 0.0), ANSWERED_SECONDS)


def _ident(job: str) -> str:
    """The same for a job that is done again."""
    return short_hash("staged", job)


async def _done(parts: Parts, job: str, form: Submitted, say: Say) -> View:
    proved = await prove_admin(parts, form.sender)
    look = look_of(parts, form.token, user=form.sender.user_id)
    if proved is None or look is None or look.window is not Window.ADD:
        log.warning("job %s reads nothing: its sender may not", job)
        return context.unavailable(language="en")
    language = language_for(proved)
    try:
        staged = await _read(parts, job, form, proved, say)
        return await _kept(parts, staged, look, proved)
    except FileRefused as refused:
        why, said = refused.why, refused.said
    except SourceUnreadable:
        why, said = "why_file_large", ""
    await parts.record.audit.note(
        tenant=parts.tenant,
        who=proved.principal,
        what="file-refused",
        about=[_ident(job)],
        once=_ident(job),
    )
    return admin.told("admin_bad_file", language=language, why=why, said=said)


async def _read(parts: Parts, job: str, form: Submitted, proved: Proved, say: Say) -> Staged:
    language = language_for(proved)
    file_id = next(iter(form.fields.get(forms.FILE, ())), "")
    file = await fetch(parts.client, file_id, by=proved.user_id, limits=parts.limits)
    size = len(file.data)
    say(review.reading(size, language=language))
    loaded = await read_fetched(file, parts.files)
    say(review.cutting(extent_of(loaded, size=size), language=language))
    return Staged(
        tenant=parts.tenant,
        id=_ident(job),
        name=file.name,
        size=size,
        at=parts.now(),
        loaded=loaded,
    )


async def _kept(parts: Parts, staged: Staged, look: Look, proved: Proved) -> View:
    """What it would become, once it is kept."""
    view = await review_of(parts, staged, look, proved)
    await parts.record.staged.keep(staged)
    await parts.record.audit.note(
        tenant=parts.tenant,
        who=proved.principal,
        what="file-staged",
        about=[staged.id],
        once=staged.id,
    )
    return view


@asynccontextmanager
async def _shown(parts: Parts, form: Submitted, *, after: float) -> AsyncIterator[Say]:
    """Show the newest stage that is said, without holding up the work; nothing after its end."""
    news: asyncio.Queue[View] = asyncio.Queue()
    quiet = asyncio.Lock()

    async def showing() -> None:
        await asyncio.sleep(after)
        while True:
            view = await news.get()
            while not news.empty():
                view = news.get_nowait()
            async with quiet:
                await _show(parts, form, view)

    task = asyncio.create_task(showing())
    try:
        yield news.put_nowait
    finally:
        async with quiet:  # what is on its way must not arrive after the end
            task.cancel()


async def _show(parts: Parts, form: Submitted, view: View) -> None:
    try:
        await write(parts.client, "views.update", view_id=form.view.id, view=view)
    except (SlackUnavailable, TenantPaused) as error:
        log.info("a stage is not shown: %s", type(error).__name__)
