"""Which jobs of a dead worker are suspected of its death: the tries that each one has left.

A job that ends its worker over and over is given up, and nothing else is. Those that ran
beside it are spared, and so is one that got further than before, or whose worker was stopped
rather than dead.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from dbos import DBOSClient, WorkflowStatus

from bot.queue.lines import ANSWER_JOB, CONVERSATION, line

TRIES_AFTER_DEATH = 2  # and one before: the third death is the last
_TRIES_OF_ENDS = 50
"""For the job that ends another visibly nobody would do the same; yet it must not kill for ever."""

_SUSPECTS = "suspects"
_ONE = 1  # the try that is going on


class Blame:
    """The jobs that workers had begun, in the queue's database. Every method blocks."""

    def __init__(self, client: DBOSClient, workspace: str) -> None:
        self._client = client
        self._workspace = workspace

    def take_back(self, executor: str) -> int:
        """Let the jobs that a dead worker had begun run again; how many.

        Only for whoever keeps that worker's slot: nobody else may then be running them.
        Each job's count of tries goes on, so that one that kills its workers is given up;
        DBOS's public `resume_workflow` would begin to count anew. So that those beside it
        are not given up with it, an answer's last try comes after that of every other
        suspect, and who only waited for an answer is suspected of nothing.
        """
        rows = self._begun(executor)
        self._suspect([row for row in rows if row.workflow_id.endswith(ANSWER_JOB)])
        talks = [row for row in rows if (row.queue_name or "").startswith(CONVERSATION)]
        self._clear([row.workflow_id for row in talks])
        return self._again(rows, executor)

    def hand_back(self, executor: str) -> int:
        """As `take_back`, of a worker that was stopped: nobody is to blame, no try is counted."""
        rows = self._begun(executor)
        for row in rows:
            self._amend([row.workflow_id], recovery_attempts=max(0, _tries(row) - 1))
        return self._again(rows, executor)

    def moved_on(self, job: str) -> None:
        """A job got further than in every try before: those are forgotten."""
        self._amend([job], recovery_attempts=_ONE)

    def _begun(self, executor: str) -> list[WorkflowStatus]:
        return self._client.list_workflows(
            status="PENDING", executor_id=executor, load_input=False, load_output=False
        )

    def _again(self, rows: Sequence[WorkflowStatus], executor: str) -> int:
        again = self._client._sys_db.reenqueue_for_recovery
        own = line(CONVERSATION, self._workspace)
        return sum(again(row.workflow_id, [executor], own) for row in rows)

    def _suspect(self, answers: Sequence[WorkflowStatus]) -> None:
        """Let those with one try left wait in one line, from which one at a time is taken."""
        last = [row for row in answers if _tries(row) == TRIES_AFTER_DEATH]
        for queue in {row.queue_name or "" for row in last}:
            # The dead worker may have been another workspace's: its jobs stay that one's.
            workspace = queue.partition(".")[2]
            jobs = [row.workflow_id for row in last if row.queue_name == queue]
            self._amend(
                jobs,
                queue_name=line(CONVERSATION, workspace),
                queue_partition_key=f"{workspace}:{_SUSPECTS}" if workspace else _SUSPECTS,
            )

    def _clear(self, jobs: Sequence[str]) -> None:
        """Forget the tries of those whose answer is another job's already."""
        if not jobs:
            return  # DBOS takes no ids for all ids
        answers = self._client.list_workflows(
            workflow_ids=[f"{job}{ANSWER_JOB}" for job in jobs], load_input=False, load_output=False
        )
        waited = [row.workflow_id.removesuffix(ANSWER_JOB) for row in answers]
        self._amend(waited, recovery_attempts=0)

    def _amend(self, jobs: Sequence[str], **values: object) -> None:
        table = self._client._sys_db.tables.workflow_status
        named = table.c.workflow_uuid.in_(jobs), table.c.status == "PENDING"
        with self._client._sys_db.engine.begin() as connection:
            connection.execute(sa.update(table).where(*named).values(**values))


def _tries(row: WorkflowStatus) -> int:
    return row.recovery_attempts or 0


def tries_after_death(kind: str) -> int:
    """How often a job of this kind is begun again that ended its worker."""
    return _TRIES_OF_ENDS if kind == "give_up" else TRIES_AFTER_DEATH
