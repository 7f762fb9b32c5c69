"""Injected faults: what a test asks to go wrong, and when."""

from pydantic import BaseModel, ConfigDict, Field

from .state import Json
from .workspace import Workspace

KINDS = {"status", "error", "cut", "cut_before", "delay"}


class Fault(BaseModel):
    """The ``nth`` call of ``method`` from now, and ``times`` - 1 after it, fail.

    ``method`` ``*`` counts every call; with ``channel`` only calls that name that
    channel's id count. ``status`` answers with an HTTP status
    and does nothing (429 with Retry-After of ``seconds``, or ``retry_after`` word
    for word); ``error`` answers
    ``{"ok": false, "error": …}``; ``cut`` performs the call and drops the
    connection without an answer; ``cut_before`` drops it unperformed;
    ``delay`` waits ``seconds``, then performs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    method: str
    kind: str
    channel: str = ""
    nth: int = Field(default=1, ge=1)
    times: int = Field(default=1, ge=1)
    status: int = Field(default=500, ge=100, le=599)
    error: str = "internal_error"
    seconds: float = Field(default=1.0, ge=0)
    retry_after: str = ""


def add_fault(workspace: Workspace, fault: Fault) -> str:
    ident = str(workspace.state.number("fault"))
    workspace.state.put("fault", ident, {"seen": 0, **fault.model_dump()})
    return ident


def take_fault(workspace: Workspace, method: str, channel: object = "") -> Fault | None:
    """Counts a call against every fault and returns the first that strikes."""
    struck: Fault | None = None
    for ident, row in list(workspace.state.rows("fault").items()):
        if row["method"] not in (method, "*") or row["channel"] not in ("", channel):
            continue
        struck = _count(workspace, ident, row) or struck
    return struck


def _count(workspace: Workspace, ident: str, row: Json) -> Fault | None:
    seen = row["seen"] + 1
    if seen >= row["nth"] + row["times"] - 1:
        workspace.state.drop("fault", ident)
    else:
        workspace.state.put("fault", ident, row | {"seen": seen})
    if seen < row["nth"]:
        return None
    return Fault.model_validate({key: row[key] for key in Fault.model_fields})
