"""Files parsed in processes of their own, each within limits, so that a hostile one harms nobody.

Not a pool: a process that has read one document is never given another, because what is left
in it - memory that was not given back, a library in a broken state, time that was used up - would
be charged to the next, and a death would take those in line with it. What starting one costs is
printed by ``script/bench loading``.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.loaders import child
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.registry import LOADERS
from bot.loaders.unreadable import ParserWaited
from rag.errors import LimitExceeded
from rag.values import Limits

log = logging.getLogger(__name__)

_PIECE = 64 * 1024
_DAMAGED = "it could not be read; it may be damaged"
_WAITED = "there was no time to read it within {:g} seconds; it is tried again later"
_KILLED = "reading it takes too much memory or breaks what reads it, so it is not read"
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",  # no threads in the child
    "OMP_NUM_THREADS": "1",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",  # there are none, and looking for them takes time
}


class _Said(BaseModel):
    """What a child answers: exactly one of these."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    loaded: Loaded | None = None
    unreadable: str = ""
    over: tuple[str, str] | None = None
    died: str = ""


class Parser:
    """Parses what is not plain text; ``at_once`` files at a time, the others wait their turn."""

    def __init__(self, loaders: Mapping[str, str], *, limits: Limits, at_once: int = 2) -> None:
        self._loaders = dict(loaders)
        self._limits = limits
        self._turn = asyncio.Semaphore(at_once)

    async def parse(self, data: bytes, *, name: str) -> Loaded:
        """The text of a file and where it stands.

        Raises `FileUnreadable`, `LimitExceeded`, and of these `ParserWaited` where the parser
        was kept from its work.
        """
        async with self._turn:
            with tempfile.TemporaryDirectory(prefix="footnote-parse-") as folder:
                said, status = await self._run(data, name, Path(folder))
        return await asyncio.to_thread(self._understood, said, status)

    async def _run(self, data: bytes, name: str, folder: Path) -> tuple[bytes, int]:
        """What the child says, and its exit status. However this ends, no child is left."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", "-B", str(child.__file__), self._order(name)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=folder,
            env=_ENVIRONMENT,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._limits.parse_seconds):
                said, _ = await asyncio.gather(self._hear(process), _give(process, data))
                return said, await process.wait()
        except TimeoutError as error:
            raise self._late() from error
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()

    def _order(self, name: str) -> str:
        order = {
            "path": [place for place in sys.path if place],
            "loaders": self._loaders,
            "limits": self._limits.model_dump(mode="json"),
            "name": name.encode("utf-8", "replace").decode("utf-8"),
        }
        return json.dumps(order)

    async def _hear(self, process: asyncio.subprocess.Process) -> bytes:
        """All that the child says, up to what is sensible."""
        heard, stdout = bytearray(), cast("asyncio.StreamReader", process.stdout)
        while piece := await stdout.read(_PIECE):
            heard += piece
            if len(heard) > self._limits.parsed_bytes:
                raise LimitExceeded("too large once it is read", limit="parsed_bytes")
        return bytes(heard)

    def _understood(self, said: bytes, status: int) -> Loaded:
        if status == -signal.SIGXCPU:
            raise self._over()
        if status == -signal.SIGALRM:  # we came too late to end it ourselves
            raise self._late()
        if status < 0:
            log.warning("a parser was ended by signal %d", -status)
            raise FileUnreadable(_KILLED)
        try:
            answer = _Said.model_validate_json(said)
        except ValidationError as error:
            log.warning("a parser ended with %d and said nothing that makes sense", status)
            raise FileUnreadable(_DAMAGED) from error
        return _given(answer)

    def _late(self) -> ParserWaited:
        """The clock ran out before the processor's time did: the parser was kept from its work.

        That is no doing of the file's, which is handed over whole: a parser waits for nothing
        else, and has less of the processor's time than of the clock's.
        """
        seconds = self._limits.parse_seconds
        return ParserWaited(_WAITED.format(seconds), limit="parse_seconds")

    def _over(self) -> LimitExceeded:
        words = f"it takes longer than {self._limits.parse_cpu_seconds} seconds to read"
        return LimitExceeded(words, limit="parse_cpu_seconds")


async def _give(process: asyncio.subprocess.Process, data: bytes) -> None:
    """Hand the content over piece by piece; a child that ends before it has all is no error."""
    stdin = cast("asyncio.StreamWriter", process.stdin)
    with suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(data), _PIECE):
            stdin.write(data[start : start + _PIECE])
            await stdin.drain()
        stdin.close()
        await stdin.wait_closed()


def _given(answer: _Said) -> Loaded:
    if answer.over is not None:
        raise LimitExceeded(answer.over[1], limit=answer.over[0])
    if answer.unreadable:
        raise FileUnreadable(answer.unreadable)
    if answer.loaded is None or not _is_sound(answer.loaded):
        log.warning("a parser failed: %s", answer.died or "it gave what cannot be")
        raise FileUnreadable(_DAMAGED)
    return answer.loaded


def _is_sound(loaded: Loaded) -> bool:
    """Whether every offset lies inside the text and all are in order."""
    length, last = len(loaded.text), 0
    for locator in loaded.locators:
        if not last <= locator.start <= locator.end <= length:
            return False
        last = locator.end
    for spans in (loaded.headings, loaded.parts):
        last = 0
        for span in spans:
            if not last <= span.start <= span.end <= length:
                return False
            last = span.start
    return True


def every_format(limits: Limits) -> Parser:
    """What parses every format that is registered."""
    return Parser(LOADERS, limits=limits)
