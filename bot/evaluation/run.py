"""Asks a data set's questions of the whole pipeline and counts what comes back."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from bot.evaluation.datasets import Dataset, Document, Question, load_dataset
from bot.evaluation.measures import measure
from bot.evaluation.outcomes import Figure, Outcome
from rag.values import Value

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done and how much there is."""


class Bench(Protocol):
    """A place where a real reader answers through the real stages."""

    @property
    def reader(self) -> str: ...

    async def add(self, documents: Sequence[Document]) -> tuple[str, ...]:
        """Make each document a source; the ids of those that cannot be read."""
        ...

    async def ask(self, question: Question) -> Outcome: ...


class Evaluation(Value):
    """A data set's figures. ``asked`` of ``questions`` were drawn with ``seed``.

    ``reader`` is the one that was asked, as the settings name it; ``failures`` are counted
    by their reasons. ``documents`` were read, ``unreadable`` could not be and were left out.
    """

    reader: str
    dataset: str
    type: str
    language: str
    questions: int
    asked: int
    documents: int
    unreadable: int
    seed: int
    statuses: dict[str, int]
    failures: dict[str, int]
    figures: tuple[Figure, ...]
    p50_seconds: float
    p99_seconds: float


async def evaluate(
    folder: Path,
    *,
    bench: Bench,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask at most ``limit`` questions of the data set in ``folder``.

    Each data set needs a bench of its own. Raises WrongUsage for a folder that
    is no data set, and whatever the bench raises: an outage is never a figure.
    """
    tell = progress or _silence
    dataset = load_dataset(folder)
    questions = sample(dataset.questions, limit=limit, seed=seed)
    documents = needed(dataset, questions)
    tell(f"{dataset.name}: reading {len(documents)} documents", 0, len(questions))
    unreadable = await bench.add(documents)
    questions = without(unreadable, questions)
    outcomes = []
    for done, question in enumerate(questions):
        tell(f"{dataset.name}: asking", done, len(questions))
        outcomes.append(await bench.ask(question))
    tell(f"{dataset.name}: done", len(questions), len(questions))
    return summarise(
        dataset,
        outcomes,
        reader=bench.reader,
        documents=len(documents),
        unreadable=len(unreadable),
        seed=seed,
    )


def sample(questions: Sequence[Question], *, limit: int | None, seed: int) -> tuple[Question, ...]:
    """All questions, or ``limit`` of them drawn without replacement, in their own order."""
    if limit is None or limit >= len(questions):
        return tuple(questions)
    drawn = random.Random(seed).sample(range(len(questions)), limit)  # noqa: S311 - no secret
    return tuple(questions[at] for at in sorted(drawn))


def without(unreadable: Sequence[str], questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions without unreadable sources; one that named no other source is left out."""
    gone = set(unreadable)
    kept = []
    for question in questions:
        named = tuple(source for source in question.source_ids if source not in gone)
        if named or not question.source_ids:
            kept.append(question.model_copy(update={"source_ids": named}))
    return tuple(kept)


def needed(dataset: Dataset, questions: Sequence[Question]) -> tuple[Document, ...]:
    """The whole corpus, or the named sources alone when every question names its own."""
    if not all(question.source_ids for question in questions):
        return dataset.documents
    named = {source for question in questions for source in question.source_ids}
    return tuple(document for document in dataset.documents if document.id in named)


def summarise(
    dataset: Dataset,
    outcomes: Sequence[Outcome],
    *,
    reader: str,
    documents: int,
    unreadable: int,
    seed: int,
) -> Evaluation:
    """The figures of a data set whose questions have been asked."""
    statuses = [str(outcome.report.answer.status) for outcome in outcomes]
    failures = [str(outcome.report.trace.reason) for outcome in outcomes if outcome.failed]
    seconds = [outcome.seconds for outcome in outcomes]
    return Evaluation(
        reader=reader,
        dataset=dataset.name,
        type=dataset.type,
        language=dataset.language,
        questions=len(dataset.questions),
        asked=len(outcomes),
        documents=documents - unreadable,
        unreadable=unreadable,
        seed=seed,
        statuses=_counted(statuses),
        failures=_counted(failures),
        figures=measure(outcomes, seed=seed),
        p50_seconds=percentile(seconds, 50),
        p99_seconds=percentile(seconds, 99),
    )


def _counted(names: Sequence[str]) -> dict[str, int]:
    return {name: names.count(name) for name in sorted(set(names))}


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile; 0.0 of nothing."""
    if not values:
        return 0.0
    rank = -(-percent * len(values) // 100)
    return sorted(values)[max(rank, 1) - 1]


def _silence(_: str, __: int, ___: int) -> None:
    pass
