"""A text becomes the newest version of a source: stored, recorded, made searchable."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from rag.ports import Clock
from rag.values import Pinned, Source


class Texts(Protocol):
    """Where full texts are kept."""

    async def put(self, text: str) -> str: ...


class Entries(Protocol):
    """Where sources are recorded."""

    async def put(self, source: Source) -> bool: ...


class Pins(Protocol):
    """What cuts a recorded version into chunks and makes it searchable."""

    async def pin(self, source: Source) -> Pinned: ...


def shelving(
    *, texts: Texts, entries: Entries, pins: Pins, now: Clock
) -> Callable[[Source, str], Awaitable[None]]:
    """`bot.parts.Shelve` on these. Each step may be done again, so it goes on after a crash."""

    async def shelve(source: Source, text: str) -> None:
        version = {"snapshot": await texts.put(text), "updated_at": now()}
        entry = source.model_copy(update=version)
        await entries.put(entry)
        await pins.pin(entry)

    return shelve
