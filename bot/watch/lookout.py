"""How things stand over all processes, reconciled from the queue and the record."""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from bot.queue.backlog import Backlog, Here, Outlook, task_of
from bot.spool import SPOOL, spooled_bytes
from rag.errors import StoreUnavailable
from rag.values import Limits

log = logging.getLogger(__name__)

Count = Callable[[], int]


class Ledger(Protocol):
    """The record's side. Raises `StoreUnavailable`."""

    async def overdue(self, *, before: datetime) -> tuple[str, ...]: ...

    async def dead(self) -> int: ...

    async def writable(self) -> None: ...


def deadline(limits: Limits) -> float:
    """Seconds after which an acknowledged event must have an end.

    A task is ended after twice its budget; as long again may be spent in the queue.
    """
    return 4 * limits.task_seconds + 60


class Lookout:
    """Looks at everything at once; `look` is None when queue or record cannot be read.

    ``workers`` counts those that hold a slot, ``folder`` is the data folder.
    """

    def __init__(
        self,
        backlog: Backlog,
        ledger: Ledger,
        *,
        seconds: float,
        folder: Path,
        workers: Count = lambda: 0,
    ) -> None:
        self._backlog = backlog
        self._ledger = ledger
        self._seconds = seconds
        self._folder = folder
        self._workers = workers

    async def look(self) -> Outlook | None:
        """The figures of this instant."""
        try:
            found = await asyncio.to_thread(self._backlog.look)
            unfinished, unanswered = await self._lost()
            workers = await asyncio.to_thread(self._workers)
            dead = found.given_up + await self._ledger.dead()
        except StoreUnavailable as error:
            log.warning("queue and record could not be looked over: %s", error)
            return None
        return found.model_copy(
            update={
                "unfinished": unfinished,
                "unanswered": unanswered,
                "workers": workers,
                "given_up": dead,
            }
        )

    async def here(self) -> Here:
        """What this machine knows by itself, whatever is away."""
        return await asyncio.to_thread(_here, self._folder)

    async def _lost(self) -> tuple[int, int]:
        """Events past their deadline: still in work, and such as nobody will come back to."""
        jobs, live = self._backlog.live, set[str]()
        late = {task_of(job) for job in await asyncio.to_thread(jobs, seconds_old=self._seconds)}
        before = datetime.now(UTC) - timedelta(seconds=self._seconds)
        open_tasks = set(await self._ledger.overdue(before=before))
        if open_tasks - late:
            live = {task_of(job) for job in await asyncio.to_thread(jobs)}
        return len(late), len(open_tasks - late - live)


def _here(folder: Path) -> Here:
    return Here(spooled=spooled_bytes(folder / SPOOL), disk_free=shutil.disk_usage(folder).free)


Check = Callable[[], Awaitable[None]]
"""Returns when a part is usable; anything it raises says that it is not."""


class Readiness:
    """Looks at the named parts, each for two seconds at most and one look at a time."""

    def __init__(self, checks: dict[str, Check], *, seconds: float = 2.0) -> None:
        self._checks = checks
        self._seconds = seconds
        self._looking: dict[str, asyncio.Task[None]] = {}

    async def parts(self) -> dict[str, bool]:
        """Every part by its name, and whether it is usable now."""
        looking = {name: self._look(name) for name in self._checks}
        if looking:
            await asyncio.wait(looking.values(), timeout=self._seconds)
        return {name: _well(task) for name, task in looking.items()}

    def _look(self, name: str) -> "asyncio.Task[None]":
        """The look under way; a part that hangs is not asked again until it has answered."""
        pending = self._looking.get(name)
        if pending is None or pending.done():
            pending = asyncio.ensure_future(_started(self._checks[name]))
            self._looking[name] = pending
        return pending

    async def close(self) -> None:
        """End the looks that still hang."""
        for task in self._looking.values():
            task.cancel()
        await asyncio.gather(*self._looking.values(), return_exceptions=True)


async def _started(check: Check) -> None:
    await check()


def _well(task: "asyncio.Task[None]") -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
