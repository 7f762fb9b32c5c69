"""Group commit: whatever waits while one transaction runs goes into the next one together."""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from rag.errors import StoreUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

Commit = Callable[[Sequence[T]], Sequence[Exception | None]]
"""Make all of these durable; what became of each, in order. Blocks."""

_AT_ONCE = 100  # bounds how long one transaction holds SQLite's only write lock


class Grouped(Generic[T]):
    """Commits single items in groups, one group at a time, in one thread of its own.

    Nothing waits for company: an item that comes alone is committed alone, and a group
    is what came while the group before it was being committed. May be used from any
    thread and from several event loops at once. ``executor`` stands in for the thread.
    """

    def __init__(self, commit: Commit[T], *, name: str, executor: Executor | None = None) -> None:
        self._commit = commit
        self._lock = threading.Lock()
        self._waiting: list[tuple[T, Future[None]]] = []
        self._thread = executor or ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    def put(self, item: T) -> "Future[None]":
        """Done once ``item`` is durable; a future cancelled while it still waits drops its item."""
        future: Future[None] = Future()
        with self._lock:
            self._waiting.append((item, future))
        # One call for each item: whichever comes first takes all, the others find nothing.
        self._thread.submit(self._flush).add_done_callback(_report)
        return future

    def close(self) -> None:
        """Return when everything put before has been committed."""
        self._thread.shutdown(wait=True)

    def _flush(self) -> None:
        with self._lock:
            taken, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
        group = [(item, future) for item, future in taken if future.set_running_or_notify_cancel()]
        if not group:
            return
        outcomes: Sequence[Exception | None] = [StoreUnavailable("a group failed")] * len(group)
        try:
            outcomes = self._commit([item for item, _ in group])
        finally:  # whoever waits must hear of it even when the commit itself is at fault
            for (_, future), error in zip(group, outcomes, strict=True):
                _resolve(future, error)


def _resolve(future: "Future[None]", error: Exception | None) -> None:
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


def _report(flushed: "Future[None]") -> None:
    error = flushed.exception()
    if error is not None:
        log.error("a group could not be committed: %s", type(error).__name__)
