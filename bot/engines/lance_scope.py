"""Which chunks of a scope matter for a question, counted in the scope alone."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag.ranking.bm25 import idf

_TERMS = 32
_NOISE = 1e-9  # more than summing the same 32 rarities in another order changes a 64-bit sum

Keys = NDArray[np.int64]


class Counted:
    """The scope's chunks, each once however often it is stored: ``keys`` ascending, its size."""

    def __init__(self, scope: pa.Table) -> None:
        keys, first = np.unique(_column(scope, "key"), return_index=True)
        self.keys: Keys = keys
        self.average_length = float(_column(scope, "length")[first].mean()) if len(keys) else 0.0

    @property
    def total(self) -> int:
        """How many chunks the scope has."""
        return len(self.keys)

    def holders(self, found: pa.Table) -> Keys:
        """Where in `keys` the chunks stand that a query found."""
        own = np.unique(_column(found, "key"))
        return np.flatnonzero(np.isin(self.keys, own, assume_unique=True)).astype(np.int64)

    def leading(self, holders: Mapping[str, Keys], most: int) -> Keys:
        """The keys of the ``most`` chunks with the rarest terms, and of all that tie with the last.

        A tie cut short would be cut by where chunks lie on disk, so by what else is stored.
        """
        scores = np.zeros(self.total)
        for places in holders.values():
            scores[places] += idf(len(places), self.total)
        matching = np.flatnonzero(scores > 0)
        if len(matching) > most:
            least = np.partition(scores[matching], -most)[-most] * (1 - _NOISE)
            matching = matching[scores[matching] >= least]
        return self.keys[matching]


def rarest(holders: Mapping[str, Keys]) -> dict[str, Keys]:
    """The 32 rarest of the terms that any chunk of the scope holds."""
    held = {word: places for word, places in holders.items() if len(places)}
    kept = sorted(held, key=lambda word: (len(held[word]), word))[:_TERMS]
    return {word: held[word] for word in kept}


def _column(table: pa.Table, name: str) -> Keys:
    column: Keys = table.column(name).to_numpy().astype(np.int64)
    return column
