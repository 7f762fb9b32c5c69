"""Rows of `tasks` and `checkpoints` as values and back, each verified when read."""

import json
from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime, ValidationError
from sqlalchemy import Connection, Row, Select, insert, select, update

from bot.storage.errors import UnknownTenant, WrittenByAnother
from bot.storage.rows import insert_new, instant, instant_or_none, sha256, stamp
from bot.storage.tables import checkpoints, task_tenants, tasks, tenants
from rag.errors import CheckpointTampered, LeaseLost, TaskExists, UnknownTask
from rag.ports import Lease
from rag.values import Reason, Request, Status, Value

CHECKPOINT_SCHEMA = 7
"""Raised whenever a saved value gains a field, so that an older version reads no half of it."""

OLDEST_CHECKPOINT = 1
"""The oldest schema whose documents still do; a stage with an older one runs again."""


class TaskState(StrEnum):
    """Where a task is on its way."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StoredTask(Value):
    """One question and what became of it. WAITING: its asker was asked back.

    ``lease`` is the number of times it was taken up, and so the holder's.
    """

    id: str
    tenant: str
    principal: str
    conversation: str | None = None
    parent_id: str | None = None
    state: TaskState
    status: Status | None = None
    reason: Reason | None = None
    request: Request
    created_at: AwareDatetime
    finished_at: AwareDatetime | None = None
    lease: int = 0

    @property
    def held(self) -> Lease:
        """The lease as it stands, for whoever acts before anybody took the task up."""
        return Lease(task=self.id, number=self.lease)


def tenant_of(connection: Connection, task: str) -> str:
    """The tenant a task belongs to: task ids are unique over all tenants. Raises UnknownTask."""
    statement = select(task_tenants.c.tenant).where(task_tenants.c.task == task)
    tenant: str | None = connection.execute(statement).scalar_one_or_none()
    if tenant is None:
        raise UnknownTask(f"there is no task {task!r}")
    return tenant


def add_task(connection: Connection, request: Request, state: TaskState) -> bool:
    """Insert the task of ``request``; False when the same question has that id already.

    Raises TaskExists when another question has it, UnknownTenant.
    """
    known = select(tenants.c.tenant).where(tenants.c.tenant == request.tenant)
    if connection.execute(known).first() is None:
        raise UnknownTenant(f"there is no tenant {request.tenant!r}")
    claim = {"task": request.task, "tenant": request.tenant}
    if insert_new(connection, task_tenants, claim):
        connection.execute(insert(tasks).values(**_row(request, state)))
        return True
    if tenant_of(connection, request.task) != request.tenant:
        raise TaskExists(f"the task id {request.task!r} is taken")
    stored = read_task(connection, tenant=request.tenant, task=request.task)
    if _asked(stored.request) != _asked(request):
        raise TaskExists(f"task {request.task!r} asks something else")
    return False


def take_up(connection: Connection, *, tenant: str, task: str) -> Lease:
    """Let a queued or failed task run, and give out its next lease."""
    waiting = tasks.c.state.in_([TaskState.QUEUED.value, TaskState.FAILED.value])
    named = [tasks.c.tenant == tenant, tasks.c.id == task]
    running = {"state": TaskState.RUNNING.value, "finished_at": None}
    connection.execute(update(tasks).where(*named, waiting).values(**running))
    # The row's own lock makes each number somebody's alone; no clock has a say.
    taken = connection.execute(
        update(tasks).where(*named).values(lease=tasks.c.lease + 1).returning(tasks.c.lease)
    )
    return Lease(task=task, number=taken.scalar_one())


def require_lease(
    connection: Connection, *, tenant: str, lease: Lease, locked: bool = True
) -> TaskState:
    """The state of the leased task. Raises LeaseLost when it is in other hands, UnknownTask.

    ``locked``: nobody takes it up before this transaction ends.
    """
    statement = select(tasks.c.lease, tasks.c.state).where(
        tasks.c.tenant == tenant, tasks.c.id == lease.task
    )
    if locked and connection.dialect.name == "postgresql":
        statement = statement.with_for_update(key_share=True)
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise UnknownTask(f"there is no task {lease.task!r} in tenant {tenant!r}")
    if row.lease != lease.number:
        raise LeaseLost(f"task {lease.task} is in other hands: lease {row.lease}")
    return TaskState(row.state)


def read_task(connection: Connection, *, tenant: str, task: str) -> StoredTask:
    """A task by its id. Raises UnknownTask, CheckpointTampered."""
    statement = select(tasks).where(tasks.c.tenant == tenant, tasks.c.id == task)
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise UnknownTask(f"there is no task {task!r} in tenant {tenant!r}")
    return stored_task(row)


def require_task(connection: Connection, *, tenant: str, task: str) -> None:
    """Raise UnknownTask unless the tenant has that task."""
    statement = select(tasks.c.id).where(tasks.c.tenant == tenant, tasks.c.id == task)
    if connection.execute(statement).first() is None:
        raise UnknownTask(f"there is no task {task!r} in tenant {tenant!r}")


def stored_task(row: Row[Any]) -> StoredTask:
    """A row of `tasks`, its request checked against its SHA-256.

    Raises CheckpointTampered, and WrittenByAnother for a request of an unknown shape.
    """
    if row.sha256 != _request_hash(row.tenant, row.id, row.request):
        raise CheckpointTampered(f"the request of task {row.id} no longer matches its SHA-256")
    try:
        request = Request.model_validate_json(row.request)
    except ValidationError as error:
        raise WrittenByAnother(f"the request of task {row.id} has another shape") from error
    return StoredTask(
        id=row.id,
        tenant=row.tenant,
        principal=row.principal,
        conversation=row.conversation,
        parent_id=row.parent_id,
        state=TaskState(row.state),
        status=Status(row.status) if row.status else None,
        reason=Reason(row.reason) if row.reason else None,
        request=request,
        created_at=instant(row.created_at),
        finished_at=instant_or_none(row.finished_at),
        lease=row.lease,
    )


def checkpoint_row(*, tenant: str, task: str, stage: str, document: str) -> dict[str, Any]:
    """The row of a stage result, without the instant it was saved."""
    return {
        "tenant": tenant,
        "task": task,
        "stage": stage,
        "document": document,
        "schema_version": CHECKPOINT_SCHEMA,
        "sha256": _checkpoint_hash(tenant, task, stage, CHECKPOINT_SCHEMA, document),
    }


def read_checkpoint(connection: Connection, *, tenant: str, task: str, stage: str) -> str | None:
    """A stage's document; None when there is none, or one of a schema long past.

    Raises CheckpointTampered, and WrittenByAnother for one of a newer schema.
    """
    row = connection.execute(
        _checkpoints_of(tenant, task).where(checkpoints.c.stage == stage)
    ).one_or_none()
    return None if row is None else _verified(row)


def read_checkpoints(connection: Connection, *, tenant: str, task: str) -> dict[str, str]:
    """As `read_checkpoint`, of every stage that has a document, by its name."""
    rows = connection.execute(_checkpoints_of(tenant, task))
    read = {row.stage: _verified(row) for row in rows}
    return {stage: document for stage, document in read.items() if document is not None}


def _checkpoints_of(tenant: str, task: str) -> Select[Any]:
    return select(checkpoints).where(checkpoints.c.tenant == tenant, checkpoints.c.task == task)


def _verified(row: Row[Any]) -> str | None:
    stage, task = row.stage, row.task
    expected = _checkpoint_hash(row.tenant, task, stage, row.schema_version, row.document)
    if row.sha256 != expected:
        raise CheckpointTampered(f"stage {stage} of task {task} no longer matches its SHA-256")
    if row.schema_version > CHECKPOINT_SCHEMA:
        raise WrittenByAnother(f"stage {stage} of task {task} has schema {row.schema_version}")
    document: str | None = row.document if row.schema_version >= OLDEST_CHECKPOINT else None
    return document


def _row(request: Request, state: TaskState) -> dict[str, Any]:
    document = request.model_dump_json()
    return {
        "tenant": request.tenant,
        "id": request.task,
        "principal": request.principal,
        "channel": request.place.channel,
        "conversation": request.conversation,
        "parent_id": request.parent_id,
        "request": document,
        "sha256": _request_hash(request.tenant, request.task, document),
        "state": state.value,
        "created_at": stamp(request.asked_at),
    }


def _asked(request: Request) -> dict[str, Any]:
    """What makes two requests the same question: not when, nor after which turns, it was read."""
    return request.model_dump(exclude={"asked_at", "turns", "rounds"})


def _request_hash(tenant: str, task: str, document: str) -> str:
    return sha256(json.dumps([tenant, task, document]))


def _checkpoint_hash(tenant: str, task: str, stage: str, schema: int, document: str) -> str:
    """Covers where the document belongs, so that rows cannot change places."""
    return sha256(json.dumps([tenant, task, stage, schema, document]))
