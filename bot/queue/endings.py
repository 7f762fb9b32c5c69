"""Waits for jobs to end, with one question to the database for all that are waited for."""

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from dbos import DBOSClient
from sqlalchemy.exc import SQLAlchemyError

log = logging.getLogger(__name__)

UNFINISHED = frozenset({"ENQUEUED", "DELAYED", "PENDING"})
"""What DBOS calls a job that waits or is worked on."""

_ASKED_AT_ONCE = 500


class Endings:
    """A job that is not in the database, or was given up, counts as ended."""

    def __init__(self, client: DBOSClient, *, poll_seconds: float) -> None:
        self._client = client
        self._poll = poll_seconds
        self._waiting: dict[str, asyncio.Event] = {}
        self._waiters: set[asyncio.Task[object]] = set()
        self._asking: asyncio.Task[None] | None = None

    async def wait(self, job: str) -> None:
        """Return when the job has ended. Cancelled by `let_go`."""
        ended = self._waiting.setdefault(job, asyncio.Event())
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        waiter = asyncio.ensure_future(ended.wait())
        self._waiters.add(waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)

    def let_go(self) -> None:
        """Cancel everybody who waits: their jobs are handed back."""
        for waiter in tuple(self._waiters):
            waiter.cancel()
        if self._asking is not None:
            self._asking.cancel()
        self._waiting.clear()

    async def _ask(self) -> None:
        while self._waiting:
            await asyncio.sleep(self._poll)
            with contextlib.suppress(SQLAlchemyError):  # an outage ends no wait
                for job in await asyncio.to_thread(self._ended, list(self._waiting)):
                    self._waiting.pop(job).set()

    def _ended(self, jobs: Sequence[str]) -> list[str]:
        going: set[str] = set()
        for start in range(0, len(jobs), _ASKED_AT_ONCE):
            rows = self._client.list_workflows(
                workflow_ids=list(jobs[start : start + _ASKED_AT_ONCE]),
                load_input=False,
                load_output=False,
            )
            going.update(row.workflow_id for row in rows if row.status in UNFINISHED)
        return [job for job in jobs if job not in going]
