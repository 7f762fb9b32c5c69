"""What one question came to, and the figures that many of them make."""

from collections.abc import Callable, Sequence

from bot.evaluation.datasets import Question
from rag.evaluation.metrics import Interval, bootstrap, wilson
from rag.values import Claim, Report, Spent, Status, Value

Draw = Callable[[int], int]
"""A random whole number below the one given."""

_SHOWS_EVIDENCE = frozenset({Status.ANSWERED, Status.CONFLICTING})


class Outcome(Value):
    """A question, the report it led to, and what was found on the way.

    ``ranked`` are the sources of the candidates, best first, each once;
    ``unfounded`` counts the published claims with a quote that does not stand in its
    text; ``spent`` is what models were asked for it, a failed question too; ``seconds``
    the time on the wall.
    """

    question: Question
    report: Report
    ranked: tuple[str, ...] = ()
    unfounded: int = 0
    spent: Spent = Spent()
    seconds: float = 0.0

    @property
    def answered(self) -> bool:
        return self.report.answer.status in _SHOWS_EVIDENCE

    @property
    def failed(self) -> bool:
        return self.report.answer.status is Status.FAILED

    @property
    def turned_away(self) -> bool:
        return not (self.answered or self.failed)

    @property
    def asked_back(self) -> bool:
        return self.report.answer.status is Status.CLARIFY

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.report.answer.claims

    @property
    def quotes(self) -> tuple[str, ...]:
        return tuple(citation.quote for claim in self.claims for citation in claim.citations)


class Figure(Value):
    """One line of the table. ``of`` says in words what the share is a share of."""

    name: str
    of: str
    interval: Interval


def share(name: str, of: str, holds: Sequence[bool]) -> Figure:
    """The figure of what holds how often, with Wilson's interval."""
    return Figure(name=name, of=of, interval=wilson(sum(holds), len(holds)))


def mean(name: str, of: str, values: Sequence[float], draw: Draw) -> Figure:
    """The figure of a mean, with a bootstrap interval."""
    return Figure(name=name, of=of, interval=bootstrap(values, draw=draw))
