"""A worker's name is a leased slot: two live workers never share one, a dead one's is free."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

MOST = 64
"""How many workers may live at once."""


class Lease(Protocol):
    """A slot that is ours."""

    @property
    def name(self) -> str: ...

    def held(self) -> bool:
        """False once somebody else may hold the slot; it is never True again."""
        ...


class Slots(Protocol):
    """All the slots that workers of one queue share. Every method blocks.

    They raise `StoreUnavailable` where the leases are kept in a database.
    """

    def leased(self) -> AbstractContextManager[Lease]:
        """The first free slot, ours for the length of the block.

        Raises ProcessFailed when all are taken.
        """
        ...

    def abandoned(self, names: Iterable[str]) -> AbstractContextManager[tuple[str, ...]]:
        """Those of ``names`` whose worker is gone, kept from being leased for the block."""
        ...

    def alive(self) -> tuple[str, ...]:
        """The slots that somebody holds."""
        ...
