"""Questions and what became of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import ColumnElement, Connection, Update, delete, select, update

from bot.storage.conversations import earlier_turns
from bot.storage.database import Database
from bot.storage.handoffs import drop_proposals
from bot.storage.paid_replies import WANTED_AFTER, drop_replies
from bot.storage.rows import stamp, utc_now
from bot.storage.spending import forget_names
from bot.storage.tables import task_tenants, tasks
from bot.storage.task_rows import (
    StoredTask,
    TaskState,
    add_task,
    read_task,
    require_lease,
    stored_task,
    tenant_of,
)
from rag.errors import Cancelled
from rag.ports import Clock, Lease
from rag.values import Place, Reason, Request, Status, Turn

UNFINISHED = (TaskState.QUEUED, TaskState.RUNNING)
STATE_AFTER = {Status.CLARIFY: TaskState.WAITING, Status.FAILED: TaskState.FAILED}
"""The state a task ends in by its status; any other status ends it DONE."""


class SqlTasks:
    """Every question of every tenant; a task's id is unique over all tenants."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def enqueue(self, request: Request) -> bool:
        """Store a question that waits for its turn; False when it was stored before.

        Raises TaskExists when another question has that id, UnknownTenant.
        """
        return await self._database.amend(
            partial(add_task, request=request, state=TaskState.QUEUED)
        )

    async def tenant_of(self, task: str) -> str:
        """The tenant a task belongs to. Raises UnknownTask."""
        return await self._database.read(partial(tenant_of, task=task))

    async def get(self, *, tenant: str, task: str) -> StoredTask:
        """A task by its id. Raises UnknownTask, CheckpointTampered."""
        return await self._database.read(partial(read_task, tenant=tenant, task=task))

    async def hold(self, *, tenant: str, lease: Lease) -> None:
        """Nothing, while the task is in this lease and wanted.

        Raises LeaseLost, Cancelled when the question was taken back, UnknownTask.
        """
        state = await self._database.read(
            partial(require_lease, tenant=tenant, lease=lease, locked=False)
        )
        if state is TaskState.CANCELLED:
            raise Cancelled(f"task {lease.task} was taken back")

    async def finish(
        self, *, tenant: str, lease: Lease, status: Status, reason: Reason | None = None
    ) -> bool:
        """Record how a task ended; False when it was cancelled before.

        The replies that were kept for it go, unless it can be tried again with them.
        Raises LeaseLost, UnknownTask.
        """
        state = STATE_AFTER.get(status, TaskState.DONE)
        values = {
            "state": state.value,
            "status": status.value,
            "reason": reason.value if reason else None,
            "finished_at": stamp(self._clock()),
        }
        unless = [tasks.c.state != TaskState.CANCELLED.value]
        statement = _changing(tenant, lease.task, unless, values)

        def work(connection: Connection) -> bool:
            require_lease(connection, tenant=tenant, lease=lease)
            if status is not Status.FAILED or reason not in WANTED_AFTER:
                drop_replies(connection, tenant=tenant, tasks=[lease.task])
            return connection.execute(statement).rowcount > 0

        return await self._database.amend(work)

    async def cancel(self, *, tenant: str, task: str) -> bool:
        """Withdraw a question that is unfinished or waits for its asker; whether it was one."""
        values = {"state": TaskState.CANCELLED.value, "finished_at": stamp(self._clock())}
        open_states = [state.value for state in (*UNFINISHED, TaskState.WAITING)]
        statement = _changing(tenant, task, [tasks.c.state.in_(open_states)], values)

        def work(connection: Connection) -> bool:
            if not connection.execute(statement).rowcount:
                return False
            drop_replies(connection, tenant=tenant, tasks=[task])
            self._database.deletions.note(connection, tenant=tenant, kind="cancelled", ids=[task])
            return True

        return await self._database.amend(work)

    async def requeue(self, *, tenant: str, task: str) -> bool:
        """Let a failed task, or one that waits for a worker, be run again; whether it was one."""
        values = {"state": TaskState.QUEUED.value, "status": None, "reason": None}
        states = [TaskState.FAILED.value, *(state.value for state in UNFINISHED)]
        again = {**values, "finished_at": None}
        return await self._change(tenant, task, [tasks.c.state.in_(states)], again)

    async def settle(self, *, tenant: str, task: str) -> bool:
        """End the wait for a clarification: True for the one caller whose reply ended it."""
        waiting = [tasks.c.state == TaskState.WAITING.value]
        return await self._change(tenant, task, waiting, {"state": TaskState.DONE.value})

    async def list(
        self, *, tenant: str, principal: str | None = None, limit: int = 50
    ) -> tuple[StoredTask, ...]:
        """The tenant's tasks, or one person's, the newest first."""
        whose = [] if principal is None else [tasks.c.principal == principal]
        return await self._newest(tenant, whose, limit)

    async def find(
        self, *, tenant: str, states: Sequence[TaskState], before: datetime, limit: int
    ) -> tuple[StoredTask, ...]:
        """The tenant's tasks in these states that were asked before then, the newest first."""
        names = [state.value for state in states]
        conditions = [tasks.c.state.in_(names), tasks.c.created_at <= stamp(before)]
        return await self._newest(tenant, conditions, limit)

    async def ended(
        self, *, tenant: str, statuses: Sequence[Status], limit: int
    ) -> tuple[StoredTask, ...]:
        """The tenant's tasks that ended so, the newest first."""
        names = [status.value for status in statuses]
        return await self._newest(tenant, [tasks.c.status.in_(names)], limit)

    async def unfinished(self, *, tenant: str) -> tuple[StoredTask, ...]:
        """The tasks that are queued or running, the newest first."""
        states = [state.value for state in UNFINISHED]
        return await self._newest(tenant, [tasks.c.state.in_(states)], None)

    async def waiting(
        self, *, tenant: str, conversation: str, principal: str | None = None
    ) -> StoredTask | None:
        """The newest task of a conversation that waits for its asker (one person's, if named)."""
        conditions = [
            tasks.c.conversation == conversation,
            tasks.c.state == TaskState.WAITING.value,
        ]
        if principal is not None:
            conditions.append(tasks.c.principal == principal)
        found = await self._newest(tenant, conditions, 1)
        return found[0] if found else None

    async def goes_on(self, *, tenant: str, conversation: str) -> bool:
        """Whether a task of the conversation is queued, running, or waits for its asker.

        One look: a task that goes from one of these to the next is never between two.
        """
        states = [state.value for state in (*UNFINISHED, TaskState.WAITING)]
        conditions = [tasks.c.conversation == conversation, tasks.c.state.in_(states)]
        return bool(await self._newest(tenant, conditions, 1))

    async def turns(
        self,
        *,
        tenant: str,
        conversation: str,
        principal: str,
        place: Place,
        before: datetime,
        limit: int = 10,
    ) -> tuple[Turn, ...]:
        """The conversation's last turns before an instant, the oldest first.

        Only those that everyone at ``place`` has seen: in a channel, what was
        answered in that channel; in private, the principal's own questions.
        Raises CheckpointTampered.
        """
        seen = tasks.c.principal == principal
        if place.channel is not None:
            seen = tasks.c.channel == place.channel
        conditions = [
            tasks.c.conversation == conversation,
            tasks.c.created_at < stamp(before),
            tasks.c.state != TaskState.CANCELLED.value,
            seen,
        ]
        return await self._database.read(
            partial(earlier_turns, tenant=tenant, conditions=conditions, limit=limit)
        )

    async def forget(self, *, tenant: str, principal: str) -> tuple[str, ...]:
        """Delete one person's questions with all that hangs on them; their ids."""
        return await self._delete(tenant, [tasks.c.principal == principal])

    async def expired(self, *, tenant: str, before: datetime) -> tuple[str, ...]:
        """The ids of the ended tasks asked before an instant, the newest first."""
        return await self._database.read(partial(_ids, tenant=tenant, conditions=_past(before)))

    async def purge(self, *, tenant: str, before: datetime) -> int:
        """Delete what `expired` lists; how many."""
        return len(await self._delete(tenant, _past(before)))

    async def _newest(
        self, tenant: str, conditions: Sequence[ColumnElement[bool]], limit: int | None
    ) -> tuple[StoredTask, ...]:
        return await self._database.read(
            partial(_newest, tenant=tenant, conditions=conditions, limit=limit)
        )

    async def _change(
        self,
        tenant: str,
        task: str,
        conditions: Sequence[ColumnElement[bool]],
        values: Mapping[str, str | None],
    ) -> bool:
        statement = _changing(tenant, task, conditions, values)
        return await self._database.amend(
            lambda connection: connection.execute(statement).rowcount > 0
        )

    async def _delete(
        self, tenant: str, conditions: Sequence[ColumnElement[bool]]
    ) -> tuple[str, ...]:

        def work(connection: Connection) -> tuple[str, ...]:
            ids = delete_tasks(connection, tenant=tenant, conditions=conditions)
            self._database.deletions.note(connection, tenant=tenant, kind="tasks", ids=ids)
            return ids

        gone = await self._database.write(work)
        await self._database.scrub()
        return gone


