"""Work that was started and whose loss would cost nothing, kept from the garbage collector."""

import asyncio
import logging
import traceback
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from bot.errors import BotError
from rag.errors import FootnoteError

log = logging.getLogger(__name__)


def told(error: Exception) -> str:
    """An error as a log line may hold it: our own words, or only what kind it is.

    A message from further in may name a source or quote a text.
    """
    if isinstance(error, BotError):
        return f"{type(error).__name__}: {error}"
    reason = f" ({error.reason.value})" if isinstance(error, FootnoteError) else ""
    return f"{type(error).__name__}{reason}"


def place(error: Exception) -> str:
    """The file and line where it was raised, which hold nobody's words."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"


class Background:
    """Running tasks; what they raise is logged by its kind."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` from now on."""
        task = asyncio.create_task(self._guarded(name, work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _guarded(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (BotError, FootnoteError) as error:
            log.warning("%s failed: %s", name, told(error))

    async def drain(self, seconds: float) -> None:
        """Wait for what runs, but no longer than this."""
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)
        for task in self._running:
            task.cancel()
