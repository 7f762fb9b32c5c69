"""What is found in the text of a snapshot when it is ingested. All offsets are its characters."""

from enum import StrEnum

from pydantic import Field

from rag.values.base import Value


class Pair(Value):
    """A question that stands in the text at ``asked``, and its answer ``text[start:end]``.

    ``apart`` is what leads to the answer and is never quoted; of no characters where a quote
    may hold the question too, as a table's row does.
    """

    asked: tuple[int, int]
    apart: tuple[int, int]
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class FactKind(StrEnum):
    """What a text names of itself."""

    DATE = "date"
    VERSION = "version"
    CLAUSE = "clause"


class Fact(Value):
    """A date, a version or a clause's number at ``start:end``; a date's ``value`` is ISO 8601."""

    kind: FactKind
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    value: str


class Branch(Value):
    """A heading that begins at ``start``; the outermost ones have depth 1."""

    start: int = Field(ge=0)
    depth: int = Field(ge=1)
    name: str


class Findings(Value):
    """All that is found in a text without a model."""

    pairs: tuple[Pair, ...] = ()
    facts: tuple[Fact, ...] = ()
    headings: tuple[Branch, ...] = ()
