"""A child process that is handed a file and listened to, within limits; none is ever left."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from bot.loaders import child
from bot.loaders.unreadable import ParserWaited
from rag.errors import LimitExceeded
from rag.values import Limits

_PIECE = 64 * 1024
_WAITED = "there was no time to read it within {:g} seconds; it is tried again later"
ENVIRONMENT: Mapping[str, str] = {
    "OPENBLAS_NUM_THREADS": "1",  # no threads in the child
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",  # there are none, and looking for them takes time
}


class Order(NamedTuple):
    """What `bot.loaders.child` is told: ``module:function`` that gives what works, with what.

    Or the ``program`` that it is to become, an absolute path and its arguments.
    """

    does: str = ""
    given: Sequence[Any] = ()
    name: str = ""
    program: Sequence[str] = ()


async def conversed(order: Order, data: bytes, *, limits: Limits) -> tuple[bytes, int]:
    """What a child says to ``data``, and its exit status.

    Raises `ParserWaited`, and `LimitExceeded` naming ``parse_cpu_seconds`` or ``parsed_bytes``.
    """
    with tempfile.TemporaryDirectory(prefix="footnote-parse-") as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", "-B", str(child.__file__), _written(order, limits)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=folder,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(limits.parse_seconds):
                hearing = _hear(process, limits.parsed_bytes)
                said, _ = await asyncio.gather(hearing, _give(process, data))
                status = await process.wait()
        except TimeoutError as error:
            raise _late(limits) from error
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if status == -signal.SIGXCPU:
        words = f"it takes longer than {limits.parse_cpu_seconds} seconds to read"
        raise LimitExceeded(words, limit="parse_cpu_seconds")
    if status == -signal.SIGALRM:  # we came too late to end it ourselves
        raise _late(limits)
    return said, status


def _written(order: Order, limits: Limits) -> str:
    told = {
        **order._asdict(),
        "path": [place for place in sys.path if place],
        "limits": limits.model_dump(mode="json"),
        "name": order.name.encode("utf-8", "replace").decode("utf-8"),
    }
    return json.dumps(told)


def _late(limits: Limits) -> ParserWaited:
    """The clock ran out before the processor's time did: the parser was kept from its work.

    That is no doing of the file's, which is handed over whole: a parser waits for nothing
    else, and has less of the processor's time than of the clock's.
    """
    return ParserWaited(_WAITED.format(limits.parse_seconds), limit="parse_seconds")


async def _hear(process: asyncio.subprocess.Process, most: int) -> bytes:
    """All that the child says, up to ``most`` bytes."""
    heard, stdout = bytearray(), cast("asyncio.StreamReader", process.stdout)
    while piece := await stdout.read(_PIECE):
        heard += piece
        if len(heard) > most:
            raise LimitExceeded("too large once it is read", limit="parsed_bytes")
    return bytes(heard)


async def _give(process: asyncio.subprocess.Process, data: bytes) -> None:
    """Hand the content over piece by piece; a child that ends before it has all is no error."""
    stdin = cast("asyncio.StreamWriter", process.stdin)
    with suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(data), _PIECE):
            stdin.write(data[start : start + _PIECE])
            await stdin.drain()
        stdin.close()
        await stdin.wait_closed()
