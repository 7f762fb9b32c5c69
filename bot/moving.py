"""Tells when a task that was begun before gets further than it ever did."""

from collections.abc import Awaitable, Callable

from rag.ports import Checkpoints, Observer
from rag.values import Request


class MovingOn:
    """`rag.ports.Observer`: asks ``inner``, and calls ``moved`` once a stage is newly finished.

    A stage that is done afresh in every run has a saved result from before, so it does not count.
    """

    def __init__(
        self, inner: Observer, checkpoints: Checkpoints, *, moved: Callable[[], Awaitable[None]]
    ) -> None:
        self._inner = inner
        self._checkpoints = checkpoints
        self._moved = moved
        self._told = False
        self._before: int | None = None

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        """Raise what ``inner``, the checkpoints and ``moved`` raise."""
        await self._inner.entering(request, stage, attempt)
        if self._told:
            return
        finished = len(await self._checkpoints.saved(request.task))
        if self._before is None:
            self._before = finished
        elif finished > self._before:
            self._told = True
            await self._moved()

    async def asking(self, request: Request) -> None:
        """Raise what ``inner`` raises."""
        await self._inner.asking(request)
