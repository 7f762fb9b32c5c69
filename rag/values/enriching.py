"""What is found in the text of a snapshot when it is ingested. All offsets are its characters."""

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
