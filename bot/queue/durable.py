"""The one durable insert: a job is in the database before Slack hears 200.

DBOS keeps the jobs in its own system database beside ours (its own SQLite file,
or the same PostgreSQL). Jobs of one conversation run one at a time, in order.
"""

import asyncio
import hashlib
import logging
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dbos import (
    DBOSClient,
    DBOSPortableJSONSerializer,
    EnqueueOptions,
    WorkflowStatus,
)
from pydantic import AwareDatetime
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import JobRefused
from bot.metering import UNMETERED, IntakeMeter
from bot.queue.blame import Blame
from bot.queue.endings import UNFINISHED, Endings
from bot.queue.engine import inserting_engine
from bot.queue.grouping import Grouped
from bot.queue.inserting import REFUSED, Inserting, Row
from bot.queue.lines import CONVERSATION, POLL_SECONDS, declare, line
from rag.errors import StoreUnavailable
from rag.values import Value

log = logging.getLogger(__name__)

APPLICATION = "footnote"
APPLICATION_VERSION = "1"  # changed only when the shape of the jobs changes
_GIVEN_UP = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
_INSERT_SECONDS = 2.5
_CLEANED_AT_ONCE = 500


class Job(Value):
    """What is to be done, under an id that is the same for every repeat of one message.

    ``payload`` is a value's JSON, ``at`` the instant it was first received.
    """

    id: str
    kind: str
    partition: str
    payload: str
    at: AwareDatetime


def short_hash(*parts: str) -> str:
    """Twelve characters that name ``parts``, with no part running into the next."""
    joined = "\x1f".join(parts)
    return hashlib.sha256(joined.encode()).hexdigest()[:12]


def job_id(ts: str, *about: str) -> str:
    """An id that sorts by the message's time and is the same for its twin and its retries."""
    return f"{ts}-{short_hash(*about)}"


def again_id(task: str, *words: str) -> str:
    """The id of the task that answers a message's changed words; it sorts after the first's."""
    return f"{task}.{short_hash(*words)}"


def is_again(task: str, *, of: str) -> bool:
    """Whether ``task`` answers changed words of the message that became ``of``."""
    return task.startswith(f"{of}.")


