"""From answers to figures: which metric says what for which type of data set."""

import random
from collections.abc import Callable, Sequence

from bot.evaluation.claims import citing, claiming, spending
from bot.evaluation.datasets import Question
from bot.evaluation.outcomes import Draw, Figure, Outcome, mean, share
from rag.evaluation.metrics import any_gold, hit, ndcg, recall, reciprocal_rank, sides_shown
from rag.values import Status


def measure(outcomes: Sequence[Outcome], *, seed: int) -> tuple[Figure, ...]:
    """Every figure the questions carry enough for; ``seed`` is the bootstrap's."""
    figures: list[Figure] = []
    for enough, figure in _MEASURES:
        fitting = [outcome for outcome in outcomes if enough(outcome.question)]
        if fitting:
            figures += figure(fitting, random.Random(seed).randrange)  # noqa: S311 - no secret
    return tuple(figures)


def _retrieval(outcomes: Sequence[Outcome], draw: Draw) -> list[Figure]:
    of = "questions with a known document"
    means = {
        "recall@10": [recall(o.ranked, o.question.gains, k=10) for o in outcomes],
        "MRR": [reciprocal_rank(o.ranked, o.question.gains) for o in outcomes],
        "nDCG@10": [ndcg(o.ranked, o.question.gains, k=10) for o in outcomes],
    }
    hits = [
        share(f"hit@{k}", of, [hit(o.ranked, o.question.gains, k=k) > 0 for o in outcomes])
        for k in (1, 5)
    ]
    return hits + [mean(name, of, values, draw) for name, values in means.items()]


def _golden(outcomes: Sequence[Outcome], _: Draw) -> list[Figure]:
    holds = [any_gold(o.quotes, o.question.golds) for o in outcomes]
    answered = [held for held, outcome in zip(holds, outcomes, strict=True) if outcome.answered]
    right = [any_gold([claim.text for claim in o.claims], o.question.golds) for o in outcomes]
    figures = [
        share("answered right", "answerable questions", right),
        share("gold in quotes", "answerable questions", holds),
    ]
    if answered:
        figures.append(share("gold in quotes, when answered", "answered questions", answered))
    return figures


def _refusing(outcomes: Sequence[Outcome], _: Draw) -> list[Figure]:
    """A question that failed was neither answered nor refused, whatever it is that failed."""
    answerable = [o.answered for o in outcomes if o.question.answerable]
    unanswerable = [o.turned_away for o in outcomes if not o.question.answerable]
    figures = [share("answered", "answerable questions", answerable)]
    if unanswerable:
        right = answerable + unanswerable
        figures += [
            share("refused", "unanswerable questions", unanswerable),
            share("right to answer or refuse", "all questions", right),
        ]
    return figures


def _clarifying(outcomes: Sequence[Outcome], _: Draw) -> list[Figure]:
    """Whether what has several readings was asked back about, and nothing else."""
    asked = [(o.question.unclear, o.asked_back) for o in outcomes]
    unclear = [back for unclear, back in asked if unclear]
    clear = [back for unclear, back in asked if not unclear]
    return [
        share("asked back", "unclear questions", unclear),
        share("asked back", "clear questions", clear),
    ]


def _conflicting(outcomes: Sequence[Outcome], _: Draw) -> list[Figure]:
    of = "questions whose documents differ"
    shown = [sides_shown(o.quotes, o.question.sides) for o in outcomes]
    told = [o.report.answer.status is Status.CONFLICTING for o in outcomes]
    listed = [bool(o.report.answer.conflicts) for o in outcomes]
    every = [
        count == len(outcome.question.sides) for count, outcome in zip(shown, outcomes, strict=True)
    ]
    return [
        share("two sides or more in quotes", of, [count >= 2 for count in shown]),
        share("every side in quotes", of, every),
        share("told as a conflict", of, told),
        share("conflict listed", of, listed),
    ]


def _agreeing(outcomes: Sequence[Outcome], _: Draw) -> list[Figure]:
    told = [o.report.answer.status is Status.CONFLICTING for o in outcomes]
    return [share("told as a conflict", "questions whose documents agree", told)]


_MEASURES: tuple[
    tuple[
        Callable[[Question], bool],
        Callable[[Sequence[Outcome], Draw], list[Figure]],
    ],
    ...,
] = (
    (lambda question: bool(question.gains), _retrieval),
    (lambda question: bool(question.golds) and question.answerable, _golden),
    (lambda question: not question.unclear, _refusing),
    (lambda question: question.unclear is not None, _clarifying),
    (lambda question: len(question.sides) > 1, _conflicting),
    (lambda question: len(question.sides) == 1, _agreeing),
    (lambda question: True, claiming),
    (lambda question: bool(question.gains), citing),
    (lambda question: True, spending),
)
