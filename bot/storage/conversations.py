"""Earlier turns of a conversation, read from the reports of its tasks."""

from collections.abc import Sequence

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, select

from bot.storage.tables import shown, tasks
from bot.storage.task_rows import StoredTask, read_checkpoint, stored_task
from rag.errors import CheckpointTampered
from rag.values import Answer, Report, Status, Turn

REPORT_STAGE = "report"


def earlier_turns(
    connection: Connection,
    *,
    tenant: str,
    conditions: Sequence[ColumnElement[bool]],
    limit: int,
) -> tuple[Turn, ...]:
    """The last ``limit`` reported tasks under ``conditions`` as turns, the oldest first.

    Raises CheckpointTampered.
    """
    statement = (
        select(tasks)
        .where(tasks.c.tenant == tenant, *conditions)
        .where(tasks.c.status.is_not(None))
        .order_by(tasks.c.created_at.desc(), tasks.c.id.desc())
        .limit(limit)
    )
    newest_first = [stored_task(row) for row in connection.execute(statement)]
    return tuple(_turn(connection, task) for task in reversed(newest_first))


def _turn(connection: Connection, task: StoredTask) -> Turn:
    document = read_checkpoint(connection, tenant=task.tenant, task=task.id, stage=REPORT_STAGE)
    asked = Turn(task=task.id, question=task.request.question, chosen_from=task.request.chosen_from)
    if document is None or _is_hidden(connection, task):
        return asked
    try:
        report = Report.model_validate_json(document)
    except ValidationError as error:
        raise CheckpointTampered(f"the report of task {task.id} cannot be read") from error
    told = {
        "reply": _reply(report.answer),
        "clarifying": report.answer.status is Status.CLARIFY,
        "source_ids": tuple(sorted(report.told)),
    }
    return asked.model_copy(update=told)


def _is_hidden(connection: Connection, task: StoredTask) -> bool:
    """Whether its answer was taken back: what it said is for no later question."""
    statement = select(shown.c.task).where(
        shown.c.tenant == task.tenant, shown.c.task == task.id, shown.c.hidden_at.is_not(None)
    )
    return connection.execute(statement.limit(1)).first() is not None


def _reply(answer: Answer) -> str:
    if answer.clarification is not None:
        return answer.clarification.question
    return "\n".join(claim.text for claim in answer.claims)
