"""What is asked, and that each figure is the one the answers earned."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from bot.evaluation import (
    Document,
    Evaluation,
    Outcome,
    Question,
    as_json,
    as_tables,
    evaluate,
    load_dataset,
)
from bot.evaluation.run import needed, percentile, sample
from rag.errors import IndexUnavailable
from rag.values import Status
from tests.bot.evaluation.sets import KnownBench, conflict_set, refusal_set, retrieval_set


def _value(evaluation: Evaluation, name: str, of: str = "") -> tuple[float, int]:
    found = next(f for f in evaluation.figures if f.name == name and f.of.startswith(of))
    return found.interval.value, found.interval.n


class BrokenBench:
    """Takes documents and has lost its index by the time it is asked."""

    reader = "broken"

    async def add(self, documents: Sequence[Document]) -> tuple[str, ...]:
        assert documents
        return ()

    async def ask(self, question: Question) -> Outcome:
        raise IndexUnavailable(f"gone before {question.id}")


async def test_retrieval_and_gold_answers(tmp_path: Path) -> None:
    bench = KnownBench(
        {
            "q1": (Status.ANSWERED, ("Bern is the seat",), ("d2", "d1")),
            "q2": (Status.INSUFFICIENT, (), ("d2",)),
        }
    )
    found = await evaluate(retrieval_set(tmp_path), bench=bench)
    assert len(bench.added) == found.documents == 2
    assert _value(found, "hit@1") == (0.5, 2)
    assert _value(found, "hit@5") == (1.0, 2)
    assert _value(found, "MRR") == (0.75, 2)
    assert _value(found, "gold in quotes") == (0.5, 2)
    assert _value(found, "gold in quotes, when answered") == (1.0, 1)
    assert found.statuses == {"answered": 1, "insufficient-evidence": 1}


async def test_refusals(tmp_path: Path) -> None:
    bench = KnownBench(
        {
            "a": (Status.ANSWERED, ("Bern is the seat",), ("d1",)),
            "b": (Status.CLARIFY, (), ()),
        }
    )
    found = await evaluate(refusal_set(tmp_path), bench=bench)
    assert [document.id for document in bench.added] == ["d1"]
    assert _value(found, "answered") == (1.0, 1)
    assert _value(found, "refused") == (1.0, 1)
    assert _value(found, "right to answer or refuse") == (1.0, 2)


async def test_conflicts_are_counted_apart_from_agreement(tmp_path: Path) -> None:
    bench = KnownBench(
        {
            "c1": (Status.CONFLICTING, ("built in 1856", "built in 1900"), ()),
            "c2": (Status.ANSWERED, ("built in 1910",), ()),
        }
    )
    found = await evaluate(conflict_set(tmp_path), bench=bench)
    assert _value(found, "every side in quotes") == (1.0, 1)
    assert _value(found, "told as a conflict", "questions whose documents differ") == (1.0, 1)
    assert _value(found, "told as a conflict", "questions whose documents agree") == (0.0, 1)
    assert _value(found, "gold in quotes") == (1.0, 2)


async def test_an_outage_is_never_a_figure(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable):
        await evaluate(retrieval_set(tmp_path), bench=BrokenBench())


async def test_a_document_that_cannot_be_read_is_left_out_and_counted(tmp_path: Path) -> None:
    bench = KnownBench({"c1": (Status.ANSWERED, ("in 1856",), ())}, unreadable=("c1-2", "c2-1"))
    found = await evaluate(conflict_set(tmp_path), bench=bench)
    assert bench.asked == ["c1"], "a question whose only source is gone is not asked"
    assert (found.documents, found.unreadable, found.asked) == (2, 2, 1)


async def test_a_sample_is_repeatable_and_keeps_its_order(tmp_path: Path) -> None:
    questions = tuple(Question(id=str(number), text="?") for number in range(50))
    first = sample(questions, limit=10, seed=3)
    assert first == sample(questions, limit=10, seed=3)
    assert first != sample(questions, limit=10, seed=4)
    assert list(first) == sorted(first, key=lambda question: int(question.id))
    assert len({question.id for question in first}) == 10
    assert sample(questions, limit=99, seed=3) == questions


def test_a_question_over_the_whole_corpus_needs_all_of_it(tmp_path: Path) -> None:
    whole = load_dataset(retrieval_set(tmp_path))
    assert needed(whole, whole.questions[:1]) == whole.documents
    named = load_dataset(conflict_set(tmp_path))
    assert [document.id for document in needed(named, named.questions[1:])] == ["c2-1"]


async def test_progress_counts_up_to_the_end(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    bench = KnownBench({"c1": (Status.REFUSED, (), ()), "c2": (Status.REFUSED, (), ())})
    await evaluate(
        conflict_set(tmp_path),
        bench=bench,
        progress=lambda _, done, total: told.append((done, total)),
    )
    assert told == [(0, 2), (0, 2), (1, 2), (2, 2)]


def test_percentiles_are_nearest_rank() -> None:
    values = [float(value) for value in range(1, 201)]
    assert percentile(values, 50) == 100.0
    assert percentile(values, 99) == 198.0
    assert percentile([4.0], 99) == 4.0
    assert percentile([], 50) == 0.0


async def test_the_table_and_the_json_say_the_same(tmp_path: Path) -> None:
    bench = KnownBench({"c1": (Status.ANSWERED, ("in 1856",), ()), "c2": (Status.REFUSED, (), ())})
    found = await evaluate(conflict_set(tmp_path), bench=bench, limit=1, seed=5)
    console = Console(width=140)
    with console.capture() as captured:
        console.print(*as_tables([found]))
    (read,) = json.loads(as_json([found]))
    assert read["asked"] == 1
    assert "1 of 2 questions (seed 5)" in captured.get()
    for figure in read["figures"]:
        assert figure["name"] in captured.get()
        value = figure["interval"]["value"]
        assert (f"{value:.3f}" if value < 100 else f"{value:,.0f}") in captured.get()
