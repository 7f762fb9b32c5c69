"""What Linux refuses to a process for good, by a filter of its system calls (seccomp).

Whatever a parser is made to do, in Python or in a library's own code: no network, no other
program, no further process, nothing written, made, moved or removed in any folder. Standard
library only: it runs in the child alone, before a byte of a document is there.
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterator, Mapping

_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # of prctl
_LOAD, _EQUAL, _ANY, _RETURN = 0x20, 0x15, 0x45, 0x06  # of the filter's little machine
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16  # in what the filter sees of a call
_X32 = 0x40000000  # the other way of calling on x86-64

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_REFUSED: Mapping[str, tuple[int, ...]] = {
    "x86_64": (
        *(41, 42, 44, 46, 49, 50, 53),  # socket connect sendto sendmsg bind listen socketpair
        *(56, 57, 58, 59, 322, 435),  # clone fork vfork execve execveat clone3
        *(62, 101, 200, 310, 311, 424),  # kill ptrace tkill process_vm_* pidfd_send_signal
        *(76, 82, 83, 84, 85, 86, 87, 88),  # truncate rename mkdir rmdir creat link unlink symlink
        *(90, 92, 94, 133, 165, 272),  # chmod chown lchown mknod mount unshare
        *(258, 259, 260, 263, 264, 265, 266, 268, 316),  # the same ones, beside an open folder
        *(250, 298, 321, 323, 425, 437),  # keyctl perf bpf userfaultfd io_uring openat2
    ),
    "aarch64": (
        *(198, 203, 206, 211, 200, 201, 199),
        *(220, 221, 281, 435),
        *(129, 117, 130, 270, 271, 424),
        *(45, 33, 34, 35, 36, 37, 38, 276),
        *(40, 53, 54, 97),
        *(219, 241, 280, 282, 425, 437),
    ),
}
_RUNNING = {"x86_64": (59,), "aarch64": (221,)}
"""The call by which a process becomes another program."""

_OPENING = {"x86_64": ((2, 1), (257, 2)), "aarch64": ((56, 2),)}
"""The calls that open a file, each with which of its arguments says how."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine(*, runs: bool = False) -> bool:
    """Refuse all that for as long as this process lives; False where the system cannot.

    ``runs``: it may become another program, which is refused the rest all the same.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _MACHINES or sys.byteorder != "little":
        return False
    allowed = _RUNNING[machine] if runs else ()
    code = b"".join(_program(machine, allowed))
    held = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held))
    call = ctypes.CDLL(None, use_errno=True).prctl
    call.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)
    if call(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    told = ctypes.create_string_buffer(program, len(program))
    return not call(_SECCOMP, _FILTER, ctypes.addressof(told), 0, 0)


def _program(machine: str, allowed: tuple[int, ...]) -> Iterator[bytes]:
    """The filter: a call of a foreign kind is refused, then those named, then opening to write."""
    refuse, allow = _step(_RETURN, _REFUSE | 1), _step(_RETURN, _ALLOW)
    yield _step(_LOAD, _MACHINE_AT)
    yield _step(_EQUAL, _MACHINES[machine], then=1)
    yield refuse
    yield _step(_LOAD, _NUMBER_AT)
    if machine == "x86_64":
        yield _step(_ANY, _X32, otherwise=1)
        yield refuse
    for number in (one for one in _REFUSED[machine] if one not in allowed):
        yield _step(_EQUAL, number, otherwise=1)
        yield refuse
    for number, argument in _OPENING[machine]:
        yield _step(_EQUAL, number, otherwise=4)
        yield _step(_LOAD, _ARGUMENTS_AT + 8 * argument)
        yield _step(_ANY, _WRITING, otherwise=1)
        yield refuse
        yield allow
    yield allow


def _step(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction; ``then`` and ``otherwise`` count those that are skipped."""
    return struct.pack("HBBI", code, then, otherwise, value)
