"""The process in which one file is parsed: it has little, and may nearly nothing.

Run as a file, so that nothing is imported before the limits hold. Its one argument is an
order as JSON, the file comes on standard input, and one JSON object goes to standard output:
``{"loaded": …}``, ``{"pages": …}``, ``{"picture": …}``, ``{"unreadable": words}``,
``{"over": [limit, words]}``, or ``{"died": the name of an error}``. It ends in silence when a
limit of the system ends it. Where the order names another program, the process becomes that,
within the same bounds.
"""

import json
import os
import resource
import signal
import sys
from importlib import import_module
from typing import IO, Any, NoReturn

_NICE = 5
_FILE = 1024 * 1024  # bytes of a file that it could write
_OPEN = 64
_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "pty.",
)


def main(order: dict[str, Any]) -> None:
    """Read, work and answer. ``order`` has the keys of `bot.loaders.parsing.Order`."""
    if order["program"]:
        _become(order)
    answer = _only_answer()
    _bound(order["limits"])
    sys.path[:] = order["path"]
    sys.excepthook = lambda kind, _error, _where: _say(answer, {"died": kind.__qualname__})
    from bot.loaders.confine import confine  # noqa: PLC0415 - only below the limits

    module, _, function = order["does"].partition(":")
    work = getattr(import_module(module), function)(*order["given"])
    confine()
    _forbid()
    _say(answer, work(sys.stdin.buffer.read(), order["name"]))


def _become(order: dict[str, Any]) -> NoReturn:
    """Go on as another program, which can undo none of the bounds."""
    _bound(order["limits"])
    sys.path[:] = order["path"]
    from bot.loaders.confine import confine  # noqa: PLC0415

    confine(runs=True)
    program = order["program"]
    os.execv(program[0], program)  # noqa: S606 - the very program we want


def _only_answer() -> IO[bytes]:
    """Standard output; what a library prints goes nowhere."""
    answer = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return answer


def _bound(limits: dict[str, Any]) -> None:
    """Give up what is not needed to parse one file, before anything of it is seen."""
    os.nice(_NICE)
    signal.alarm(int(limits["parse_seconds"]) + 1)  # should whoever waits for us be gone
    seconds, memory = limits["parse_cpu_seconds"], limits["parse_memory_bytes"]
    bounds = {
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_AS: (memory, memory),
        resource.RLIMIT_FSIZE: (_FILE, _FILE),
        resource.RLIMIT_NOFILE: (_OPEN, _OPEN),
        resource.RLIMIT_NPROC: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
    }
    for what, bound in bounds.items():
        resource.setrlimit(what, bound)


def _forbid() -> None:
    """The same as `confine`, for what asks in Python, where the system refuses nothing."""

    def guard(event: str, args: tuple[Any, ...]) -> None:
        if event.startswith(_FORBIDDEN):
            raise PermissionError(f"{event} is not for a parser")
        if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError("a parser writes no file")

    sys.addaudithook(guard)


def _say(answer: IO[bytes], said: dict[str, Any]) -> None:
    answer.write(json.dumps(said, ensure_ascii=False).encode())
    answer.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
