"""An event loop whose time is made up: it jumps to the next timer as soon as nothing is to do."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_MOST_TURNS = 1_500_000
_TURN_SECONDS = 1e-6


class Stuck(Exception):
    """Everybody waits and no timer is set, or they wait for one another for ever."""


class _Jumping(selectors.SelectSelector):
    """Waits for no file: waiting moves the clock instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0
        self.turns = 0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Stuck
        self.turns += 1
        if self.turns > _MOST_TURNS:
            raise Stuck
        # A turn takes a moment too: who waits for the clock to pass a point must get there.
        self.now += max(_TURN_SECONDS, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """One thread, no sockets, no real waiting; what would run in a thread runs at once."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def run_in_executor(  # type: ignore[override] # the type here promises less than it does
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> "asyncio.Future[T]":
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - a future carries whatever its work raised
            done.set_exception(error)
        return done

    def _write_to_self(self) -> None:
        """Nobody has to be woken: there is one thread."""


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run ``main`` to its end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main())
