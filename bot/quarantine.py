"""A file that could not be read twice is not tried again until it changes.

What failed is known by the digest of its bytes and kept in the record, so that every process
knows of it, with the reason as its owner understands it.
"""

import logging
from hashlib import sha256
from typing import Protocol

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from rag.errors import LimitExceeded
from rag.values import Value

log = logging.getLogger(__name__)

TRIES = 2


class Failure(Value):
    """The bytes of that ``digest`` could not be read, ``tries`` times, and ``reason`` says why."""

    source_id: str
    digest: str
    tries: int
    reason: str


class Failures(Protocol):
    """What is remembered of each source's failures."""

    async def of(self, *, tenant: str, source_id: str) -> Failure | None: ...

    async def note(self, failure: Failure, *, tenant: str) -> None: ...

    async def clear(self, *, tenant: str, source_id: str) -> None: ...


class Files(Protocol):
    """Makes text of a file's content. Raises `FileUnreadable`, `LimitExceeded`."""

    async def load(self, data: bytes, *, name: str) -> Loaded: ...


class Quarantine:
    """Loads the files of sources, but none that failed too often as it is."""

    def __init__(self, files: Files, failures: Failures) -> None:
        self._files = files
        self._failures = failures

    async def load(self, data: bytes, *, name: str, tenant: str, source_id: str) -> Loaded:
        """The text of a source's file. Raises `FileUnreadable`, `LimitExceeded`."""
        digest = sha256(data).hexdigest()
        before = await self._failures.of(tenant=tenant, source_id=source_id)
        tries = before.tries if before and before.digest == digest else 0
        if before and tries >= TRIES:
            raise FileUnreadable(before.reason)
        try:
            loaded = await self._files.load(data, name=name)
        except (FileUnreadable, LimitExceeded) as error:
            failure = Failure(
                source_id=source_id, digest=digest, tries=tries + 1, reason=str(error)
            )
            log.warning("source %s could not be read, try %d", source_id, failure.tries)
            await self._failures.note(failure, tenant=tenant)
            raise
        if before:
            await self._failures.clear(tenant=tenant, source_id=source_id)
        return loaded
