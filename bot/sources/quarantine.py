"""A file that could not be read twice is not tried again until it changes.

One whose parser got hardly any time of a processor is no failure of the file: it is tried
again, however often, but after a while each time, so that it does not keep a busy machine busy.
Nor is one that is pictures put aside: whoever adds text recognition gets it read.

What failed is known by the digest of its bytes and kept in the record, so that every process
knows of it, with the reason as its owner understands it.
"""

import logging
import time
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple, Protocol

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.unreadable import PICTURES, ParserWaited
from rag.errors import LimitExceeded
from rag.values import Value

log = logging.getLogger(__name__)

TRIES = 2
_PAUSE = 60.0  # seconds after a parser that waited; twice as long after each further one
_LONGEST = 3_600.0


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


class _Pause(NamedTuple):
    """Bytes of that ``digest`` are left alone ``until`` then, ``length`` seconds in all."""

    digest: str
    until: float
    length: float
    reason: str
    limit: str


class Quarantine:
    """Loads the files of sources, but none that failed too often as it is."""

    def __init__(
        self, files: Files, failures: Failures, *, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._files = files
        self._failures = failures
        self._seconds = seconds
        self._pauses: dict[tuple[str, str], _Pause] = {}

    async def load(self, data: bytes, *, name: str, tenant: str, source_id: str) -> Loaded:
        """The text of a source's file. Raises `FileUnreadable`, `LimitExceeded`."""
        digest = sha256(data).hexdigest()
        before = await self._failures.of(tenant=tenant, source_id=source_id)
        tries = before.tries if before and before.digest == digest else 0
        if before and tries >= TRIES and before.reason != PICTURES:
            raise FileUnreadable(before.reason)
        pause = self._pause(tenant, source_id, digest)
        if pause and self._seconds() < pause.until:
            raise ParserWaited(pause.reason, limit=pause.limit)
        try:
            loaded = await self._files.load(data, name=name)
        except (FileUnreadable, LimitExceeded) as error:
            if isinstance(error, ParserWaited):
                self._pauses[tenant, source_id] = self._longer(pause, digest, error)
            else:
                tries += 1
            failure = Failure(source_id=source_id, digest=digest, tries=tries, reason=str(error))
            log.warning("source %s could not be read, try %d", source_id, tries)
            await self._failures.note(failure, tenant=tenant)
            raise
        self._pauses.pop((tenant, source_id), None)
        if before:
            await self._failures.clear(tenant=tenant, source_id=source_id)
        return loaded

    def _pause(self, tenant: str, source_id: str, digest: str) -> _Pause | None:
        """The newest pause of these bytes, whether it is over or not."""
        found = self._pauses.get((tenant, source_id))
        return found if found and found.digest == digest else None

    def _longer(self, before: _Pause | None, digest: str, error: ParserWaited) -> _Pause:
        length = min(2 * before.length, _LONGEST) if before else _PAUSE
        until = self._seconds() + length
        return _Pause(digest, until, length, reason=str(error), limit=error.limit)
