"""The lines in which jobs wait: two of each workspace's own, and two of everybody's."""

from dbos import DBOSClient

CONVERSATION = "conversation"
ANSWERING = "answering"
ANSWER_JOB = ".answer"  # what the answering job's id adds to its task's
POLL_SECONDS = 0.25

_ANSWER_POLL_SECONDS = 0.1
_SLOW_POLL_SECONDS = 1.0  # for the lines of everybody, in which little stands
_CONVERSATIONS = 1_000  # they mostly wait for their answers; more than that stay in the queue
_TENANTS = 4


SHARED = "installed"
"""What the lines are named after that all installations share; no workspace has such an id."""


def line(queue: str, workspace: str) -> str:
    """The name of a workspace's own line, or of everybody's without one."""
    return f"{queue}.{workspace}" if workspace else queue


def declare(client: DBOSClient, workspace: str, *, concurrency: int, paused: int = 0) -> list[str]:
    """Register the lines that a workspace's workers take from; their names. Blocks.

    ``concurrency`` bounds one tenant's answers in work in one worker. A worker takes
    several times as many in all, so that a tenant with a long line leaves room for
    the others; among those with a line, turns are drawn. No bound is over all workers:
    it would be a row they all wait for. The jobs of a ``paused`` tenant are taken and
    wait, so each such tenant adds the room that its jobs can fill.
    """
    own = (workspace, POLL_SECONDS, _ANSWER_POLL_SECONDS)
    everybodys = ("", _SLOW_POLL_SECONDS, _SLOW_POLL_SECONDS)
    names = []
    for of, conversations, answers in (own, everybodys) if workspace else (own,):
        names += [line(CONVERSATION, of), line(ANSWERING, of)]
        client.register_queue(
            line(CONVERSATION, of),
            partition_concurrency=1,
            worker_concurrency=_CONVERSATIONS * (1 + paused),
            polling_interval_sec=conversations,
        )
        client.register_queue(
            line(ANSWERING, of),
            partition_worker_concurrency=concurrency,
            worker_concurrency=concurrency * (_TENANTS + paused),
            polling_interval_sec=answers,
        )
    return names
