"""What people think of an answer, and what they want forgotten."""

import logging

from bot.parts import Parts
from bot.questions.asking import stored_task
from bot.questions.rechecking import behind_button, may_read
from bot.record import Handle, StoredTask
from bot.slack.client import respond
from bot.slack.identity import Proved
from handlers.blocks import notes
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import language_of
from handlers.deps import Pressed, Rated
from rag.values import Report, Value

log = logging.getLogger(__name__)

DISPUTED = "the quote does not support the claim"
OWNERS_WANTED = "the owners are asked"


class Judged(Value):
    """The presser and what the button is about."""

    proved: Proved
    handle: Handle
    stored: StoredTask

    @property
    def language(self) -> str:
        return language_of(self.stored.request.question)


async def rate(parts: Parts, rated: Rated) -> None:
    """Keep a thumb; the person's last one counts."""
    found = await _readable(parts, rated.pressed)
    if found is not None:
        await keep(parts, found, up=rated.good)
        await answer(parts, rated.pressed, notes.thanks(language=found.language))


async def dispute(parts: Parts, pressed: Pressed) -> None:
    """Keep a doubt about one quote."""
    found = await _readable(parts, pressed)
    if found is not None:
        await keep(parts, found, up=False, note=DISPUTED)
        await answer(parts, pressed, notes.thanks(language=found.language))


async def forget(parts: Parts, pressed: Pressed) -> None:
    """Delete the presser's own questions with all that hangs on them."""
    proved = await parts.prove(pressed.sender)
    if proved is None:
        return
    gone = await parts.record.tasks.forget(tenant=parts.tenant, principal=proved.principal)
    await parts.queue.forget([job for task in gone for job in (task, f"{task}.answer")])
    log.info("%d tasks were forgotten", len(gone))
    language = "zh" if proved.locale.startswith("zh") else "en"
    await answer(parts, pressed, notes.forgotten(number=len(gone), language=language))


async def _readable(parts: Parts, pressed: Pressed) -> Judged | None:
    """As `judged`, of what the presser may read right now; who may not is told that alone."""
    found = await judged(parts, pressed)
    if found is None:
        return None
    document = await parts.record.checkpoints.load(found.stored.id, "report")
    report = Report.model_validate_json(document) if document else None
    behind = behind_button(report, found.handle) if report else frozenset()
    if await may_read(parts, found.proved, behind):
        return found
    await answer(parts, pressed, notes.unavailable(language="en"))
    return None


async def judged(parts: Parts, pressed: Pressed) -> Judged | None:
    proved = await parts.prove(pressed.sender)
    handle = await parts.record.deliveries.handle(tenant=parts.tenant, handle_id=pressed.value)
    stored = await stored_task(parts, handle.task) if handle else None
    if proved is None:
        return None
    if handle is None or stored is None:
        await answer(parts, pressed, notes.unavailable(language="en"))
        return None
    return Judged(proved=proved, handle=handle, stored=stored)


async def keep(parts: Parts, found: Judged, *, up: bool, note: str = "") -> None:
    """Keep what this person thinks, in place of what they thought before."""
    await parts.record.feedback.record(
        tenant=parts.tenant,
        task=found.stored.id,
        principal=found.proved.principal,
        up=up,
        claim=found.handle.claim,
        note=note,
    )


async def answer(parts: Parts, pressed: Pressed, rendered: Rendered) -> None:
    """Tell the presser alone; a button on the Home tab has no response address."""
    if pressed.response_url:
        await respond(parts.client, pressed.response_url, rendered)
        return
    channel = await parts.poster.dm(pressed.sender.user_id)
    await parts.poster.post(channel=channel, rendered=rendered)
