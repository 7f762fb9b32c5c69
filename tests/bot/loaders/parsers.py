"""Parsers for tests, named by ``module:function`` as the registry names the real ones."""

import ctypes
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bot.loaders.loaded import Caution, Heading, Loaded, Part
from rag.values import Limits, Locator


def pages(data: bytes, *, limits: Limits) -> Loaded:
    """A page a form feed; a line that begins with # is a heading."""
    text, locators, headings = "", [], []
    for number, page in enumerate(data.decode().removeprefix("%PDF-\n").split("\f"), start=1):
        locators.append(Locator(start=len(text), end=len(text) + len(page), page=number))
        for line in page.splitlines(keepends=True):
            if line.startswith("#"):
                headings.append(Heading(start=len(text), end=len(text) + len(line), level=1))
            text += line
    cautions = (Caution.PICTURES_UNREAD,) if "picture" in text else ()
    return Loaded(
        format="pdf",
        text=text,
        locators=tuple(locators),
        headings=tuple(headings),
        cautions=cautions,
        title="Paged",
    )


def table(data: bytes, *, limits: Limits) -> Loaded:
    """A table of one line a row, a cell range each."""
    rows = data.decode().removeprefix("%PDF-\n").splitlines(keepends=True)
    text, locators = "", []
    for number, row in enumerate(rows, start=1):
        at = len(text)
        text += row
        locators.append(
            Locator(start=at, end=len(text), sheet="Prices", cells=f"A{number}:B{number}")
        )
    whole = Part(start=0, end=len(text), kind="table", header=rows[0].strip())
    return Loaded(format="xlsx", text=text, locators=tuple(locators), parts=(whole,))


def misbehaving(data: bytes, *, limits: Limits) -> Loaded:
    """Does what the file says after its first line."""
    _, _, what = data.decode("utf-8", "replace").partition("\n")
    return _DEEDS[what.strip()]()


def _fine() -> Loaded:
    return Loaded(format="pdf", text="All is well.\n")


def _dies() -> Loaded:
    os.abort()


def _sleeps() -> Loaded:
    time.sleep(60)
    return _fine()


def _burns() -> Loaded:
    while True:
        pass


def _eats() -> Loaded:
    held = []
    while True:
        held.append(bytearray(16 * 1024 * 1024))


def _nests() -> Loaded:
    return _nests()


def _breaks() -> Loaded:
    raise KeyError("what stands in the document")


def _lies() -> Loaded:
    return Loaded(format="pdf", text="short", locators=(Locator(start=2, end=900, page=1),))


def _prints() -> Loaded:
    print("rubbish", flush=True)  # noqa: T201 - as a library may
    os.write(1, b"rubbish")
    return _fine()


def _babbles() -> Loaded:
    for number in range(3, 20):
        try:
            os.write(number, b"rubbish")
        except OSError:
            continue
    sys.stdout.flush()
    os._exit(0)


def _grows() -> Loaded:
    return Loaded(format="pdf", text="x" * 3_000_000)


def _unstorable() -> Loaded:
    return Loaded(format="pdf", text="a\0b\ud800c")


def _connects() -> Loaded:
    socket.create_connection(("127.0.0.1", 9), timeout=1).close()
    return _fine()


def _runs() -> Loaded:
    subprocess.run(["/bin/true"], check=True)
    return _fine()


def _forks() -> Loaded:
    if os.fork() == 0:
        time.sleep(60)
    return _fine()


def _writes() -> Loaded:
    Path("/tmp/footnote-was-here").write_text("x", "utf-8")
    return _fine()


def _natively(path: bytes) -> Loaded:
    """Around Python: what a library's own code may do when a document has taken it over."""
    libc = ctypes.CDLL(None, use_errno=True)
    asked = {
        "socket": libc.socket(2, 1, 0),
        "fork": libc.fork(),
        "exec": libc.execl(b"/bin/true", b"true", None),
        "write": libc.open(path, os.O_CREAT | os.O_WRONLY, 0o600),
        "remove": libc.unlink(b"/etc/hostname-of-nobody"),
        "folder": libc.mkdir(path, 0o700),
        "signal": libc.kill(1, 0),
    }
    errno = ctypes.get_errno()
    got = sorted(name for name, result in asked.items() if result != -1)
    return Loaded(format="pdf", text=f"got {got}, errno {errno}")


def _looks() -> Loaded:
    seen = {"environment": sorted(os.environ), "folder": os.listdir()}
    return Loaded(format="pdf", text=repr(seen))


_DEEDS: dict[str, Callable[[], Loaded]] = {
    "fine": _fine,
    "dies": _dies,
    "sleeps": _sleeps,
    "burns": _burns,
    "eats": _eats,
    "nests": _nests,
    "breaks": _breaks,
    "lies": _lies,
    "prints": _prints,
    "babbles": _babbles,
    "grows": _grows,
    "unstorable": _unstorable,
    "connects": _connects,
    "runs": _runs,
    "forks": _forks,
    "writes": _writes,
    "looks": _looks,
    "natively": lambda: _natively(b"/tmp/footnote-was-here"),
}
