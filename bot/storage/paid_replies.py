"""Replies of models as they came, for as long as their task may want them again.

A worker may die between a reply and the checkpoint of the stage that asked for it. Whoever
goes on with the task then takes the reply from here, as it came, and judges it anew.
"""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, select

from bot.storage.rows import insert_new, sha256
from bot.storage.tables import paid_replies
from bot.storage.task_rows import TaskState, require_lease
from rag.errors import CheckpointTampered, LeaseLost, UnknownTask
from rag.ports import Behalf, Lease
from rag.values import Reason

WANTED_AFTER = frozenset(
    {
        Reason.CONTEXT_UNAVAILABLE,
        Reason.DAY_USED_UP,
        Reason.READER_INCOMPLETE,
        Reason.READER_UNAVAILABLE,
        Reason.STORE_UNAVAILABLE,
    }
)
"""Why a task may have failed without a fault of the replies it had: tried again, it takes them.

After any other failure they go, for the same replies would end it in the same way.
"""

_IN_HAND = 32


def keep_reply(
    connection: Connection, behalf: Behalf, *, digest: str, reply: Sequence[str], at: str
) -> bool:
    """Keep a reply, unless its task is in other hands, has ended or is no more."""
    if not (digest and behalf.task and _is_ours(connection, behalf)):
        return False
    document = json.dumps(reply)
    row = _place(behalf, digest) | {"document": document, "at": at}
    return insert_new(connection, paid_replies, row | {"sha256": _hash(behalf, digest, document)})


def find_reply(connection: Connection, behalf: Behalf, *, digest: str) -> tuple[str, ...] | None:
    """The reply to that very request of that stage. Raises `CheckpointTampered`."""
    place = [paid_replies.c[name] == value for name, value in _place(behalf, digest).items()]
    row = connection.execute(select(paid_replies).where(*place)).one_or_none()
    if row is None:
        return None
    if row.sha256 != _hash(behalf, digest, row.document):
        raise CheckpointTampered(f"a reply of task {behalf.task} no longer matches its SHA-256")
    return tuple(json.loads(row.document))


def count_replies(connection: Connection, *, tenant: str, task: str) -> dict[str, int]:
    """How many replies each stage of a task has here."""
    stage = paid_replies.c.stage
    counted = select(stage, func.count()).group_by(stage)
    named = paid_replies.c.tenant == tenant, paid_replies.c.task == task
    return {row[0]: row[1] for row in connection.execute(counted.where(*named))}


def drop_replies(connection: Connection, *, tenant: str, tasks: Sequence[str]) -> None:
    """Delete the replies of tasks that want them no more."""
    named = paid_replies.c.tenant == tenant, paid_replies.c.task.in_(tasks)
    connection.execute(delete(paid_replies).where(*named))


class InHand:
    """Replies that came while the record was away, until it takes them; the last few."""

    def __init__(self) -> None:
        self._replies: dict[tuple[Behalf, str], tuple[str, ...]] = {}

    def take(self, behalf: Behalf, digest: str, reply: tuple[str, ...]) -> None:
        """Hold it, for this lease alone."""
        self._replies[behalf, digest] = reply
        while len(self._replies) > _IN_HAND:
            del self._replies[next(iter(self._replies))]

    def held(self, behalf: Behalf, digest: str) -> tuple[str, ...] | None:
        """The reply to that request, if it is here."""
        return self._replies.get((behalf, digest))

    def drop(self, behalf: Behalf, digest: str) -> None:
        """It is kept elsewhere now."""
        self._replies.pop((behalf, digest), None)


def _is_ours(connection: Connection, behalf: Behalf) -> bool:
    lease = Lease(task=behalf.task, number=behalf.lease)
    try:
        state = require_lease(connection, tenant=behalf.tenant, lease=lease)
    except (LeaseLost, UnknownTask):
        return False
    return state is TaskState.RUNNING


def _place(behalf: Behalf, digest: str) -> dict[str, str]:
    return {
        "tenant": behalf.tenant,
        "task": behalf.task,
        "stage": behalf.stage,
        "digest": digest,
    }


def _hash(behalf: Behalf, digest: str, document: str) -> str:
    """Covers where the reply belongs, so that rows cannot change places."""
    return sha256(json.dumps([*_place(behalf, digest).values(), document]))
