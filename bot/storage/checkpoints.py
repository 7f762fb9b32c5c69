"""Finished stages of a task."""

from collections.abc import Mapping
from functools import partial

from sqlalchemy import Connection, select

from bot.storage.database import Database
from bot.storage.rows import insert_new, stamp, upsert, utc_now
from bot.storage.tables import checkpoints
from bot.storage.task_rows import (
    TaskState,
    add_task,
    checkpoint_row,
    read_checkpoint,
    read_checkpoints,
    read_task,
    require_lease,
    take_up,
    tenant_of,
)
from rag.ports import Clock, Lease
from rag.values import Request


class SqlCheckpoints:
    """`rag.ports.Checkpoints` in SQL, each document checked against its SHA-256 when read."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def open(self, request: Request) -> Lease:
        """Store the request as a running task; the same question again runs on.

        In the same transaction the task gets its next lease, so that whoever held it
        before may write no more. Raises TaskExists when another question has that id,
        UnknownTenant.
        """
        return await self._database.amend(partial(_open, request=request))

    async def load(self, task: str, stage: str) -> str | None:
        """The document a stage left. Raises UnknownTask, CheckpointTampered."""
        return await self._database.read(partial(_load, task=task, stage=stage))

    async def saved(self, task: str) -> Mapping[str, str]:
        """Every stage's document, by the stage's name. Raises UnknownTask, CheckpointTampered."""
        return await self._database.read(partial(_saved, task=task))

    async def save(self, lease: Lease, stage: str, document: str) -> str:
        """Store a stage's document unless one of this schema is kept; the one that is.

        Raises LeaseLost, UnknownTask, CheckpointTampered.
        """
        at = stamp(self._clock())
        return await self._database.amend(
            partial(_save, lease=lease, stage=stage, document=document, at=at)
        )

    async def stages(self, task: str) -> tuple[str, ...]:
        """The finished stages in the order they were saved. Raises UnknownTask."""
        return await self._database.read(partial(_stages, task=task))

    async def request(self, task: str) -> Request:
        """The question as it was opened. Raises UnknownTask, CheckpointTampered."""
        return await self._database.read(partial(_request, task=task))


def _open(connection: Connection, *, request: Request) -> Lease:
    add_task(connection, request, TaskState.RUNNING)
    return take_up(connection, tenant=request.tenant, task=request.task)


def _load(connection: Connection, *, task: str, stage: str) -> str | None:
    tenant = tenant_of(connection, task)
    return read_checkpoint(connection, tenant=tenant, task=task, stage=stage)


def _saved(connection: Connection, *, task: str) -> Mapping[str, str]:
    tenant = tenant_of(connection, task)
    return read_checkpoints(connection, tenant=tenant, task=task)


def _save(connection: Connection, *, lease: Lease, stage: str, document: str, at: str) -> str:
    tenant = tenant_of(connection, lease.task)
    require_lease(connection, tenant=tenant, lease=lease)
    row = checkpoint_row(tenant=tenant, task=lease.task, stage=stage, document=document)
    if insert_new(connection, checkpoints, {**row, "saved_at": at}):
        return document
    kept = read_checkpoint(connection, tenant=tenant, task=lease.task, stage=stage)
    if kept is not None:
        return kept
    upsert(connection, checkpoints, {**row, "saved_at": at})  # one of another schema
    return document


def _stages(connection: Connection, *, task: str) -> tuple[str, ...]:
    tenant = tenant_of(connection, task)
    statement = (
        select(checkpoints.c.stage)
        .where(checkpoints.c.tenant == tenant, checkpoints.c.task == task)
        .order_by(checkpoints.c.saved_at, checkpoints.c.stage)
    )
    return tuple(connection.execute(statement).scalars())


def _request(connection: Connection, *, task: str) -> Request:
    return read_task(connection, tenant=tenant_of(connection, task), task=task).request
