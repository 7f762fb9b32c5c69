"""One endless piece of work for every installation, begun as soon as it is known."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from bot.parts import Parts, Workspaces

log = logging.getLogger(__name__)

_LOOK_SECONDS = 1.0


@asynccontextmanager
async def each(
    workspaces: Workspaces,
    work: Callable[[Parts], Awaitable[None]],
    *,
    look_seconds: float = _LOOK_SECONDS,
) -> AsyncIterator[None]:
    """Keep ``work`` going for each for the length of the block.

    One whose parts are made anew is begun anew, and one that is gone is ended.
    """
    looking = asyncio.create_task(_keep(workspaces, work, look_seconds))
    try:
        yield
    finally:
        looking.cancel()


async def _keep(
    workspaces: Workspaces, work: Callable[[Parts], Awaitable[None]], look_seconds: float
) -> None:
    running: dict[int, tuple[Parts, asyncio.Future[None]]] = {}
    try:
        while True:
            known = {id(parts): parts for parts in workspaces.all()}
            ended = {one for one, (_, task) in running.items() if _has_ended(task)}
            for gone in ended | running.keys() - known.keys():
                running.pop(gone)[1].cancel()
            for new in known.keys() - running.keys():
                running[new] = known[new], asyncio.ensure_future(work(known[new]))
            await asyncio.sleep(look_seconds)
    finally:
        for _, task in running.values():
            task.cancel()


def _has_ended(task: "asyncio.Future[None]") -> bool:
    """It never should; whatever it was, only its kind may be said."""
    if not task.done():
        return False
    error = None if task.cancelled() else task.exception()
    log.error("looking after an installation ended: %s", type(error).__name__)
    return True
