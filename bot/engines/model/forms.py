"""In which of three ways a server is asked for JSON: the strictest it takes, remembered.

`json_schema`, where the server itself keeps to the schema; else `json_object` with the
schema in words; else words alone. Whichever it is, the reply is checked again here.
"""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

F = TypeVar("F")


@dataclass
class Ladder(Generic[F]):
    """The forms from the strictest to the loosest, and at which of them each shape begins.

    A shape that was never asked for begins where another one has worked. What one request
    is refused for is tried by itself alone: tenants share a server, and a request that
    this server takes in no form must not spoil the form of the others.
    """

    forms: tuple[F, ...]
    _begun: int = 0
    _first: dict[str, int] = field(default_factory=dict)
    _proven: set[str] = field(default_factory=set)

    def rungs(self, shape: str) -> tuple[int, ...]:
        """The places in ``forms`` that one request may try, in their order; one where it worked."""
        first = self._first.get(shape, self._begun)
        if shape in self._proven:
            return (first,)
        return (*range(first, len(self.forms)), *reversed(range(first)))

    def worked(self, shape: str, rung: int) -> None:
        """A reply came in that form and was JSON of that shape: it stays."""
        self._begun = self._first[shape] = rung
        self._proven.add(shape)

    def misread(self, shape: str, rung: int) -> None:
        """A reply in that form was not of that shape: the next begins looser, unless it has worked.

        A server that takes a form need not keep to it.
        """
        if shape not in self._proven:
            self._first[shape] = min(rung + 1, len(self.forms) - 1)

    def refused(self, shape: str) -> None:
        """Every form that might be tried was refused: the next may try them all again."""
        self._proven.discard(shape)
