"""What an admin sent off is done: a source added, changed or retired, and written down."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

from bot.admin.administering import ANSWERED_SECONDS, show
from bot.admin.admins import prove_admin
from bot.admin.listing import language_for, redraw_home
from bot.admin.looks import Look, Window, look_of, mark_of
from bot.admin.reader_fields import readers_of
from bot.admin.recutting import wanted_cut
from bot.admin.reviewing import described, forget, is_as_shown, kept, leads_back, source_of
from bot.errors import SlackRefused
from bot.parts import Parts
from bot.slack.client import write
from bot.slack.identity import Proved
from bot.sources.told import FIELDS, marked
from handlers.blocks import admin, context, forms
from handlers.blocks.context import View
from handlers.deps import Submitted, ViewRef
from rag.errors import SourceUnreadable
from rag.values import Source, SourceStatus, Value

log = logging.getLogger(__name__)


class _Sent(Value):
    """A form, and who sent it off."""

    job: str
    proved: Proved
    look: Look
    form: Submitted

    @property
    def language(self) -> str:
        return language_for(self.proved)


async def on_submitted(parts: Parts, job: str, form: Submitted, at: datetime) -> None:
    """Do what the form is for, if its sender is an admin now, and show how it ended.

    Raises `SlackUnavailable`, `StoreUnavailable`.
    """
    view = await _done(parts, job, form)
    waited = (parts.now() - at).total_seconds()
    await asyncio.sleep(min(max(ANSWERED_SECONDS - waited, 0.0), ANSWERED_SECONDS))
    try:
        await write(parts.client, "views.update", view_id=form.view.id, view=view)
    except SlackRefused as refused:
        log.info("job %s ended unseen, its window is closed: %s", job, refused.code)
    await forget(parts, form)


async def failed(parts: Parts, _job: str, form: Submitted, _at: datetime) -> None:
    """Say that it could not be done."""
    await show(parts, ViewRef(id=form.view.id), admin.told("admin_failed", language="en"))


async def _done(parts: Parts, job: str, form: Submitted) -> View:
    proved = await prove_admin(parts, form.sender)
    look = look_of(parts, form.token, user=form.sender.user_id)
    if proved is None or look is None or look.window not in _ACTS:
        log.warning("job %s changes nothing: its sender may not", job)
        return context.unavailable(language="en")
    view = await _ACTS[look.window](parts, _Sent(job=job, proved=proved, look=look, form=form))
    await redraw_home(parts, proved)
    return view


async def _go_live(parts: Parts, sent: _Sent) -> View:
    """Make a file that was looked at a source, unless another changed that source meanwhile."""
    staged = await kept(parts, sent.look)
    if staged is None:
        return admin.told("review_gone", language=sent.language)
    known = await source_of(parts, sent.look.source)
    readers = await readers_of(parts, sent.form, before=known.readers if known else ())
    if not readers:
        return admin.told("admin_not_ours", language=sent.language)
    source = described(staged, known=known, fields=sent.form.fields).model_copy(
        update={"readers": readers, **_owner_and_status(sent.form, SourceStatus.CURRENT)}
    )
    if not is_as_shown(known, source, staged, sent.look):
        return admin.told("admin_meanwhile", language=sent.language)
    if await leads_back(parts, source):
        return admin.told("review_circle", language=sent.language)
    try:
        await parts.shelve(source, staged.loaded)
    except SourceUnreadable:
        return admin.told("admin_bad_file", language=sent.language, why="why_file_large")
    await _note(parts, sent, "source-added", source.id)
    key = "review_new_version" if sent.look.version else "review_live_now"
    return admin.told(key, language=sent.language, title=source.title)


def _owner_and_status(form: Submitted, before: SourceStatus) -> dict[str, object]:
    return {
        "owner": _first(form, forms.OWNER)[: forms.OWNER_CHARACTERS],
        "status": SourceStatus(_first(form, forms.STATUS) or before),
    }


async def _change(parts: Parts, sent: _Sent) -> View:
    source = await source_of(parts, sent.look.source)
    if source is None:
        return context.unavailable(language=sent.language)
    readers = await readers_of(parts, sent.form, before=source.readers)
    if not readers:
        return admin.told("admin_not_ours", language=sent.language)
    changed: dict[str, object] = {
        "readers": readers,
        **_owner_and_status(sent.form, source.status),
    }
    try:
        changed |= await _cut_otherwise(parts, sent, source)
    except SourceUnreadable:
        return admin.told("admin_not_cut", language=sent.language)
    view = await _put(parts, sent, source, changed, "admin_changed")
    entry = await source_of(parts, source.id)
    if entry is not None and sent.form.fields.get(forms.CUTTING):
        await parts.recut(entry)  # also what a crash left uncut
    return view


async def _cut_otherwise(parts: Parts, sent: _Sent, source: Source) -> dict[str, object]:
    """What the entry says of another way of cutting; nothing where it is the same.

    Raises `SourceUnreadable` where its text is not at hand or cannot be cut that way.
    """
    if not sent.form.fields.get(forms.CUTTING):
        return {}
    wanted = await wanted_cut(parts, source, sent.form.fields)
    return {"metadata": wanted.metadata} if wanted else {}


async def _retire(parts: Parts, sent: _Sent) -> View:
    source = await source_of(parts, sent.look.source)
    if source is None:
        return context.unavailable(language=sent.language)
    return await _put(parts, sent, source, {"status": SourceStatus.WITHDRAWN}, "admin_retired")


async def _put(
    parts: Parts, sent: _Sent, source: Source, changed: dict[str, object], key: str
) -> View:
    """Record the change, unless the source was changed by another since it was shown."""
    entry = source.model_copy(update={**changed, "snapshot": None, "updated_at": None})
    done_before = mark_of(entry) == mark_of(source)
    if mark_of(source) != sent.look.mark and not done_before:
        return admin.told("admin_meanwhile", language=sent.language)
    await parts.record.sources.put(marked(entry, _differing(entry, source)))
    await _note(parts, sent, _NOTED[sent.look.window], source.id)
    return admin.told(key, language=sent.language, title=source.title)


def _differing(entry: Source, source: Source) -> list[str]:
    """What a file shall not say otherwise when it is read again."""
    return [name for name in FIELDS if getattr(entry, name) != getattr(source, name)]


async def _note(parts: Parts, sent: _Sent, what: str, source_id: str) -> bool:
    about = "".join(f"%{ord(c):02X}" if c.isspace() else c for c in source_id)[:300]
    return await parts.record.audit.note(
        tenant=parts.tenant, who=sent.proved.principal, what=what, about=[about], once=sent.job
    )


def _first(form: Submitted, name: str) -> str:
    return next(iter(form.fields.get(name, ())), "").strip()


_NOTED = {Window.CHANGE: "source-changed", Window.RETIRE: "source-retired"}

_ACTS: dict[Window, Callable[[Parts, _Sent], Awaitable[View]]] = {
    Window.REVIEW: _go_live,
    Window.CHANGE: _change,
    Window.RETIRE: _retire,
}
