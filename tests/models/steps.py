"""What the scripted server does with one request."""

from collections.abc import Mapping
from typing import Any, Literal

from rag.values import Value


class Step(Value):
    """One request's answer. With nothing said it is a completion whose text is ``content``.

    ``body`` is sent as it is instead, with ``status`` and ``headers``. ``envelope`` changes
    keys of the completion, ``message`` of its message. ``forms`` are the kinds of
    `response_format` that are taken; another is answered 400. ``drip`` sends a byte a
    tenth of a second. ``cut`` ends the connection: before any answer, after the headers, or
    in the middle of the body; ``short`` promises more bytes than come. ``stall`` seconds pass
    before anything is sent, ``rest`` seconds after the first half.
    """

    content: str | None = None
    times: int = 1
    finish: str | None = "stop"
    message: Mapping[str, Any] = {}
    envelope: Mapping[str, Any] = {}
    body: str | None = None
    status: int = 200
    headers: Mapping[str, str] = {}
    forms: tuple[str, ...] = ("json_schema", "json_object", "none")
    drip: bool = False
    cut: Literal["", "before", "headers", "middle", "short"] = ""
    stall: float = 0.0
    rest: float = 0.0

    @property
    def text(self) -> str | None:
        """The completion's text, as often as it is to be repeated."""
        return None if self.content is None else self.content * self.times
