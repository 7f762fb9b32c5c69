"""What an admin sent off is done: a source added, changed or retired, and written down."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import PurePosixPath

from bot.administering import ANSWERED_SECONDS, show
from bot.admins import prove_admin
from bot.errors import SlackRefused
from bot.fetching import Fetched, FileRefused, fetch
from bot.identity import Proved
from bot.listing import language_for, redraw_home
from bot.loaders.describe import language_in
from bot.loaders.outlining import said_in, titled
from bot.looks import Look, Window, look_of, mark_of
from bot.parts import Parts
from bot.reader_fields import readers_of
from bot.slack_client import write
from bot.told import FIELDS, marked
from handlers.blocks import admin, context, forms
from handlers.blocks.context import View
from handlers.deps import Submitted, ViewRef
from rag.errors import SourceUnreadable
from rag.values import Kind, Source, SourceStatus, Value

log = logging.getLogger(__name__)

_UPLOADS = "uploads"
_NOT_IN_IDS = re.compile(r"[^\w.\-]+")
_ID = 200  # characters


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


async def _add(parts: Parts, sent: _Sent) -> View:
    readers = await readers_of(parts, sent.form, before=())
    if not readers:
        return admin.told("admin_not_ours", language=sent.language)
    try:
        file = await fetch(
            parts.client,
            _first(sent.form, forms.FILE),
            by=sent.proved.user_id,
            files=parts.files,
            limits=parts.limits,
        )
        return await _shelved(parts, sent, file, readers)
    except FileRefused as refused:
        return admin.told("admin_bad_file", language=sent.language, why=refused.why)
    except SourceUnreadable:
        return admin.told("admin_bad_file", language=sent.language, why="why_file_large")


async def _shelved(parts: Parts, sent: _Sent, file: Fetched, readers: tuple[str, ...]) -> View:
    source = _described(parts, file, readers=readers, owner=_first(sent.form, forms.OWNER))
    known = await parts.record.sources.get(tenant=parts.tenant, source_ids=[source.id])
    await parts.shelve(source, file.loaded)
    new = await _note(parts, sent, "source-added", source.id)
    # Done again after a crash, the source is there already through ourselves.
    key = "admin_replaced" if known and new else "admin_added"
    notes = [f"caution_{caution.value}" for caution in file.loaded.cautions]
    return admin.told(key, language=sent.language, title=source.title, notes=notes)


def _described(parts: Parts, file: Fetched, *, readers: tuple[str, ...], owner: str) -> Source:
    """The file as a source. Its text lies in the record alone, so its ``ref`` leads nowhere."""
    said = said_in(file.loaded)
    name = PurePosixPath(file.name)
    ident = f"{_UPLOADS}/{_NOT_IN_IDS.sub('-', name.name)[-_ID:]}"
    return Source(
        id=ident,
        tenant=parts.tenant,
        title=titled(file.loaded, fallback=name.stem),
        kind=Kind.DOCUMENT,
        ref=f"slack:{ident}",
        readers=readers,
        language=said.language or language_in(file.loaded.text),
        **{
            key: value
            for key, value in said.model_dump(exclude={"title", "language"}).items()
            if value is not None
        }
        | ({"owner": owner} if owner else {}),
    )


async def _change(parts: Parts, sent: _Sent) -> View:
    source = await _source(parts, sent)
    if source is None:
        return context.unavailable(language=sent.language)
    readers = await readers_of(parts, sent.form, before=source.readers)
    if not readers:
        return admin.told("admin_not_ours", language=sent.language)
    changed: dict[str, object] = {
        "readers": readers,
        "owner": _first(sent.form, forms.OWNER)[: forms.OWNER_CHARACTERS],
        "status": SourceStatus(_first(sent.form, forms.STATUS) or source.status),
    }
    return await _put(parts, sent, source, changed, "admin_changed")


async def _retire(parts: Parts, sent: _Sent) -> View:
    source = await _source(parts, sent)
    if source is None:
        return context.unavailable(language=sent.language)
    return await _put(parts, sent, source, {"status": SourceStatus.WITHDRAWN}, "admin_retired")


async def _source(parts: Parts, sent: _Sent) -> Source | None:
    ids = [sent.look.source]
    found = await parts.record.sources.get(tenant=parts.tenant, source_ids=ids)
    return found[0] if found else None


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
    Window.ADD: _add,
    Window.CHANGE: _change,
    Window.RETIRE: _retire,
}
