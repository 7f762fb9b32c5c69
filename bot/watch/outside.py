"""Puts together what may be seen from outside: the parts' readiness and the figures."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sized
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bot.queue.backlog import Backlog
from bot.queue.engine import inserting_engine
from bot.watch.health import Outside, listening
from bot.watch.lookout import Check, Ledger, Lookout, Readiness, deadline
from bot.watch.metrics import Metrics
from rag.ports import WorkingContext
from rag.values import Limits

log = logging.getLogger(__name__)

_NOBODY = "readiness"  # no task has this id


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What is shown and where. ``port`` 0: on no port of its own."""

    metrics: Metrics
    ledger: Ledger
    context: WorkingContext
    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""


@asynccontextmanager
async def opened(
    shown: Shown,
    *,
    queue_url: str,
    folder: Path,
    workers: Callable[[], Sized],
    limits: Limits,
    slack: Check,
) -> AsyncIterator[Outside]:
    """All of it for the length of the block, and on its own port where one is named.

    ``folder`` is the disk to watch, ``workers`` gives the living ones.
    Raises OSError when the port is taken.
    """
    async with AsyncExitStack() as stack:
        backlog = Backlog(inserting_engine(queue_url, connections=1))
        stack.callback(backlog.close)
        readiness = Readiness(
            {
                "database": shown.ledger.writable,
                "queue": partial(asyncio.to_thread, backlog.insertable),
                "redis": partial(_context_answers, shown.context),
                "slack": slack,
            }
        )
        stack.push_async_callback(readiness.close)
        lookout = Lookout(
            backlog,
            shown.ledger,
            seconds=deadline(limits),
            folder=folder,
            workers=lambda: len(workers()),
        )

        async def exposition(parts: dict[str, bool]) -> bytes:
            here, outlook = await lookout.here(), await lookout.look()
            return shown.metrics.exposition(here, outlook, parts)

        outside = Outside(readiness=readiness, exposition=exposition, token=shown.token)
        if shown.port:
            port = await stack.enter_async_context(
                listening(outside, host=shown.host, port=shown.port)
            )
            log.info("health and metrics are on port %d", port)
        yield outside


async def _context_answers(context: WorkingContext) -> None:
    await context.load(_NOBODY)
