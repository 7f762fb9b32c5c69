"""The end of a question back: its wait is over, and its message says so."""

from bot.delivery import ANSWER
from bot.parts import Parts
from bot.record import StoredTask, TaskState
from handlers.blocks import clarification, notes
from rag.values import Report


async def settle(parts: Parts, asked_back: StoredTask, *, choice: str | None) -> None:
    """End a clarification's wait and let its message show that it was answered."""
    if asked_back.state is TaskState.WAITING:
        await parts.record.tasks.settle(tenant=parts.tenant, task=asked_back.id)
    document = await parts.record.checkpoints.load(asked_back.id, "report")
    placed = await parts.record.deliveries.get(tenant=parts.tenant, task=asked_back.id, kind=ANSWER)
    if document is None or placed is None or placed.ts is None:
        return
    report = Report.model_validate_json(document)
    if report.answer.clarification is None:
        return
    shown = notes.withdrawn(language=report.language)
    if await _may_be_seen(parts, asked_back, report):
        shown = clarification.answered(
            report.answer.clarification, choice=choice, language=report.language
        )
    await parts.poster.update(channel=placed.channel, ts=placed.ts, rendered=shown)


async def _may_be_seen(parts: Parts, asked_back: StoredTask, report: Report) -> bool:
    """Whether those who see the question back may still read the titles that it may hold."""
    permitted = await parts.catalogue.permitted(
        tenant=parts.tenant,
        principal=asked_back.request.principal,
        place=asked_back.request.place,
    )
    return {source.id for source in permitted.sources}.issuperset(report.told)
