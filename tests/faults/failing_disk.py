"""A disk that fails, or is full, at a write or sync of this process's that a test chooses.

The kernel asks us about each such call (seccomp user notification), so nothing of the
program is replaced. Only what SQLite uses is asked about: positioned writes, syncs and
truncations. To be set up before any other thread starts; Linux on x86_64 or aarch64.
"""

import ctypes
import fcntl
import platform
import struct
import threading
from collections.abc import Callable

_CALLS = {  # pwrite64, fsync, fdatasync, ftruncate
    "x86_64": (317, (18, 74, 75, 77)),
    "aarch64": (277, (68, 82, 83, 46)),
}
_NO_NEW_PRIVILEGES = 38
_SET_FILTER, _NEW_LISTENER = 1, 8
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ASK = 0x7FFF0000, 0x7FC00000
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_GO_ON = 1


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


class Unsupported(Exception):
    """This machine's kernel does not let us ask."""


class Disk:
    """Counts this process's calls; ``fails`` gives the error number of each, 0 to go on."""

    def __init__(self) -> None:
        self.calls = 0
        self.fails: Callable[[int], int] = lambda number: 0
        listener = _listen()
        threading.Thread(target=self._answer, args=(listener,), daemon=True).start()

    def _answer(self, listener: int) -> None:
        while True:
            asked = bytearray(80)
            fcntl.ioctl(listener, _RECEIVE, asked)
            (ident,) = struct.unpack_from("Q", asked)
            self.calls += 1
            failed = self.fails(self.calls)
            answer = struct.pack("QqiI", ident, 0, -failed, 0 if failed else _GO_ON)
            fcntl.ioctl(listener, _SEND, answer)


def _listen() -> int:
    if platform.system() != "Linux" or platform.machine() not in _CALLS:
        raise Unsupported(platform.platform())
    seccomp, numbers = _CALLS[platform.machine()]
    code = [struct.pack("HBBI", _LOAD, 0, 0, 0)]
    for place, number in enumerate(numbers):
        code.append(struct.pack("HBBI", _EQUAL, len(numbers) - place, 0, number))
    code += [struct.pack("HBBI", _RETURN, 0, 0, value) for value in (_ALLOW, _ASK)]
    held = ctypes.create_string_buffer(b"".join(code))
    program = _Program(len(code), ctypes.cast(held, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    listener = int(libc.syscall(seccomp, _SET_FILTER, _NEW_LISTENER, ctypes.byref(program)))
    if listener < 0:
        raise Unsupported(f"seccomp: errno {ctypes.get_errno()}")
    return listener
