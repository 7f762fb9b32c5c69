"""A Redis of our own on a Unix socket, shared by every process that uses the data folder."""

import asyncio
import contextlib
import fcntl
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from redis.asyncio import Redis
from redis.exceptions import RedisError

from rag.errors import ContextUnavailable

_SOCKET_BYTES = 100
_READY_SECONDS = 10.0
_LOOK_SECONDS = 1.0


@asynccontextmanager
async def private_redis(folder: Path) -> AsyncIterator[str]:
    """The URL of a running server; it lives while any process is inside this block.

    A server that dies meanwhile comes back empty, and so does its keeper.
    Raises `ContextUnavailable` when none comes up in ten seconds.
    """
    users = await asyncio.to_thread(_join, folder)
    socket = _socket_path(folder)
    try:
        await _until_it_answers(folder, socket)
        looking = asyncio.create_task(_look_after(folder, socket))
        try:
            yield f"unix://{socket}"
        finally:
            looking.cancel()
    finally:
        users.close()


def _join(folder: Path) -> IO[str]:
    """Become one of the users; given up by closing, or by dying."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    users = (folder / "users.lock").open("a")
    fcntl.flock(users, fcntl.LOCK_SH)
    return users


def _socket_path(folder: Path) -> Path:
    """A path short enough for a socket address: in the folder, else in a private temporary one."""
    path = folder.absolute() / "redis.sock"
    if len(bytes(path)) < _SOCKET_BYTES:
        return path
    name = hashlib.sha256(bytes(folder.absolute())).hexdigest()[:16]
    short = Path(tempfile.gettempdir()) / f"footnote-{name}"
    short.mkdir(mode=0o700, exist_ok=True)
    if short.is_symlink() or short.stat().st_mode & 0o077:
        raise ContextUnavailable(f"{short} is not private to this user")
    return short / "redis.sock"


async def _until_it_answers(folder: Path, socket: Path) -> None:
    """Start a keeper whenever there is none, until the server answers."""
    client = Redis.from_url(f"unix://{socket}", socket_timeout=1, socket_connect_timeout=1)
    keeper: subprocess.Popen[bytes] | None = None
    try:
        async with asyncio.timeout(_READY_SECONDS):
            while True:
                with contextlib.suppress(RedisError, OSError):
                    await client.ping()
                    return
                if keeper is None or keeper.poll() is not None:
                    keeper = await asyncio.to_thread(_start_keeper, folder, socket)
                await asyncio.sleep(0.03)
    except TimeoutError as error:
        raise ContextUnavailable("the private Redis did not come up") from error
    finally:
        await client.aclose()


async def _look_after(folder: Path, socket: Path) -> None:
    """Start another keeper whenever there is none."""
    keeper: subprocess.Popen[bytes] | None = None
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        if keeper is not None:
            keeper.poll()  # one that found another at work has ended, and is forgotten so
        if not await asyncio.to_thread(_is_kept, folder):
            keeper = await asyncio.to_thread(_start_keeper, folder, socket)


def _is_kept(folder: Path) -> bool:
    """Whether a keeper holds its lock."""
    with (folder / "keeper.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def _start_keeper(folder: Path, socket: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - this program itself
        [sys.executable, "-m", "bot.engines.redis_keeper", str(folder), str(socket)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
