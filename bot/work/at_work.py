"""Keeps a worker at work: it begins again whenever its lease is lost."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from sqlalchemy.exc import SQLAlchemyError

from bot.errors import ProcessFailed
from bot.slots.leased import Lease
from rag.errors import StoreUnavailable

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.25
_AGAIN_SECONDS = 1.0

Begin = Callable[[], AbstractAsyncContextManager[Lease]]
"""Begins to take jobs under a lease, and ends with the block."""


@asynccontextmanager
async def at_work(begin: Begin) -> AsyncIterator[None]:
    """Work for the length of the block. Raises what the first beginning raises.

    Should the work itself end, so does the process: whoever runs it starts it again.
    """
    started = asyncio.Event()
    working = asyncio.create_task(_work_on(begin, started))
    first = asyncio.create_task(started.wait())
    try:
        await asyncio.wait({working, first}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            await working
        working.add_done_callback(_end_process)
        yield
    finally:
        first.cancel()
        working.cancel()
        await asyncio.wait({working})
    if not working.cancelled():
        await working


def _end_process(working: "asyncio.Task[None]") -> None:
    if not working.cancelled():
        log.error("the worker ended by itself")
        signal.raise_signal(signal.SIGTERM)


async def _work_on(begin: Begin, started: asyncio.Event) -> None:
    while True:
        try:
            async with begin() as lease:
                started.set()
                while lease.held():  # noqa: ASYNC110 - a thread finds it out
                    await asyncio.sleep(_LOOK_SECONDS)
        except (StoreUnavailable, SQLAlchemyError, ProcessFailed) as error:
            if not started.is_set():
                raise
            log.warning("the worker cannot begin again yet: %s", type(error).__name__)
            await asyncio.sleep(_AGAIN_SECONDS)
