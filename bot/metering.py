"""What is counted and timed while Footnote works, as those who do the work say it.

`bot.watch.metrics.Metrics` is the adapter. What is said are words from closed sets and
numbers: never a tenant, a person, a question or an id.
"""

from typing import Protocol


class IntakeMeter(Protocol):
    """Told of each attempt at the durable insert."""

    def stored(self, seconds: float) -> None:
        """A job is in the database, after so many seconds."""
        ...

    def not_stored(self) -> None:
        """A job could not be stored, and Slack was not told that it was."""
        ...


class OutcomeMeter(Protocol):
    """Told how questions and jobs end."""

    def ended(self, status: str, reason: str) -> None:
        """A question ended with this status; ``reason`` is the trace's code or empty."""
        ...

    def given_up(self) -> None:
        """A job ended its worker too often and is not tried again."""
        ...


class SlackMeter(Protocol):
    """Told where Slack makes us wait or try again."""

    def retried(self, method: str) -> None:
        """A call of ``method`` is made again."""
        ...

    def limited(self, method: str, seconds: float) -> None:
        """Slack answered a call of ``method`` with a request to wait so many seconds."""
        ...


class ReaderMeter(Protocol):
    """Told of each call of the reader."""

    def read(self, call: str, outcome: str) -> None:
        """``call`` is the port's method, ``outcome`` is `ok` or the failure's reason code."""
        ...


class ModelMeter(Protocol):
    """Told of each request to a provider of models."""

    def asked(self, role: str, outcome: str, *, tokens_in: int, tokens_out: int) -> None:
        """``outcome`` is `ok`, `cancelled` or the failure's reason code.

        Where nobody was asked it is `remembered` (another task's reply) or `heard` (one
        that this task had before its worker died, or before its stage was tried again).
        """
        ...


class Meter(IntakeMeter, OutcomeMeter, SlackMeter, Protocol):
    """All that the Slack side tells."""


class Unmetered:
    """Every meter, for whoever counts nothing."""

    def stored(self, seconds: float) -> None:
        """Nothing."""

    def not_stored(self) -> None:
        """Nothing."""

    def ended(self, status: str, reason: str) -> None:
        """Nothing."""

    def given_up(self) -> None:
        """Nothing."""

    def retried(self, method: str) -> None:
        """Nothing."""

    def limited(self, method: str, seconds: float) -> None:
        """Nothing."""

    def read(self, call: str, outcome: str) -> None:
        """Nothing."""

    def asked(self, role: str, outcome: str, *, tokens_in: int, tokens_out: int) -> None:
        """Nothing."""


UNMETERED = Unmetered()
"""Holds nothing, so one is enough."""
