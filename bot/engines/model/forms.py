"""In which of three ways a server is asked for JSON: the strictest it takes, remembered.

`json_schema`, where the server itself keeps to the schema; else `json_object` with the
schema in words; else words alone. Whichever it is, the reply is checked again here.
"""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

F = TypeVar("F")


@dataclass
class Ladder(Generic[F]):
    """The forms from the strictest to the loosest, and where each shape stands.

    A shape that was never asked for begins where the last one settled.
    """

    forms: tuple[F, ...]
    _settled: int = 0
    _at: dict[str, int] = field(default_factory=dict)
    _proven: set[str] = field(default_factory=set)

    def rung(self, shape: str) -> int:
        """Where in ``forms`` that shape stands; its request says so again when it has ended."""
        return self._at.get(shape, self._settled)

    def worked(self, shape: str, rung: int) -> None:
        """A reply came in that form and was JSON of that shape: it stays."""
        self._settled = self._at[shape] = rung
        self._proven.add(shape)

    def step_down(self, shape: str, rung: int) -> bool:
        """Whether what failed at ``rung`` may be tried lower; never where that form has worked.

        Requests of one shape may be under way together: what another one has learnt
        meanwhile is taken over, and no request goes up again.
        """
        at = self.rung(shape)
        if at != rung:
            return at > rung
        if shape in self._proven or at + 1 == len(self.forms):
            return False
        self._at[shape] = at + 1
        return True

    def forget(self, shape: str) -> None:
        """The form was not the reason, or the server is another one by now: begin anew."""
        self._proven.discard(shape)
        self._at.pop(shape, None)
        self._settled = 0