def _changing(
    tenant: str,
    task: str,
    conditions: Sequence[ColumnElement[bool]],
    values: Mapping[str, str | None],
) -> Update:
    changed = update(tasks).where(tasks.c.tenant == tenant, tasks.c.id == task, *conditions)
    return changed.values(**values)


def _past(before: datetime) -> list[ColumnElement[bool]]:
    states = [state.value for state in UNFINISHED]
    return [tasks.c.created_at < stamp(before), tasks.c.state.not_in(states)]


def _ids(
    connection: Connection, *, tenant: str, conditions: Sequence[ColumnElement[bool]]
) -> tuple[str, ...]:
    statement = select(tasks.c.id).where(tasks.c.tenant == tenant, *conditions)
    found = connection.execute(statement.order_by(tasks.c.created_at.desc(), tasks.c.id))
    return tuple(found.scalars())


def _newest(
    connection: Connection,
    *,
    tenant: str,
    conditions: Sequence[ColumnElement[bool]],
    limit: int | None,
) -> tuple[StoredTask, ...]:
    statement = (
        select(tasks)
        .where(tasks.c.tenant == tenant, *conditions)
        .order_by(tasks.c.created_at.desc(), tasks.c.id.desc())
        .limit(limit)
    )
    return tuple(stored_task(row) for row in connection.execute(statement))


def delete_tasks(
    connection: Connection, *, tenant: str, conditions: Sequence[ColumnElement[bool]]
) -> tuple[str, ...]:
    """Delete the tasks that meet the conditions with all that hangs on them; their ids.

    What owners proposed about them goes too, unless somebody approved it. What they cost
    stays as a sum that names no task.
    """
    ids = _ids(connection, tenant=tenant, conditions=conditions)
    chosen = select(tasks.c.id).where(tasks.c.tenant == tenant, *conditions)
    drop_proposals(connection, tenant=tenant, tasks=chosen)
    forget_names(connection, tenant=tenant, tasks=chosen)
    connection.execute(
        delete(task_tenants).where(task_tenants.c.tenant == tenant, task_tenants.c.task.in_(chosen))
    )
    connection.execute(delete(tasks).where(tasks.c.tenant == tenant, *conditions))
    return ids
