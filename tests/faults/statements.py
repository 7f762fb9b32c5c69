"""Names for the SQL statements a bot lives by, and ears that hear them go by.

A statement is heard three times: ``before`` it runs, ``inside`` its transaction (it ran,
nothing is committed) and ``after`` the commit, when the connection is given back. That
holds whoever sends the statement: the record, the job queue, DBOS itself.
"""

from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import Pool

STAGES = (
    *("authorize", "plan", "index", "retrieve", "select", "assemble", "answer", "ground"),
    *("report", "publish"),
)
KINDS = ("ask", "reply", "ask_privately", "withdraw", "choose", "answer")
ROLES = ("plan", "select", "answer", "support")
_ENDS = {"done": "done", "waiting": "waits", "cancelled": "cancelled", "running": "open"}
_KEPT = "heard statements"

Hear = Callable[[str], None]


def values(parameters: Any) -> Iterator[Any]:
    """Every value among a statement's parameters, however they were given."""
    if isinstance(parameters, dict):
        parameters = list(parameters.values())
    for value in parameters or ():
        if isinstance(value, (dict, tuple, list)):
            yield from values(value)
        else:
            yield value


def named(statement: str, parameters: Any) -> list[tuple[str, str]]:
    """The names of a statement, each with the task it is about; none for most statements."""
    head = statement.lstrip()[:160].replace('"', "")
    verb, _, rest = head.partition(" ")
    given = [value for value in values(parameters) if isinstance(value, str)]
    for (wanted, table), name in _NAMERS.items():
        if verb == wanted and table in rest.split("(")[0].split(" SET ")[0]:
            return name(statement, given)
    if verb == "WITH" and "UPDATE" in statement and "workflow_status" in statement:
        return _moved(statement, given)
    if verb == "SELECT" and "FROM checkpoints" in statement:
        return [] if any(stage in given for stage in STAGES) else [("found", "")]
    return []


def _saved(_statement: str, given: list[str]) -> list[tuple[str, str]]:
    return [(stage, given[1]) for stage in STAGES if stage in given]


def _sending(_statement: str, given: list[str]) -> list[tuple[str, str]]:
    return [(f"sending-{role}", "") for role in ROLES if role in given][:1]


def _reply(_statement: str, given: list[str]) -> list[tuple[str, str]]:
    return [(f"reply-{stage}", "") for stage in STAGES if stage in given][:1]


def _job(_statement: str, given: list[str]) -> list[tuple[str, str]]:
    return [(f"insert-{kind}", "") for kind in KINDS if kind in given][:1]


def _moved(statement: str, given: list[str]) -> list[tuple[str, str]]:
    ended = "end" if "SUCCESS" in given else ""
    what = "lease" if given[:1] == ["PENDING"] and "executor_id" in statement else ended
    of_answer = any(value.endswith(".answer") for value in given)
    return [(f"{what}-answer" if of_answer else what, "")] if what else []


def _task(_statement: str, given: list[str]) -> list[tuple[str, str]]:
    return [(name, "") for state, name in _ENDS.items() if given[:1] == [state]]


def _message(_statement: str, given: list[str]) -> list[tuple[str, str]]:
    return [(state, "") for state in ("placed", "updated") if state in given]


def _always(name: str) -> Callable[[str, list[str]], list[tuple[str, str]]]:
    return lambda _statement, _given: [(name, "")]


_NAMERS = {
    ("INSERT", "checkpoints"): _saved,
    ("INSERT", "model_calls"): _sending,
    ("INSERT", "paid_replies"): _reply,
    ("INSERT", "workflow_status"): _job,
    ("UPDATE", "workflow_status"): _moved,
    ("INSERT", "tasks"): _always("task"),
    ("UPDATE", "tasks"): _task,
    ("INSERT", "deliveries"): _always("intent"),
    ("UPDATE", "deliveries"): _message,
    ("INSERT", "handles"): _always("handles"),
}


def listen(hear: Hear, saved: Callable[[str, str], None]) -> None:
    """Call ``hear`` with ``name:where`` from now on, in whatever thread the statement runs.

    ``saved`` is told the task and the stage of each committed checkpoint before ``hear`` is.
    """

    def before(_conn: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        for name, _task in named(statement, parameters):
            hear(f"{name}:before")

    def inside(conn: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        for name, task in named(statement, parameters):
            conn.info.setdefault(_KEPT, []).append((name, task))
            hear(f"{name}:inside")

    def undone(conn: Any) -> None:
        if conn.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            conn.info.pop(_KEPT, None)

    def after(_connection: Any, record: Any) -> None:
        for name, task in record.info.pop(_KEPT, []):
            if name in STAGES:
                saved(task, name)
            hear(f"{name}:after")

    sa.event.listen(sa.Engine, "before_cursor_execute", before)
    sa.event.listen(sa.Engine, "after_cursor_execute", inside)
    sa.event.listen(sa.Engine, "rollback", undone)
    sa.event.listen(Pool, "checkin", after)
