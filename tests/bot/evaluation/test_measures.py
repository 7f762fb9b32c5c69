"""What is counted of answers: claims, citations, questions back, failures and cost."""

from pathlib import Path

from rich.console import Console

from bot.evaluation import Evaluation, as_tables, evaluate
from rag.values import Status
from tests.bot.evaluation.sets import (
    KnownBench,
    answerability_set,
    clarify_set,
    refusal_set,
    retrieval_set,
)


def _value(evaluation: Evaluation, name: str, of: str = "") -> tuple[float, int]:
    found = next(f for f in evaluation.figures if f.name == name and f.of.startswith(of))
    return found.interval.value, found.interval.n


async def test_a_question_that_failed_is_not_refused(tmp_path: Path) -> None:
    bench = KnownBench({"a": (Status.FAILED, (), ()), "b": (Status.FAILED, (), ())})
    found = await evaluate(refusal_set(tmp_path), bench=bench)
    assert _value(found, "failed") == (1.0, 2)
    assert _value(found, "refused") == (0.0, 1)
    assert _value(found, "right to answer or refuse") == (0.0, 2)


async def test_questions_back_are_counted_where_they_are_due_and_where_not(tmp_path: Path) -> None:
    bench = KnownBench({"s1": (Status.CLARIFY, (), ()), "s2": (Status.CLARIFY, (), ())})
    found = await evaluate(clarify_set(tmp_path), bench=bench)
    assert _value(found, "asked back", "unclear") == (1.0, 1)
    assert _value(found, "asked back", "clear") == (1.0, 1)
    assert _value(found, "answered") == (0.0, 1), "what is unclear need not be answered"


async def test_what_is_unclear_counts_among_neither_answers_nor_refusals(tmp_path: Path) -> None:
    bench = KnownBench(
        {
            "ANSWERABLE": (Status.ANSWERED, ("Bern is the seat",), ()),
            "UNANSWERABLE": (Status.INSUFFICIENT, (), ()),
            "UNDERSPECIFIED": (Status.ANSWERED, ("Bern is the seat",), ()),
        }
    )
    found = await evaluate(answerability_set(tmp_path), bench=bench)
    assert _value(found, "right to answer or refuse") == (1.0, 2)
    assert _value(found, "asked back", "unclear") == (0.0, 1)


async def test_an_answer_is_right_when_a_claim_holds_the_gold(tmp_path: Path) -> None:
    bench = KnownBench(
        {
            "q1": (Status.ANSWERED, ("Bern is the seat",), ()),
            "q2": (Status.ANSWERED, ("Zürich is large",), ()),
        }
    )
    found = await evaluate(retrieval_set(tmp_path), bench=bench)
    assert _value(found, "answered right") == (0.5, 2)


async def test_claims_citations_and_cost(tmp_path: Path) -> None:
    known = ("Bern is the seat", "Bern lies high", "Bern is old")
    bench = KnownBench(
        {"q1": (Status.ANSWERED, known, ()), "q2": (Status.INSUFFICIENT, (), ())},
        unfounded={"q1": 1},
    )
    found = await evaluate(retrieval_set(tmp_path), bench=bench)
    assert _value(found, "claims") == (3.0, 1)
    assert _value(found, "words that its quotes hold") == (1.0, 3)
    assert _value(found, "with a false quote") == (1 / 3, 3)
    assert _value(found, "model calls") == (4.0, 2)
    assert _value(found, "tokens in") == (2000.0, 2)
    assert _value(found, "tokens out") == (100.0, 2)
    assert _value(found, "seconds") == (0.1, 2)


async def test_citations_are_held_against_the_documents_that_are_known(tmp_path: Path) -> None:
    """The known bench cites s0, s1… and the set knows d1: nothing of it was found."""
    bench = KnownBench(
        {
            "q1": (Status.ANSWERED, ("Bern is the seat",), ()),
            "q2": (Status.INSUFFICIENT, (), ()),
        },
    )
    found = await evaluate(retrieval_set(tmp_path), bench=bench)
    assert _value(found, "citation precision") == (0.0, 1)
    assert _value(found, "citation recall") == (0.0, 1)


async def test_readers_stand_side_by_side(tmp_path: Path) -> None:
    folder = retrieval_set(tmp_path)
    good = KnownBench(
        {
            "q1": (Status.ANSWERED, ("Bern is the seat",), ("d1",)),
            "q2": (Status.ANSWERED, ("It has 400,000",), ("d2",)),
        }
    )
    bad = KnownBench({"q1": (Status.FAILED, (), ()), "q2": (Status.FAILED, (), ())})
    bad.reader = "openai:small"
    found = [await evaluate(folder, bench=bench) for bench in (good, bad)]
    (table,) = as_tables(found)
    console = Console(width=200)
    with console.capture() as captured:
        console.print(table)
    shown = captured.get()
    assert "known: answered 2" in shown
    assert "openai:small: failed 2 (None 2)" in shown
    (row,) = [line for line in shown.splitlines() if "answered right" in line]
    assert ("1.000" in row, "0.000" in row) == (True, True)
    (claims,) = [line for line in shown.splitlines() if "an answer" in line]
    assert "0.000" not in claims, "a reader without answers has no figure there"