class Queue:
    """Puts jobs into the queue; a job already there is left as it is.

    Several workspaces may share a queue's database. Each has lines of its own, named after
    ``workspace``, for only its own bot can reply there. Lines without a workspace are taken
    by every worker.
    """

    def __init__(self, url: str, *, workspace: str = "", meter: IntakeMeter = UNMETERED) -> None:
        self._workspace = workspace
        self._meter = meter
        self._engine = inserting_engine(url)
        self._client = DBOSClient(
            system_database_engine=self._engine,
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
            lazy=True,
        )
        self._blame = Blame(self._client, workspace)
        self._endings = Endings(self._client, poll_seconds=POLL_SECONDS)
        self._inserts = Grouped(Inserting(self._engine, self._client), name="inserts")

    def declare(self, concurrency: int, paused: int = 0) -> list[str]:
        """Make the lines known before a worker looks for them; their names. Blocks.

        Again when the number of ``paused`` tenants has changed (`bot.queue.lines.declare`).
        """
        return declare(self._client, self._workspace, concurrency=concurrency, paused=paused)

    async def put(self, job: Job, *, queue: str = CONVERSATION) -> None:
        """Insert the job, within Slack's three seconds.

        Raises `StoreUnavailable`, and `JobRefused` when only this job is at fault.
        """
        began = time.perf_counter()
        try:
            await self._insert(job, queue)
        except StoreUnavailable:
            self._meter.not_stored()
            raise
        self._meter.stored(time.perf_counter() - began)

    async def _insert(self, job: Job, queue: str) -> None:
        inserted = self._inserts.put(_row(job, line(queue, self._workspace)))
        # A caller that goes away must not cancel the insert half way.
        waiting = asyncio.shield(asyncio.wrap_future(inserted))
        try:
            await asyncio.wait_for(waiting, _INSERT_SECONDS)
        except TimeoutError as error:
            inserted.cancel()  # nothing has begun yet, or else its outcome stays unknown
            raise StoreUnavailable(f"job {job.id} could not be stored in time") from error
        except REFUSED as error:
            raise JobRefused(f"job {job.id} cannot be stored: {type(error).__name__}") from error
        except SQLAlchemyError as error:
            raise StoreUnavailable(f"job {job.id} could not be stored") from error

    async def holds(self, job: str) -> bool:
        """Whether a job of that id is there, begun or not. Raises `StoreUnavailable`."""
        return bool(await self._found(workflow_ids=[job]))

    async def going(self, job: str) -> bool:
        """Whether that job waits or is worked on. Raises `StoreUnavailable`."""
        found = await self._found(workflow_ids=[job])
        return any(row.status in UNFINISHED for row in found)

    async def jobs_of(self, task: str) -> dict[str, bool]:
        """The jobs whose ids begin with the task's, and whether anybody comes back to each.

        Raises `StoreUnavailable`.
        """
        found = await self._found(workflow_id_prefix=task)
        return {row.workflow_id: row.status in (*UNFINISHED, _GIVEN_UP) for row in found}

    async def _found(self, **which: Any) -> Sequence[WorkflowStatus]:
        try:
            return await self._client.list_workflows_async(
                **which, load_input=False, load_output=False
            )
        except SQLAlchemyError as error:
            raise StoreUnavailable("the queue cannot be asked") from error

    async def wait(self, job: str) -> None:
        """Return when that job has ended, however it ended. Cancelled by `let_go`."""
        await self._endings.wait(job)

    def let_go(self) -> None:
        """Cancel whoever waits for a job's end: this process stops."""
        self._endings.let_go()

    def busy_workers(self) -> dict[str, int]:
        """The names under which jobs are running, or were when their worker died. Blocks.

        Each has a number that another takes the place of when one of its jobs begins or
        ends, and that means nothing outside this process.
        """
        rows = self._client.list_workflows(status="PENDING", load_input=False, load_output=False)
        jobs: dict[str, list[tuple[str, int | None]]] = {}
        for row in rows:
            if row.executor_id:
                jobs.setdefault(row.executor_id, []).append((row.workflow_id, row.dequeued_at))
        return {name: hash(frozenset(begun)) for name, begun in jobs.items()}

    def take_back(self, executor: str) -> int:
        """Let the jobs of a dead worker run again; how many (`Blame.take_back`). Blocks."""
        return self._blame.take_back(executor)

    def hand_back(self, executor: str) -> int:
        """Let the jobs of a stopped worker run again; how many (`Blame.hand_back`). Blocks."""
        return self._blame.hand_back(executor)

    async def moved_on(self, job: str) -> None:
        """The job got further than in any try before. Raises `StoreUnavailable`."""
        try:
            await asyncio.to_thread(self._blame.moved_on, job)
        except SQLAlchemyError as error:
            raise StoreUnavailable("the queue cannot be written") from error

    def given_up(self) -> list[Job]:
        """Jobs of any workspace that ended their worker too often, until closed. Blocks."""
        rows = self._client.list_workflows(status=_GIVEN_UP, load_output=False)
        return [_job(row) for row in rows]

    def close_given_up(self, job: str) -> None:
        """Nothing more is to be done about that job. Blocks."""
        self._client.cancel_workflow(job)

    def clean(self, before: datetime) -> int:
        """Delete what ended jobs from before that instant carried; how many. Blocks.

        Slack repeats an event for some six minutes, so a day is long enough to know it.
        """
        rows = self._client.list_workflows(
            status=["SUCCESS", "ERROR", "CANCELLED"],
            end_time=before.isoformat(),
            limit=_CLEANED_AT_ONCE,
            load_input=False,
            load_output=False,
        )
        self._client.delete_workflows([row.workflow_id for row in rows])
        return len(rows)

    async def forget(self, jobs: Sequence[str]) -> None:
        """Delete ended jobs with all they carried. Raises `StoreUnavailable`."""
        try:
            await self._client.delete_workflows_async(list(jobs))
        except SQLAlchemyError as error:
            raise StoreUnavailable("jobs could not be deleted") from error

    def close(self) -> None:
        """Let the inserts that were begun finish, and give the connections back. Blocks."""
        self._inserts.close()
        self._client.destroy()
        self._engine.dispose()


def _job(row: WorkflowStatus) -> Job:
    payload, at = row.input["args"] if row.input else ("", row.created_at)
    line = row.queue_partition_key or ""
    return Job(id=row.workflow_id, kind=row.name, partition=line, payload=payload, at=at)


def _row(job: Job, queue: str) -> Row:
    options: EnqueueOptions = {
        "workflow_name": job.kind,
        "queue_name": queue,
        "workflow_id": job.id,
        "queue_partition_key": job.partition,
        "app_version": APPLICATION_VERSION,
    }
    return Row(options=options, payload=job.payload, at=job.at.isoformat())
