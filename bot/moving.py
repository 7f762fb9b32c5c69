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
        self._new: str | None = None

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        """Raise what ``inner``, the checkpoints and ``moved`` raise."""
        await self._inner.entering(request, stage, attempt)
        if self._told:
            return
        if self._new and await self._checkpoints.load(request.task, self._new) is not None:
            self._told = True
            await self._moved()
            return
        name = stage if attempt == 1 else f"{stage}-{attempt}"
        kept = await self._checkpoints.load(request.task, name)
        self._new = name if kept is None else None

    async def asking(self, request: Request) -> None:
        """Raise what ``inner`` raises."""
        await self._inner.asking(request)
