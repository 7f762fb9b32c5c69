"""From answers to figures: which metric says what for which type of data set."""

import random
from collections.abc import Callable, Sequence

from bot.evaluation.datasets import Question
from rag.evaluation.metrics import (
    Interval,
    any_gold,
    bootstrap,
    count_refusals,
    hit,
    ndcg,
    recall,
    reciprocal_rank,
    sides_shown,
    wilson,
)
from rag.values import Report, Status, Value

_SHOWS_EVIDENCE = frozenset({Status.ANSWERED, Status.CONFLICTING})


class Outcome(Value):
    """A question, the report it led to, and what was found on the way.

    ``ranked`` are the sources of the candidates, best first, each once;
    ``seconds`` the time on the wall.
    """

    question: Question
    report: Report
    ranked: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def answered(self) -> bool:
        return self.report.answer.status in _SHOWS_EVIDENCE

    @property
    def quotes(self) -> tuple[str, ...]:
        claims = self.report.answer.claims
        return tuple(citation.quote for claim in claims for citation in claim.citations)


class Figure(Value):
    """One line of the table. ``of`` says in words what the share is a share of."""

    name: str
    of: str
    interval: Interval


def measure(outcomes: Sequence[Outcome], *, seed: int) -> tuple[Figure, ...]:
    """Every figure the questions carry enough for; ``seed`` is the bootstrap's."""
    figures: list[Figure] = []
    for enough, figure in _MEASURES:
        fitting = [outcome for outcome in outcomes if enough(outcome.question)]
        if fitting:
            figures += figure(fitting, random.Random(seed).randrange)  # noqa: S311 - no secret
    return tuple(figures)


def _share(name: str, of: str, holds: Sequence[bool]) -> Figure:
    return Figure(name=name, of=of, interval=wilson(sum(holds), len(holds)))


def _retrieval(outcomes: Sequence[Outcome], draw: Callable[[int], int]) -> list[Figure]:
    of = "questions with a known document"
    means = {
        "recall@10": [recall(o.ranked, o.question.gains, k=10) for o in outcomes],
        "MRR": [reciprocal_rank(o.ranked, o.question.gains) for o in outcomes],
        "nDCG@10": [ndcg(o.ranked, o.question.gains, k=10) for o in outcomes],
    }
    hits = [
        _share(f"hit@{k}", of, [hit(o.ranked, o.question.gains, k=k) > 0 for o in outcomes])
        for k in (1, 5)
    ]
    return hits + [
        Figure(name=name, of=of, interval=bootstrap(values, draw=draw))
        for name, values in means.items()
    ]


def _golden(outcomes: Sequence[Outcome], _: Callable[[int], int]) -> list[Figure]:
    holds = [any_gold(o.quotes, o.question.golds) for o in outcomes]
    answered = [held for held, outcome in zip(holds, outcomes, strict=True) if outcome.answered]
    figures = [_share("gold in quotes", "answerable questions", holds)]
    if answered:
        figures.append(_share("gold in quotes, when answered", "answered questions", answered))
    return figures


def _refusing(outcomes: Sequence[Outcome], _: Callable[[int], int]) -> list[Figure]:
    pairs = [(o.question.answerable, o.answered) for o in outcomes]
    counts = count_refusals(pairs)
    answerable = counts.answered_answerable + counts.refused_answerable
    unanswerable = counts.n - answerable
    figures = [
        Figure(
            name="answered",
            of="answerable questions",
            interval=wilson(counts.answered_answerable, answerable),
        )
    ]
    if unanswerable:
        figures += [
            Figure(
                name="refused",
                of="unanswerable questions",
                interval=wilson(counts.refused_unanswerable, unanswerable),
            ),
            Figure(
                name="right to answer or refuse",
                of="all questions",
                interval=wilson(counts.answered_answerable + counts.refused_unanswerable, counts.n),
            ),
        ]
    return figures


def _conflicting(outcomes: Sequence[Outcome], _: Callable[[int], int]) -> list[Figure]:
    of = "questions whose documents differ"
    shown = [sides_shown(o.quotes, o.question.sides) for o in outcomes]
    told = [o.report.answer.status is Status.CONFLICTING for o in outcomes]
    listed = [bool(o.report.answer.conflicts) for o in outcomes]
    every = [
        count == len(outcome.question.sides) for count, outcome in zip(shown, outcomes, strict=True)
    ]
    return [
        _share("two sides or more in quotes", of, [count >= 2 for count in shown]),
        _share("every side in quotes", of, every),
        _share("told as a conflict", of, told),
        _share("conflict listed", of, listed),
    ]


def _agreeing(outcomes: Sequence[Outcome], _: Callable[[int], int]) -> list[Figure]:
    told = [o.report.answer.status is Status.CONFLICTING for o in outcomes]
    return [_share("told as a conflict", "questions whose documents agree", told)]


_MEASURES: tuple[
    tuple[
        Callable[[Question], bool],
        Callable[[Sequence[Outcome], Callable[[int], int]], list[Figure]],
    ],
    ...,
] = (
    (lambda question: bool(question.gains), _retrieval),
    (lambda question: bool(question.golds) and question.answerable, _golden),
    (lambda question: True, _refusing),
    (lambda question: len(question.sides) > 1, _conflicting),
    (lambda question: len(question.sides) == 1, _agreeing),
)
