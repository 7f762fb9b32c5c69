"""Keeps workers alive on one machine: whenever one dies, another is forked at once.

What takes seconds to load is loaded once, in the parent, and shared by all it forks. The
parent opens no connection and starts no thread of Python's, for neither would survive a fork;
native libraries that keep threads of their own see to them.
"""

import logging
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.05
_SHORT_LIFE_SECONDS = 3.0
_PAUSE_SECONDS = 1.0  # after a short life, so that one that cannot live costs little
_STOP_SECONDS = 25.0  # a worker that is told to stop needs 20
_STOPPING = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, kw_only=True)
class Forked:
    """The process that this is: the ``place``-th from 0, and the pipe that ends with its parent."""

    place: int
    lifeline: int


@dataclass
class _Told:
    """Whether we were told to stop, by a signal or by the end of ``held``."""

    held: Sequence[int]
    signalled: bool = False

    def notice(self, _number: int, _frame: FrameType | None) -> None:
        """Handle a signal."""
        self.signalled = True

    def to_stop(self) -> bool:
        """Look for a moment."""
        readable, _, _ = select.select(self.held, [], [], _LOOK_SECONDS)
        return self.signalled or any(not os.read(one, 1) for one in readable)


@dataclass
class _Places:
    """Who works in which place, since when, and from when on an empty place may be taken."""

    empty: dict[int, float]
    taken: dict[int, tuple[int, float]] = field(default_factory=dict)
    settled: bool = False

    def due(self) -> list[int]:
        """The places in which somebody should be working."""
        return [place for place, since in self.empty.items() if since <= time.monotonic()]

    def take(self, place: int, process: int) -> None:
        """That process works there from now on."""
        del self.empty[place]
        self.taken[process] = place, time.monotonic()

    def leave(self, process: int, status: int) -> None:
        """It has died. Raises SystemExit when there is no living here at all."""
        place, born = self.taken.pop(process)
        short = time.monotonic() - born < _SHORT_LIFE_SECONDS
        log.warning("worker process %d ended with %d", process, status)
        self.settled = self.settled or not short
        if status > 0 and not self.settled:
            self.end()
            sys.exit(status)
        self.empty[place] = time.monotonic() + (_PAUSE_SECONDS if short else 0)

    def reap(self) -> None:
        """Notice who died."""
        for process in list(self.taken):
            found, status = os.waitpid(process, os.WNOHANG)
            if found:
                self.leave(process, os.waitstatus_to_exitcode(status))

    def end(self) -> None:
        """Ask all to end, and insist after a while."""
        self._signal(signal.SIGTERM)
        until = time.monotonic() + _STOP_SECONDS
        while self.taken:
            for process in list(self.taken):
                if os.waitpid(process, os.WNOHANG)[0]:
                    del self.taken[process]
            if time.monotonic() > until:
                self._signal(signal.SIGKILL)
            time.sleep(_LOOK_SECONDS)

    def _signal(self, number: signal.Signals) -> None:
        for process in self.taken:
            os.kill(process, number)  # nobody else waits for it, so its number is still its own


def keep(processes: int, *, held: int | None = None) -> Forked:
    """Return in each of so many new processes, again and again; never in this one.

    This one ends by SystemExit once it is told to stop, by a signal or by the end of the
    pipe ``held``, and all it forked have ended; with the status of a worker that ends with
    an error before any has lived for three seconds.
    """
    told = _Told(() if held is None else (held,))
    for number in _STOPPING:
        signal.signal(number, told.notice)
    places = _Places(dict.fromkeys(range(processes), 0.0))
    lifeline, living = os.pipe()
    while not told.to_stop():
        for place in places.due():
            with _undisturbed():
                process = os.fork()
                if not process:
                    os.close(living)
                    _forget_signals()
                    return Forked(place=place, lifeline=lifeline)
                places.take(place, process)
        places.reap()
    places.end()
    sys.exit(0)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No signal meant for one process is noticed by what the other still has of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _forget_signals() -> None:
    for number in _STOPPING:
        signal.signal(
            number, signal.SIG_DFL if number is signal.SIGTERM else signal.default_int_handler
        )
