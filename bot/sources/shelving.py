"""What was read becomes the newest version of a source: recorded, stored, made searchable."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from bot.loaders.loaded import Loaded
from bot.sources.originals import name_of
from rag.values import Pinned, Source


class Entries(Protocol):
    """Where sources are recorded."""

    async def put(self, source: Source) -> bool: ...


class Takes(Protocol):
    """What stores a version, cuts it into chunks, makes it searchable and records it as newest."""

    async def take(self, source: Source, loaded: Loaded) -> Pinned: ...


class Search(Protocol):
    """Where versions are searched for."""

    async def remove(self, *, tenant: str, source_id: str, snapshot: str | None = None) -> None: ...


class Versions(Protocol):
    """Which versions have chunks."""

    async def stored(self, *, tenant: str, source_id: str, snapshot: str) -> bool: ...


class Pins(Protocol):
    """What brings a source to its newest version. Raises `SourceUnreadable`."""

    async def pin(self, source: Source) -> Pinned: ...


def shelving(
    *, entries: Entries, takes: Takes, search: Search
) -> Callable[[Source, Loaded], Awaitable[None]]:
    """`bot.parts.Shelve` on these. Each step may be done again, so it goes on after a crash."""

    async def shelve(source: Source, loaded: Loaded) -> None:
        await entries.put(source)
        # The same text may have been there under another title, or cut in another way.
        sha = name_of(loaded.text)
        await search.remove(tenant=source.tenant, source_id=source.id, snapshot=sha)
        await takes.take(source, loaded)

    return shelve


def recutting(
    *, versions: Versions, search: Search, pins: Pins
) -> Callable[[Source], Awaitable[None]]:
    """`bot.parts.Recut` on these. It may be done again, and does nothing where all is cut."""

    async def recut(source: Source) -> None:
        named = {"tenant": source.tenant, "source_id": source.id}
        sha = source.snapshot
        if sha is not None and not await versions.stored(**named, snapshot=sha):
            await search.remove(**named, snapshot=sha)
            await pins.pin(source)

    return recut
